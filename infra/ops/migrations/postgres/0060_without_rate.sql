-- Reports refused because their currency had no rate on the day of the sale. They are decided again, those of one
-- conversion in the order in which they came, when a rate is recorded.
CREATE TABLE policy.without_rate (
    report_id uuid PRIMARY KEY,
    number bigint GENERATED ALWAYS AS IDENTITY,
    conversion_id uuid NOT NULL,
    report jsonb NOT NULL,
    kept_at timestamptz NOT NULL DEFAULT now(),
    next_at timestamptz NOT NULL DEFAULT now() + interval '1 second'
);
CREATE INDEX without_rate_next ON policy.without_rate (next_at);
CREATE INDEX without_rate_conversion ON policy.without_rate (conversion_id);

-- A conversion may wait for the rate of its partner's terms, although its click came: then it waits without end.
ALTER TABLE policy.waiting ADD COLUMN needs_rate boolean NOT NULL DEFAULT false;
