-- Schema `destinations`: ad platforms that get decided conversions, and every delivery to them.
CREATE SCHEMA destinations;
GRANT USAGE ON SCHEMA destinations TO query_reader;

-- credentials_sealed: null where conversions are in files. credentials_hash: the outcome of a call with other ones is
-- not theirs. paused_until: when the platform accepts calls again.
CREATE TABLE destinations.destination (
    destination_id uuid PRIMARY KEY,
    website_id uuid NOT NULL,
    platform text NOT NULL,
    credentials_sealed text,
    credentials_hash text NOT NULL DEFAULT '',
    is_refused boolean NOT NULL DEFAULT false,
    paused_until timestamptz
);
CREATE INDEX destination_website ON destinations.destination (website_id);

-- What is sent of a conversion to a destination. From `prepared_at` on its content never changes, so that it is the same
-- however often it is sent. click_sealed: ad click ids as the event has them, unreadable once their key is deleted.
-- value: minor units of the whole conversion.
CREATE TABLE destinations.delivery (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    destination_id uuid NOT NULL REFERENCES destinations.destination ON DELETE CASCADE,
    website_id uuid NOT NULL,
    conversion_id uuid NOT NULL,
    number bigint GENERATED ALWAYS AS IDENTITY,
    state text NOT NULL DEFAULT 'new',
    created_at timestamptz NOT NULL,
    prepared_at timestamptz,
    kind text,
    event_name text,
    occurred_at timestamptz,
    value bigint,
    currency text,
    click_event_id uuid,
    clicked_at timestamptz,
    click_sealed text,
    page_url text,
    attempts int NOT NULL DEFAULT 0,
    attempted_at timestamptz,
    due_at timestamptz NOT NULL,
    status int,
    answer text NOT NULL DEFAULT '',
    reason text NOT NULL DEFAULT ''
);
CREATE INDEX delivery_conversion ON destinations.delivery (conversion_id, destination_id);
CREATE UNIQUE INDEX delivery_new ON destinations.delivery (destination_id, conversion_id) WHERE state = 'new';
CREATE INDEX delivery_unfinished ON destinations.delivery (destination_id) WHERE state IN ('new', 'ready');
CREATE INDEX delivery_listed ON destinations.delivery (destination_id, created_at DESC, id DESC);
CREATE INDEX delivery_prepared ON destinations.delivery (destination_id, prepared_at) WHERE prepared_at IS NOT NULL;
CREATE INDEX delivery_created ON destinations.delivery (created_at);
GRANT SELECT ON destinations.delivery TO query_reader;
ALTER TABLE destinations.delivery ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY others ON destinations.delivery
    USING (CURRENT_USER <> 'query_reader') WITH CHECK (CURRENT_USER <> 'query_reader');
CREATE POLICY readers ON destinations.delivery FOR SELECT TO query_reader
    USING ((SELECT read.reader()) = 'admin' OR website_id = ANY ((SELECT read.reader_websites())::uuid[]));
