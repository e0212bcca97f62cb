-- Schema `social`: pictures of social posts, and connections of channels to their networks.
CREATE SCHEMA social;
GRANT USAGE ON SCHEMA social TO query_reader;

-- One of each post, shown to the website's owner. The query API reads one only after it found the post among the reader's
-- own.
CREATE TABLE social.post_image (
    post_id uuid PRIMARY KEY,
    website_id uuid NOT NULL,
    hash text NOT NULL,
    width int NOT NULL,
    height int NOT NULL,
    body bytea NOT NULL
);
CREATE INDEX post_image_website ON social.post_image (website_id);
GRANT SELECT ON social.post_image TO query_reader;
ALTER TABLE social.post_image ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY others ON social.post_image
    USING (CURRENT_USER <> 'query_reader') WITH CHECK (CURRENT_USER <> 'query_reader');
CREATE POLICY readers ON social.post_image FOR SELECT TO query_reader USING ((SELECT read.reader()) IS NOT NULL);

-- A connection has begun. Only the session that went there may come back, once.
CREATE TABLE social.connection_flow (
    state_hash bytea PRIMARY KEY,
    session_id uuid NOT NULL,
    account_id uuid NOT NULL,
    channel_id uuid NOT NULL,
    network text NOT NULL,
    verifier_sealed text NOT NULL,
    expires_at timestamptz NOT NULL
);
CREATE INDEX connection_flow_expires ON social.connection_flow (expires_at);
CREATE INDEX connection_flow_account ON social.connection_flow (account_id);

-- tokens_sealed: null once the network ended the connection. views_before: the channel's total at the first reading of
-- the day views_on, from which the views of that day follow.
CREATE TABLE social.connection (
    channel_id uuid PRIMARY KEY,
    account_id uuid NOT NULL,
    network text NOT NULL,
    name_sealed text NOT NULL,
    tokens_sealed text,
    connected_at timestamptz NOT NULL,
    checked_at timestamptz,
    succeeded_at timestamptz,
    next_at timestamptz,
    failures int NOT NULL DEFAULT 0,
    problem text,
    followers bigint,
    posts bigint,
    views bigint,
    views_before bigint,
    views_on date
);
CREATE INDEX connection_account ON social.connection (account_id);
-- The query service shows an account its own, without the tokens.
GRANT SELECT (channel_id, account_id, network, name_sealed, connected_at, checked_at, succeeded_at, next_at, failures,
    problem, followers, posts, views) ON social.connection TO query_reader;
ALTER TABLE social.connection ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY others ON social.connection
    USING (CURRENT_USER <> 'query_reader') WITH CHECK (CURRENT_USER <> 'query_reader');
CREATE POLICY readers ON social.connection FOR SELECT TO query_reader
    USING (account_id = (SELECT read.reader_account()));
