-- What the days of clicks that earned conversions contained when the visits of these clicks were last searched for.
CREATE TABLE conversions.click_day (
    website_id uuid NOT NULL,
    day date NOT NULL,
    contents text NOT NULL,
    searched_at timestamptz NOT NULL,
    PRIMARY KEY (website_id, day)
);
