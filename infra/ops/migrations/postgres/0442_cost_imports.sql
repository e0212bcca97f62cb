-- Schema `costs`: files of costs that people import, and their lines. All of it follows from the files and from the
-- events of the imports.
CREATE SCHEMA costs;
GRANT USAGE ON SCHEMA costs TO query_reader;

-- A file in parts, each compressed and encrypted; until its import ends.
CREATE TABLE costs.import_file (
    import_id uuid NOT NULL,
    part int NOT NULL,
    website_id uuid NOT NULL,
    sealed bytea NOT NULL,
    PRIMARY KEY (import_id, part)
);
CREATE INDEX import_file_website ON costs.import_file (website_id);

-- How a file is read.
CREATE TABLE costs.import_layout (
    import_id uuid PRIMARY KEY,
    website_id uuid NOT NULL,
    layout jsonb NOT NULL,
    headers jsonb NOT NULL,
    sample jsonb NOT NULL,
    notes jsonb NOT NULL
);
CREATE INDEX import_layout_website ON costs.import_layout (website_id);
GRANT SELECT ON costs.import_layout TO query_reader;
ALTER TABLE costs.import_layout ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY others ON costs.import_layout
    USING (CURRENT_USER <> 'query_reader') WITH CHECK (CURRENT_USER <> 'query_reader');
CREATE POLICY readers ON costs.import_layout FOR SELECT TO query_reader
    USING ((SELECT read.reader()) = 'admin' OR website_id = ANY ((SELECT read.reader_websites())::uuid[]));

-- What a file says of a day's cost of some traffic: the sum of `lines` lines, the first of which is `line`. is_applied: its
-- import counts. kind: what the import does: new, changed, unchanged, rejected. An empty source, campaign, term or content: any.
CREATE TABLE costs.import_row (
    import_id uuid NOT NULL,
    line int NOT NULL,
    website_id uuid NOT NULL,
    platform text NOT NULL,
    kind text NOT NULL,
    lines int NOT NULL,
    is_applied boolean NOT NULL DEFAULT false,
    day date,
    source text NOT NULL,
    campaign text NOT NULL,
    term text NOT NULL,
    content text NOT NULL,
    amount bigint,
    currency text,
    worth bigint,
    worth_currency text,
    rate text,
    code text NOT NULL,
    message text NOT NULL,
    text text NOT NULL,
    PRIMARY KEY (import_id, line)
) WITH (fillfactor = 70); -- each row is updated once or twice
CREATE INDEX import_row_day ON costs.import_row (website_id, platform, day) WHERE is_applied;
CREATE INDEX import_row_website ON costs.import_row (website_id);
GRANT SELECT ON costs.import_row TO query_reader;
ALTER TABLE costs.import_row ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY others ON costs.import_row
    USING (CURRENT_USER <> 'query_reader') WITH CHECK (CURRENT_USER <> 'query_reader');
CREATE POLICY readers ON costs.import_row FOR SELECT TO query_reader
    USING ((SELECT read.reader()) = 'admin' OR website_id = ANY ((SELECT read.reader_websites())::uuid[]));
