-- Tables of schemas `auth` and `ops` move into those of their contexts (docs/decisions/0050). In an older database, services
-- of before may run beside the new ones until they are replaced: they find views by the old names, which act with the
-- rights of their caller: rows, grants and policies are the table's. They go with the next release. A new database, which
-- has no event store yet, gets none.
CREATE SCHEMA accounts;
CREATE SCHEMA websites;
CREATE SCHEMA leads;
GRANT USAGE ON SCHEMA accounts, leads, marketplace TO query_reader;

DO $$
DECLARE
    moved text[];
    is_new boolean := to_regclass('events.stored_events') IS NULL;
BEGIN
    FOREACH moved SLICE 1 IN ARRAY ARRAY[
        ['auth', 'accounts', 'access_token'],
        ['auth', 'accounts', 'credential'],
        ['auth', 'accounts', 'first_account'],
        ['auth', 'accounts', 'handoff_code'],
        ['auth', 'accounts', 'invite_code'],
        ['auth', 'accounts', 'linked_sign_in'],
        ['auth', 'accounts', 'login_ticket'],
        ['auth', 'accounts', 'one_time_link'],
        ['auth', 'accounts', 'provider_sign_in'],
        ['auth', 'accounts', 'recovery_code'],
        ['auth', 'accounts', 'second_factor'],
        ['auth', 'accounts', 'session'],
        ['auth', 'accounts', 'setup_token'],
        ['auth', 'accounts', 'website_session'],
        ['auth', 'websites', 'postback_token'],
        ['auth', 'leads', 'contact_link'],
        ['ops', 'leads', 'contact'],
        ['auth', 'kernel', 'audit'],
        ['auth', 'kernel', 'audit_anchor'],
        ['auth', 'kernel', 'rate_limit'],
        ['auth', 'kernel', 'subject_key'],
        ['ops', 'kernel', 'mail'],
        ['ops', 'kernel', 'llm_call'],
        ['ops', 'marketplace', 'escrow_call'],
        ['ops', 'marketplace', 'escrow_message'],
        ['ops', 'marketplace', 'listing_image'],
        ['ops', 'marketplace', 'listing_image_use'],
        ['ops', 'operations', 'backup'],
        ['ops', 'operations', 'canary'],
        ['ops', 'operations', 'to_erase'],
        ['ops', 'operations', 'visitor_to_erase']
    ] LOOP
        EXECUTE format('ALTER TABLE %I.%I SET SCHEMA %I', moved[1], moved[3], moved[2]);
        IF NOT is_new THEN
            EXECUTE format('CREATE VIEW %I.%I WITH (security_invoker = true) AS SELECT * FROM %I.%I',
                moved[1], moved[3], moved[2], moved[3]);
            EXECUTE format('GRANT SELECT, INSERT, UPDATE ON %I.%I TO query_reader', moved[1], moved[3]);
        END IF;
    END LOOP;
END
$$;

ALTER FUNCTION auth.audit_hash SET SCHEMA kernel;
ALTER FUNCTION auth.write_audit SET SCHEMA kernel;
ALTER FUNCTION auth.check_audit SET SCHEMA kernel;
ALTER FUNCTION auth.refuse_change SET SCHEMA kernel;

CREATE OR REPLACE FUNCTION kernel.write_audit(
    action text, outcome text, actor_id uuid, account_id uuid, subject_id uuid, address text, device text, details jsonb
) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    last kernel.audit;
    made kernel.audit;
BEGIN
    PERFORM pg_advisory_xact_lock(7265470);
    SELECT * INTO last FROM kernel.audit ORDER BY seq DESC LIMIT 1;
    made.seq := coalesce(last.seq, 0) + 1;
    made.at := clock_timestamp();
    made.action := action;
    made.outcome := outcome;
    made.actor_id := actor_id;
    made.account_id := account_id;
    made.subject_id := subject_id;
    made.address := address;
    made.device := device;
    made.details := details;
    made.hash := kernel.audit_hash(coalesce(last.hash, ''::bytea), made);
    INSERT INTO kernel.audit VALUES (made.*);
    RETURN made.seq;
END
$$;

CREATE OR REPLACE FUNCTION kernel.check_audit(
    after bigint, most int, OUT upto bigint, OUT head bytea, OUT newest bigint, OUT broken bigint
) LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    start_at bigint;
    first bigint;
    wrong bigint;
    unlike bigint;
BEGIN
    SELECT greatest(coalesce((SELECT max(a.seq) FROM kernel.audit AS a), 0),
                    coalesce((SELECT max(k.seq) FROM kernel.audit_anchor AS k), 0)) INTO newest;
    start_at := least(after, newest);
    SELECT min(w.seq), max(w.seq), (array_agg(w.hash ORDER BY w.seq DESC))[1], min(w.seq) FILTER (WHERE w.wrong)
    INTO first, upto, head, wrong
    FROM (
        SELECT a.seq, a.hash, a.seq > start_at AND (
            a.hash IS DISTINCT FROM kernel.audit_hash(coalesce(lag(a.hash) OVER o, ''::bytea), a)
            OR a.seq <> coalesce(lag(a.seq) OVER o, 0) + 1
        ) AS wrong
        FROM kernel.audit AS a WHERE a.seq BETWEEN start_at AND start_at + most WINDOW o AS (ORDER BY a.seq)
    ) AS w;
    IF start_at > 0 AND first IS DISTINCT FROM start_at THEN
        wrong := start_at;
    ELSIF wrong IS NULL AND coalesce(upto, 0) < least(newest, start_at + most) THEN
        wrong := coalesce(upto, 0) + 1;
    END IF;
    SELECT min(k.seq) INTO unlike FROM kernel.audit_anchor AS k LEFT JOIN kernel.audit AS a ON a.seq = k.seq
    WHERE k.seq BETWEEN start_at AND start_at + most AND a.hash IS DISTINCT FROM k.hash;
    broken := least(wrong, unlike);
    upto := least(newest, start_at + most);
    head := coalesce(head, ''::bytea);
END
$$;

CREATE FUNCTION auth.write_audit(
    action text, outcome text, actor_id uuid, account_id uuid, subject_id uuid, address text, device text, details jsonb
) RETURNS bigint LANGUAGE sql AS $$
    SELECT kernel.write_audit(action, outcome, actor_id, account_id, subject_id, address, device, details)
$$;
REVOKE EXECUTE ON FUNCTION auth.write_audit FROM PUBLIC;
GRANT EXECUTE ON FUNCTION auth.write_audit TO query_reader;
CREATE FUNCTION auth.check_audit(
    after bigint, most int, OUT upto bigint, OUT head bytea, OUT newest bigint, OUT broken bigint
) LANGUAGE sql STABLE AS $$
    SELECT * FROM kernel.check_audit(after, most)
$$;

DO $$
BEGIN
    IF to_regclass('events.stored_events') IS NULL THEN
        DROP SCHEMA auth CASCADE;
        REVOKE USAGE ON SCHEMA ops FROM query_reader;
    END IF;
END
$$;
