-- What the forum counts and keeps beside its events.

-- Who takes part. The row is locked while something its member does is counted against the limits. `handle` goes when
-- the member is erased; `handle_hash` stays, so that nobody gets a handle that was somebody else's.
CREATE TABLE ops.forum_member (
    account_id uuid PRIMARY KEY,
    handle text CONSTRAINT forum_handle UNIQUE,
    handle_hash bytea NOT NULL CONSTRAINT forum_handle_hash UNIQUE,
    joined_at timestamptz NOT NULL,
    shown int NOT NULL DEFAULT 0
);

-- What members did in the last days, for the limits. `digest`: of a post's text, keyed.
CREATE TABLE ops.forum_act (
    account_id uuid NOT NULL,
    kind text NOT NULL CHECK (kind IN ('topic', 'reply', 'edit', 'like', 'flag')),
    at timestamptz NOT NULL,
    digest bytea
);
CREATE INDEX forum_act_account ON ops.forum_act (account_id, kind, at);
CREATE INDEX forum_act_at ON ops.forum_act (at);

-- How far members have read. The thread 00000000-…: everything up to there.
CREATE TABLE ops.forum_read (
    account_id uuid NOT NULL,
    thread_id uuid NOT NULL,
    position bigint NOT NULL,
    PRIMARY KEY (account_id, thread_id)
);

-- Visitors of threads, each once a day, by a hash whose salt is deleted after two days; and views not yet an event.
CREATE TABLE ops.forum_salt (
    day date PRIMARY KEY,
    salt bytea NOT NULL CHECK (length(salt) = 32)
);
CREATE TABLE ops.forum_visit (
    day date NOT NULL,
    thread_id uuid NOT NULL,
    visitor bytea NOT NULL,
    PRIMARY KEY (day, thread_id, visitor)
);
CREATE TABLE ops.forum_views (
    thread_id uuid PRIMARY KEY,
    waiting int NOT NULL
);
CREATE INDEX forum_views_waiting ON ops.forum_views (thread_id) WHERE waiting > 0;

-- What members are told. Rows that were not seen and tell of the same thing are one, with a count. `path` and `title`
-- hold nothing personal: names and texts are looked up when they are shown.
CREATE TABLE ops.notification (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL,
    kind text NOT NULL,
    about text NOT NULL,
    count int NOT NULL DEFAULT 1,
    actor_id uuid,
    thread_id uuid,
    post_id uuid,
    title text NOT NULL DEFAULT '',
    path text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    seen_at timestamptz
);
CREATE UNIQUE INDEX notification_unseen ON ops.notification (account_id, kind, about) WHERE seen_at IS NULL;
CREATE INDEX notification_account ON ops.notification (account_id, updated_at DESC, id DESC);
CREATE INDEX notification_updated ON ops.notification (updated_at);
CREATE INDEX notification_post ON ops.notification (post_id);

-- How far the events are told of, and who follows which thread up to there.
CREATE TABLE ops.notification_position (
    singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
    position bigint NOT NULL
);
INSERT INTO ops.notification_position (position) VALUES (0);
CREATE TABLE ops.forum_follower (
    thread_id uuid NOT NULL,
    account_id uuid NOT NULL,
    PRIMARY KEY (thread_id, account_id)
);
CREATE INDEX forum_follower_account ON ops.forum_follower (account_id);

-- Digests that were mailed, one a period and account at most.
CREATE TABLE ops.digest (
    account_id uuid NOT NULL,
    period text NOT NULL,
    queued_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (account_id, period)
);

-- The query service reads what is its reader's own.
GRANT USAGE ON SCHEMA ops TO query_reader;
GRANT SELECT ON ops.forum_read, ops.notification TO query_reader;
ALTER TABLE ops.forum_read ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY others ON ops.forum_read
    USING (CURRENT_USER <> 'query_reader') WITH CHECK (CURRENT_USER <> 'query_reader');
CREATE POLICY readers ON ops.forum_read FOR SELECT TO query_reader
    USING ((SELECT read.reader()) = 'admin' OR account_id = (SELECT read.reader_account()));
ALTER TABLE ops.notification ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY others ON ops.notification
    USING (CURRENT_USER <> 'query_reader') WITH CHECK (CURRENT_USER <> 'query_reader');
CREATE POLICY readers ON ops.notification FOR SELECT TO query_reader
    USING ((SELECT read.reader()) = 'admin' OR account_id = (SELECT read.reader_account()));

-- Full text, best first. It runs as its owner, because under row-level security a search cannot use its index: the
-- matching operator is not leakproof. So it looks at nothing but what everybody may see. Of words that are in very many
-- posts it ranks a thousand; each of those finds its thread by the key, whatever the planner thinks of so many rows.
CREATE FUNCTION read.search_forum(words text, in_category uuid, by_author uuid, most int)
RETURNS TABLE (found_post uuid, found_rank real)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $$
DECLARE
    wanted tsquery := websearch_to_tsquery('english', words);
BEGIN
    RETURN QUERY
    WITH in_texts AS MATERIALIZED (
        SELECT p.id, p.thread_id, ts_rank(p.search, wanted) AS rank FROM read.forum_posts AS p
        WHERE p.search @@ wanted AND p.state = 'visible' AND (by_author IS NULL OR p.author_id = by_author) LIMIT 1000
    ), in_titles AS MATERIALIZED (
        SELECT t.first_post_id AS id, t.id AS thread_id, 2 * ts_rank(t.search, wanted) AS rank
        FROM read.forum_threads AS t
        WHERE t.search @@ wanted AND t.visible AND (by_author IS NULL OR t.author_id = by_author) LIMIT 1000
    )
    SELECT hits.id, max(hits.rank)::real
    FROM (SELECT * FROM in_texts UNION ALL SELECT * FROM in_titles) AS hits
    JOIN read.forum_threads AS t ON t.id = hits.thread_id
    WHERE t.visible AND (in_category IS NULL OR t.category_id = in_category)
    GROUP BY hits.id ORDER BY 2 DESC, 1 DESC LIMIT most;
END
$$;
REVOKE EXECUTE ON FUNCTION read.search_forum FROM PUBLIC;
GRANT EXECUTE ON FUNCTION read.search_forum TO query_reader;
