-- Schema `forum`: what the forum counts and keeps beside its events.
CREATE SCHEMA forum;
GRANT USAGE ON SCHEMA forum TO query_reader;

-- Who takes part. The row is locked while something its member does is counted against the limits. `handle` goes when
-- the member is erased; `handle_hash` stays, so that nobody gets a handle that was somebody else's: it needs the
-- installation's key. The rest follows from events (`lookup.forum_member`).
CREATE TABLE forum.member (
    account_id uuid CONSTRAINT forum_member_pkey PRIMARY KEY,
    handle text CONSTRAINT forum_handle UNIQUE,
    handle_hash bytea NOT NULL CONSTRAINT forum_handle_hash UNIQUE
);

-- What members did in the last days, for the limits. `digest`: of a post's text, keyed.
CREATE TABLE forum.act (
    account_id uuid NOT NULL,
    kind text NOT NULL CONSTRAINT forum_act_kind_check CHECK (kind IN ('topic', 'reply', 'edit', 'like', 'flag')),
    at timestamptz NOT NULL,
    digest bytea
);
CREATE INDEX forum_act_account ON forum.act (account_id, kind, at);
CREATE INDEX forum_act_at ON forum.act (at);

-- How far members have read. The thread 00000000-…: everything up to there.
CREATE TABLE forum.read (
    account_id uuid NOT NULL,
    thread_id uuid NOT NULL,
    position bigint NOT NULL,
    CONSTRAINT forum_read_pkey PRIMARY KEY (account_id, thread_id)
);
GRANT SELECT ON forum.read TO query_reader;
ALTER TABLE forum.read ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY others ON forum.read
    USING (CURRENT_USER <> 'query_reader') WITH CHECK (CURRENT_USER <> 'query_reader');
CREATE POLICY readers ON forum.read FOR SELECT TO query_reader
    USING ((SELECT read.reader()) = 'admin' OR account_id = (SELECT read.reader_account()));

-- Visitors of threads, each once a day, by a hash whose salt is deleted after two days; and views not yet an event.
CREATE TABLE forum.salt (
    day date CONSTRAINT forum_salt_pkey PRIMARY KEY,
    salt bytea NOT NULL CONSTRAINT forum_salt_salt_check CHECK (length(salt) = 32)
);
CREATE TABLE forum.visit (
    day date NOT NULL,
    thread_id uuid NOT NULL,
    visitor bytea NOT NULL,
    CONSTRAINT forum_visit_pkey PRIMARY KEY (day, thread_id, visitor)
);
CREATE TABLE forum.views (
    thread_id uuid CONSTRAINT forum_views_pkey PRIMARY KEY,
    waiting int NOT NULL
);
CREATE INDEX forum_views_waiting ON forum.views (thread_id) WHERE waiting > 0;

-- Who follows which thread, up to where notifications have processed the events.
CREATE TABLE forum.follower (
    thread_id uuid NOT NULL,
    account_id uuid NOT NULL,
    CONSTRAINT forum_follower_pkey PRIMARY KEY (thread_id, account_id)
);
CREATE INDEX forum_follower_account ON forum.follower (account_id);
