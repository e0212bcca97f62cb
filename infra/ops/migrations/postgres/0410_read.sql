-- Schema `read`: read models, made by projectors.engine, each behind a view. Who may read what:
-- - Role `analyst` reads every read model. On a server of your own it may be missing: then you grant what you wish.
-- - Role `query_reader` is the query service's. It owns nothing, and row-level security shows it only the rows of whom it
--   says it reads for. Each transaction says that with app.reader: an account's id; `moderator:` or `analyst:` and an
--   account's id; `websites:`, an account's id, `:` and websites' ids with commas (a token of single websites);
--   `admin`; or `service` (its own work, which needs nothing of anybody). Unset: no rows.
-- A table that the role may read has policy `others`: other roles are held by their grants alone.
CREATE SCHEMA read;
REVOKE CREATE ON SCHEMA public FROM PUBLIC;

DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'analyst') THEN
        GRANT USAGE ON SCHEMA read TO analyst;
        ALTER DEFAULT PRIVILEGES IN SCHEMA read GRANT SELECT ON TABLES TO analyst;
    END IF;
END
$$;

DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'query_reader') THEN
        BEGIN
            CREATE ROLE query_reader NOLOGIN;
        EXCEPTION
            WHEN duplicate_object OR unique_violation THEN NULL; -- made beside us, for another database of this server
        END;
    END IF;
    IF NOT pg_has_role(CURRENT_USER, 'query_reader', 'MEMBER') THEN
        EXECUTE format('GRANT query_reader TO %I', CURRENT_USER);
    END IF;
EXCEPTION
    WHEN insufficient_privilege THEN
        RAISE EXCEPTION 'let an administrator run: CREATE ROLE query_reader NOLOGIN; GRANT query_reader TO %;', quote_ident(CURRENT_USER);
END
$$;
GRANT USAGE ON SCHEMA read TO query_reader;

CREATE FUNCTION read.reader() RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT nullif(current_setting('app.reader', true), '')
$$;

CREATE FUNCTION read.reader_owner() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN read.reader() IN ('admin', 'service') THEN NULL
        WHEN starts_with(read.reader(), 'moderator:') THEN substr(read.reader(), 11)::uuid
        WHEN starts_with(read.reader(), 'analyst:') THEN substr(read.reader(), 9)::uuid
        WHEN starts_with(read.reader(), 'websites:') THEN split_part(read.reader(), ':', 2)::uuid
        ELSE read.reader()::uuid
    END
$$;

CREATE FUNCTION read.reader_limit() RETURNS uuid[] LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN starts_with(read.reader(), 'websites:')
        THEN string_to_array(split_part(read.reader(), ':', 3), ',')::uuid[]
    END
$$;

-- Null for a token of single websites: rows of the account itself are not shown then.
CREATE FUNCTION read.reader_account() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN NOT starts_with(read.reader(), 'websites:') THEN read.reader_owner() END
$$;

-- In plpgsql, because the view is made later, and anew with each generation.
CREATE FUNCTION read.reader_websites() RETURNS uuid[] LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    RETURN (
        SELECT coalesce(array_agg(id), '{}') FROM read.websites
        WHERE account_id = read.reader_owner() AND (read.reader_limit() IS NULL OR id = ANY (read.reader_limit()))
    );
END
$$;

-- What the forum does not show is shown to its moderators.
CREATE FUNCTION read.moderates() RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT coalesce(read.reader() = 'admin' OR starts_with(read.reader(), 'moderator:'), false)
$$;

-- Analysts see what other analysts share.
CREATE FUNCTION read.analyzes() RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT coalesce(starts_with(read.reader(), 'analyst:'), false)
$$;

-- Whose history somebody may read: of listings that they sell or buy, and of their offers with the escrow. An admin
-- reads that of an offer once it is disputed. In plpgsql, because the views are made later, and anew each generation.
CREATE FUNCTION read.reader_deals() RETURNS uuid[] LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
    reader uuid := read.reader_account();
BEGIN
    IF read.reader() = 'admin' THEN
        RETURN (SELECT coalesce(array_agg(x), '{}') FROM (
            SELECT unnest(ARRAY[id, escrow_id]) AS x FROM read.offers WHERE disputed) AS deals WHERE x IS NOT NULL);
    END IF;
    IF reader IS NULL THEN
        RETURN '{}';
    END IF;
    RETURN (SELECT coalesce(array_agg(x), '{}') FROM (
        SELECT unnest(ARRAY[id, escrow_id]) AS x FROM read.offers WHERE buyer_id = reader OR seller_id = reader
        UNION ALL SELECT id FROM read.listings WHERE buyer_id = reader OR seller_id = reader
    ) AS deals WHERE x IS NOT NULL);
END
$$;

-- Full text, best first. It runs as its owner, because under row-level security a search cannot use its index: the
-- matching operator is not leakproof. So it looks at nothing but what everybody may see. Of words that are in very many
-- posts it ranks a thousand, of the category that was asked for: otherwise such a word would be found in few posts of a
-- small category, or in none. Of a category they are fewer: each takes looking at many. Each of those finds its thread by
-- the key, whatever the planner thinks of so many rows.
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
REVOKE EXECUTE ON FUNCTION read.search_forum FROM PUBLIC;
GRANT EXECUTE ON FUNCTION read.search_forum TO query_reader;
