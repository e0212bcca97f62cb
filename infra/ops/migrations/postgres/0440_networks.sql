-- Schema `networks`: reports of networks that people import: the files, their lines, and what they say of sales by now.
-- All of it follows from the files and from the events of the imports.
CREATE SCHEMA networks;
GRANT USAGE ON SCHEMA networks TO query_reader;

-- The order of imports, and of what was stated about sales.
CREATE SEQUENCE networks.revision;

-- A file in parts, each compressed and encrypted.
CREATE TABLE networks.import_file (
    import_id uuid NOT NULL,
    part int NOT NULL,
    website_id uuid NOT NULL,
    sealed bytea NOT NULL,
    PRIMARY KEY (import_id, part)
);
CREATE INDEX import_file_website ON networks.import_file (website_id);

-- How far the work on an import is. import_order: later imports have greater ones. done, total: rows. layout: how the
-- file was read. stated_at: when the network made the report, or the latest time in it. awaited: next offset by partition
-- of topic `conversions` that decides all of it. done_until: the last sale, by its id, whose rows count or do not any more.
CREATE TABLE networks.import_job (
    import_id uuid PRIMARY KEY,
    website_id uuid NOT NULL,
    import_order bigint NOT NULL DEFAULT nextval('networks.revision'),
    layout jsonb,
    headers jsonb,
    sample jsonb,
    notes jsonb,
    stated_at timestamptz,
    awaited jsonb,
    done_until text NOT NULL DEFAULT '',
    done int NOT NULL DEFAULT 0,
    total int NOT NULL DEFAULT 0
);
CREATE INDEX import_job_website ON networks.import_job (website_id);
GRANT SELECT ON networks.import_job TO query_reader;
ALTER TABLE networks.import_job ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY others ON networks.import_job
    USING (CURRENT_USER <> 'query_reader') WITH CHECK (CURRENT_USER <> 'query_reader');
CREATE POLICY readers ON networks.import_job FOR SELECT TO query_reader
    USING ((SELECT read.reader()) = 'admin' OR website_id = ANY ((SELECT read.reader_websites())::uuid[]));

-- The lines of a file. is_applied: it counts. kind: what the import does to its sale: new, changed, unchanged, rejected,
-- test. group_key: what the file replaces as a whole.
CREATE TABLE networks.import_row (
    import_id uuid NOT NULL,
    line int NOT NULL,
    website_id uuid NOT NULL,
    import_order bigint NOT NULL,
    network text NOT NULL,
    txid text NOT NULL,
    group_key text NOT NULL DEFAULT '',
    kind text NOT NULL DEFAULT 'new',
    is_unmatched boolean NOT NULL DEFAULT false,
    is_applied boolean NOT NULL DEFAULT false,
    detail jsonb NOT NULL,
    PRIMARY KEY (import_id, line)
) WITH (fillfactor = 70); -- each row is updated once or twice
CREATE INDEX import_row_sale_of_import ON networks.import_row (import_id, txid);
CREATE INDEX import_row_sale ON networks.import_row (website_id, network, txid);
CREATE INDEX import_row_group ON networks.import_row (website_id, network, group_key) WHERE group_key <> '';
GRANT SELECT ON networks.import_row TO query_reader;
ALTER TABLE networks.import_row ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY others ON networks.import_row
    USING (CURRENT_USER <> 'query_reader') WITH CHECK (CURRENT_USER <> 'query_reader');
CREATE POLICY readers ON networks.import_row FOR SELECT TO query_reader
    USING ((SELECT read.reader()) = 'admin' OR website_id = ANY ((SELECT read.reader_websites())::uuid[]));

-- What was stated about each sale last, in topic `conversions`. is_published: the log has it.
CREATE TABLE networks.stated_sale (
    website_id uuid NOT NULL,
    network text NOT NULL,
    txid text NOT NULL,
    revision bigint NOT NULL,
    report jsonb NOT NULL,
    commission numeric NOT NULL,
    currency text NOT NULL,
    is_gone boolean NOT NULL,
    is_published boolean NOT NULL DEFAULT false,
    PRIMARY KEY (website_id, network, txid)
);
CREATE INDEX stated_sale_unpublished ON networks.stated_sale (website_id) WHERE NOT is_published;
