-- The query service reads as a role that owns nothing, and row-level security shows it only the rows of whom it says
-- it reads for. Each transaction says that with app.reader: an account's id, `admin`, or `service` (its own work, which
-- needs nothing of anybody). Unset: no rows. The policies of the read models come with their tables (projectors.engine).
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

GRANT USAGE ON SCHEMA read, engine, auth TO query_reader;
GRANT SELECT ON engine.projection, engine.build, engine.position, engine.dead_letter TO query_reader;
GRANT SELECT ON auth.session TO query_reader;
GRANT UPDATE (last_seen_at, token_expires_at) ON auth.session TO query_reader;

CREATE FUNCTION read.reader() RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT nullif(current_setting('app.reader', true), '')
$$;

CREATE FUNCTION read.reader_account() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN read.reader() NOT IN ('admin', 'service') THEN read.reader()::uuid END
$$;

-- In plpgsql, because the view is made later, and anew with each generation.
CREATE FUNCTION read.reader_websites() RETURNS uuid[] LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    RETURN (SELECT coalesce(array_agg(id), '{}') FROM read.websites WHERE account_id = read.reader_account());
END
$$;

-- Records of everybody. Other roles than the query service's are held by their grants alone.
ALTER TABLE engine.dead_letter ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY others ON engine.dead_letter
    USING (CURRENT_USER <> 'query_reader') WITH CHECK (CURRENT_USER <> 'query_reader');
CREATE POLICY readers ON engine.dead_letter FOR SELECT TO query_reader USING ((SELECT read.reader()) = 'admin');
