-- The forum has moderators who are no admins. The query service reads for them as `moderator:` and their account's id:
-- what is theirs, as for everybody, and besides what the forum does not show.
CREATE OR REPLACE FUNCTION read.reader_account() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN read.reader() IN ('admin', 'service') THEN NULL
        WHEN starts_with(read.reader(), 'moderator:') THEN substr(read.reader(), 11)::uuid
        ELSE read.reader()::uuid
    END
$$;

CREATE FUNCTION read.moderates() RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT coalesce(read.reader() = 'admin' OR starts_with(read.reader(), 'moderator:'), false)
$$;

-- As in 0092; but the posts that are ranked are of the category that was asked for. Otherwise a word that is in very many
-- posts would be found in few of a small category, or in none. Of a category they are fewer: each takes looking at many.
CREATE OR REPLACE FUNCTION read.search_forum(words text, in_category uuid, by_author uuid, most int)
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
        SELECT p.id, ts_rank(p.search, wanted) AS rank
        FROM read.forum_posts AS p JOIN read.forum_threads AS t ON t.id = p.thread_id
        WHERE p.search @@ wanted AND p.state = 'visible' AND (by_author IS NULL OR p.author_id = by_author)
            AND t.visible AND (in_category IS NULL OR t.category_id = in_category)
        LIMIT CASE WHEN in_category IS NULL THEN 1000 ELSE 300 END
    ), in_titles AS MATERIALIZED (
        SELECT t.first_post_id AS id, 2 * ts_rank(t.search, wanted) AS rank
        FROM read.forum_threads AS t
        WHERE t.search @@ wanted AND t.visible AND (by_author IS NULL OR t.author_id = by_author)
            AND (in_category IS NULL OR t.category_id = in_category)
        LIMIT 1000
    )
    SELECT hits.id, max(hits.rank)::real
    FROM (SELECT * FROM in_texts UNION ALL SELECT * FROM in_titles) AS hits
    GROUP BY hits.id ORDER BY 2 DESC, 1 DESC LIMIT most;
END
$$;
