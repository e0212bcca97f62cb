-- The audit trail's head, written down elsewhere: each anchor is an event too, and so in the log, out of reach of whoever
-- could write this database anew. And whether an account has a password, for its owner.

CREATE TABLE auth.audit_anchor (
    seq bigint PRIMARY KEY,
    hash bytea NOT NULL,
    at timestamptz NOT NULL DEFAULT now()
);
CREATE TRIGGER anchors_are_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON auth.audit_anchor
    FOR EACH STATEMENT EXECUTE FUNCTION auth.refuse_change();

-- At most `most` rows after row `after`. `upto`: the last that was looked at, `head` its hash; `newest`: the last there
-- is; `broken`: the first that is not as it was written, that is missing, or that an anchor knows otherwise.
CREATE FUNCTION auth.check_audit(
    after bigint, most int, OUT upto bigint, OUT head bytea, OUT newest bigint, OUT broken bigint
) LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    start_at bigint;
    first bigint;
    wrong bigint;
    unlike bigint;
BEGIN
    SELECT greatest(coalesce((SELECT max(a.seq) FROM auth.audit AS a), 0),
                    coalesce((SELECT max(k.seq) FROM auth.audit_anchor AS k), 0)) INTO newest;
    start_at := least(after, newest);
    SELECT min(w.seq), max(w.seq), (array_agg(w.hash ORDER BY w.seq DESC))[1], min(w.seq) FILTER (WHERE w.wrong)
    INTO first, upto, head, wrong
    FROM (
        SELECT a.seq, a.hash, a.seq > start_at AND (
            a.hash IS DISTINCT FROM auth.audit_hash(coalesce(lag(a.hash) OVER o, ''::bytea), a)
            OR a.seq <> coalesce(lag(a.seq) OVER o, 0) + 1
        ) AS wrong
        FROM auth.audit AS a WHERE a.seq BETWEEN start_at AND start_at + most WINDOW o AS (ORDER BY a.seq)
    ) AS w;
    IF start_at > 0 AND first IS DISTINCT FROM start_at THEN
        wrong := start_at;
    ELSIF wrong IS NULL AND coalesce(upto, 0) < least(newest, start_at + most) THEN
        wrong := coalesce(upto, 0) + 1;
    END IF;
    SELECT min(k.seq) INTO unlike FROM auth.audit_anchor AS k LEFT JOIN auth.audit AS a ON a.seq = k.seq
    WHERE k.seq BETWEEN start_at AND start_at + most AND a.hash IS DISTINCT FROM k.hash;
    broken := least(wrong, unlike);
    upto := least(newest, start_at + most);
    head := coalesce(head, ''::bytea);
END
$$;

DROP FUNCTION auth.broken_audit();

GRANT SELECT ON auth.audit_anchor TO query_reader;
GRANT EXECUTE ON FUNCTION auth.check_audit TO query_reader;
ALTER TABLE auth.audit_anchor ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY others ON auth.audit_anchor
    USING (CURRENT_USER <> 'query_reader') WITH CHECK (CURRENT_USER <> 'query_reader');
CREATE POLICY readers ON auth.audit_anchor FOR SELECT TO query_reader USING ((SELECT read.reader()) = 'admin');

GRANT SELECT (account_id) ON auth.credential TO query_reader;
ALTER TABLE auth.credential ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY others ON auth.credential
    USING (CURRENT_USER <> 'query_reader') WITH CHECK (CURRENT_USER <> 'query_reader');
CREATE POLICY readers ON auth.credential FOR SELECT TO query_reader
    USING ((SELECT read.reader()) = 'admin' OR account_id = (SELECT read.reader_account()));
