-- Connections of websites to networks' APIs: credentials, how far each pull is, and the pages that it has so far.

-- account_hash: of the account at the network; another one begins anew. credentials_hash: the calls with the same
-- credentials share one pace. pulled_until: the end of the last pull. position, pull_id: of the pull that goes on.
-- file_hash: of the last report. next_at: null while the network refuses the credentials.
CREATE TABLE networks.connection (
    connection_id uuid PRIMARY KEY,
    website_id uuid NOT NULL,
    network text NOT NULL,
    credentials_sealed text NOT NULL,
    account_hash text NOT NULL,
    credentials_hash text NOT NULL,
    pulled_until timestamptz,
    position jsonb,
    pull_id uuid,
    file_hash text,
    checked_at timestamptz,
    failures int NOT NULL DEFAULT 0,
    problem text,
    next_at timestamptz
);
CREATE INDEX connection_website ON networks.connection (website_id);
-- The query service shows how it goes, without credentials.
GRANT SELECT (connection_id, website_id, pull_id, checked_at, problem, next_at) ON networks.connection TO query_reader;
ALTER TABLE networks.connection ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY others ON networks.connection
    USING (CURRENT_USER <> 'query_reader') WITH CHECK (CURRENT_USER <> 'query_reader');
CREATE POLICY readers ON networks.connection FOR SELECT TO query_reader
    USING ((SELECT read.reader()) = 'admin' OR website_id = ANY ((SELECT read.reader_websites())::uuid[]));

-- The pages of the pull that goes on, compressed and encrypted.
CREATE TABLE networks.pulled_page (
    connection_id uuid NOT NULL REFERENCES networks.connection ON DELETE CASCADE,
    page int NOT NULL,
    sealed bytea NOT NULL,
    PRIMARY KEY (connection_id, page)
);

-- When the next call with some credentials may be made.
CREATE TABLE networks.call_pace (
    credentials_hash text PRIMARY KEY,
    next_call_at timestamptz NOT NULL
);
