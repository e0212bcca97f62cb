-- Schema `ingest`: what ingest keeps for itself, and what it believes to be known.
CREATE SCHEMA ingest;
GRANT USAGE ON SCHEMA ingest TO query_reader;

-- The visitor hash's daily salts, gone after 48 hours.
CREATE TABLE ingest.salt (
    day date PRIMARY KEY,
    salt bytea NOT NULL CHECK (length(salt) = 32),
    created_at timestamptz NOT NULL DEFAULT now()
);

-- Keys of reported conversions: a report that is repeated is answered with the same id, and one that says something new is
-- published. amount_rank: how far the report of its amount is believed. published: digests of the reports that are safe
-- in the log. What tells sales apart whose transaction id is unique within a click only, and reports that name another
-- click: the click that the most trusted report named (click_id, click_rank), and the id that the sale would have without
-- its click (shared_id).
CREATE TABLE ingest.conversion_key (
    conversion_id uuid PRIMARY KEY,
    website_id uuid NOT NULL,
    amount bigint,
    currency text,
    first_report_id uuid NOT NULL,
    acked boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT now(),
    amount_rank smallint NOT NULL DEFAULT 3,
    published bytea[] NOT NULL DEFAULT '{}',
    click_id text,
    click_rank smallint NOT NULL DEFAULT 0,
    shared_id uuid
);
CREATE INDEX conversion_key_shared ON ingest.conversion_key (shared_id) WHERE shared_id IS NOT NULL;

-- When each key of a website was last used, to the minute. Ingest notes it in memory and writes it down now and then:
-- it is for the owner's eyes, and nothing is decided by it.
CREATE TABLE ingest.key_use (
    key_hash bytea PRIMARY KEY,
    website_id uuid NOT NULL,
    used_at timestamptz NOT NULL
);
GRANT SELECT ON ingest.key_use TO query_reader;
ALTER TABLE ingest.key_use ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY others ON ingest.key_use
    USING (CURRENT_USER <> 'query_reader') WITH CHECK (CURRENT_USER <> 'query_reader');
CREATE POLICY readers ON ingest.key_use FOR SELECT TO query_reader
    USING ((SELECT read.reader()) = 'admin' OR website_id = ANY ((SELECT read.reader_websites())::uuid[]));

-- Keys of ad click ids: one for each visitor of a website and day, wrapped by the master key. They are stored before
-- they are used, in blocks, so that ingest needs no Postgres to seal. Deleting a row blanks what was sealed with it, in
-- the log, the tables and every replay; so backups leave the rows out.
CREATE TABLE ingest.visitor_key (
    key_id uuid PRIMARY KEY,
    website_id uuid NOT NULL,
    made_on date NOT NULL,
    key_wrapped text NOT NULL
);
CREATE INDEX visitor_key_day ON ingest.visitor_key (website_id, made_on);
GRANT SELECT ON ingest.visitor_key TO query_reader;
ALTER TABLE ingest.visitor_key ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY others ON ingest.visitor_key
    USING (CURRENT_USER <> 'query_reader') WITH CHECK (CURRENT_USER <> 'query_reader');
CREATE POLICY readers ON ingest.visitor_key FOR SELECT TO query_reader
    USING (website_id = ANY ((SELECT read.reader_websites())::uuid[]));

-- How far the live read models named are, and the newest event that is written: ingest believes that a key or link does
-- not exist only when nothing is outstanding. The event store's table is made after the migrations: without it, 0.
CREATE FUNCTION ingest.directory_progress(names text[], OUT reached bigint, OUT written bigint)
LANGUAGE plpgsql STABLE AS $$
BEGIN
    written := 0;
    IF to_regclass('events.stored_events') IS NOT NULL THEN
        EXECUTE 'SELECT coalesce(max(notification_id), 0) FROM events.stored_events' INTO written;
    END IF;
    SELECT CASE WHEN count(DISTINCT live.name) < cardinality(names) THEN 0 ELSE min(at.domain_position) END
    INTO reached
    FROM engine.projection AS live
    JOIN engine.position AS at ON at.projection = live.name AND at.generation = live.live_generation
    WHERE live.name = ANY(names) AND at.topic = 'domain';
END
$$;
