-- What accounts keep beside their history: invites' codes, second factors, half-finished sign-ins, one-time links,
-- website sessions, and the audit trail. Codes are kept as hashes; what must be shown or used again is sealed.

-- An invite's state is its history; its owner may see the code again.
CREATE TABLE auth.invite_code (
    invite_id uuid PRIMARY KEY,
    account_id uuid NOT NULL,
    code_hash bytea NOT NULL CONSTRAINT invite_code_key UNIQUE,
    code_sealed text NOT NULL
);
CREATE INDEX invite_code_account ON auth.invite_code (account_id);

-- secret_sealed: the factor in use. pending_sealed: one that counts after its first right code.
CREATE TABLE auth.second_factor (
    account_id uuid PRIMARY KEY,
    secret_sealed text,
    last_timecode bigint NOT NULL DEFAULT 0,
    pending_sealed text,
    pending_at timestamptz
);

CREATE TABLE auth.recovery_code (
    account_id uuid NOT NULL,
    number smallint NOT NULL,
    code_hash text NOT NULL,
    used_at timestamptz,
    PRIMARY KEY (account_id, number)
);

-- A sign-in that is not finished: it needs the second factor, or an account.
CREATE TABLE auth.login_ticket (
    token_hash bytea PRIMARY KEY,
    kind text NOT NULL CHECK (kind IN ('second_factor', 'registration')),
    account_id uuid,
    method text NOT NULL,
    identity_sealed text,
    address text NOT NULL,
    wrong smallint NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL
);
CREATE INDEX login_ticket_account ON auth.login_ticket (account_id);
CREATE INDEX login_ticket_expires ON auth.login_ticket (expires_at);

-- Links of mails: a new password, a new e-mail address. Used: the row is gone.
CREATE TABLE auth.one_time_link (
    token_hash bytea PRIMARY KEY,
    kind text NOT NULL CHECK (kind IN ('password_reset', 'email_change')),
    account_id uuid NOT NULL,
    email_sealed text,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL
);
CREATE INDEX one_time_link_account ON auth.one_time_link (account_id);

-- Who is an admin and may sign in; written in the transaction that changes it, so that one always remains.
CREATE TABLE auth.admin (account_id uuid PRIMARY KEY);
INSERT INTO auth.admin SELECT account_id FROM auth.first_account;

-- Whose each website is; written in the transaction that connects or removes it.
CREATE TABLE policy.website (
    website_id uuid PRIMARY KEY,
    account_id uuid NOT NULL
);
CREATE INDEX website_account ON policy.website (account_id);
DO $$
BEGIN
    IF to_regclass('events.stored_events') IS NOT NULL THEN
        INSERT INTO policy.website
        SELECT c.originator_id, (convert_from(c.state, 'UTF8')::jsonb ->> 'account_id')::uuid
        FROM events.stored_events AS c
        WHERE c.topic = 'website.connected.v1' AND NOT EXISTS (
            SELECT FROM events.stored_events AS d
            WHERE d.originator_id = c.originator_id AND d.topic = 'website.disconnected.v1'
        );
    END IF;
END
$$;

-- Sessions of the website-level login: another token, another cookie, another audience than auth.session.
CREATE TABLE auth.website_session (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL,
    website_id uuid NOT NULL,
    key_id uuid NOT NULL,
    cookie_hash bytea NOT NULL UNIQUE,
    token_hash bytea NOT NULL UNIQUE,
    created_at timestamptz NOT NULL DEFAULT now(),
    last_seen_at timestamptz NOT NULL DEFAULT now(),
    token_expires_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    revoked_at timestamptz,
    user_agent_family text NOT NULL DEFAULT ''
);
CREATE INDEX website_session_account ON auth.website_session (account_id) WHERE revoked_at IS NULL;
CREATE INDEX website_session_website ON auth.website_session (website_id) WHERE revoked_at IS NULL;

-- Who did what and when, and who was refused. Each row's hash covers the row before: a row that is changed or taken
-- out breaks the chain. Addresses are cut to /24 and /48.
CREATE TABLE auth.audit (
    seq bigint PRIMARY KEY,
    at timestamptz NOT NULL,
    action text NOT NULL,
    outcome text NOT NULL CHECK (outcome IN ('done', 'refused')),
    actor_id uuid,
    account_id uuid,
    subject_id uuid,
    address text NOT NULL,
    device text NOT NULL,
    details jsonb NOT NULL,
    hash bytea NOT NULL
);
CREATE INDEX audit_account ON auth.audit (account_id, seq DESC);

CREATE FUNCTION auth.audit_hash(previous bytea, r auth.audit) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
    SELECT sha256(previous || convert_to(jsonb_build_array(
        r.seq, (extract(epoch FROM r.at) * 1000000)::bigint, r.action, r.outcome, r.actor_id, r.account_id,
        r.subject_id, r.address, r.device, r.details
    )::text, 'UTF8'))
$$;

-- Appends one row in the caller's transaction; writers take turns until they commit.
CREATE FUNCTION auth.write_audit(
    action text, outcome text, actor_id uuid, account_id uuid, subject_id uuid, address text, device text, details jsonb
) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    last auth.audit;
    made auth.audit;
BEGIN
    PERFORM pg_advisory_xact_lock(7265470);
    SELECT * INTO last FROM auth.audit ORDER BY seq DESC LIMIT 1;
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
    made.hash := auth.audit_hash(coalesce(last.hash, ''::bytea), made);
    INSERT INTO auth.audit VALUES (made.*);
    RETURN made.seq;
END
$$;
REVOKE EXECUTE ON FUNCTION auth.write_audit FROM PUBLIC;

-- The first row that is not as it was written, or that follows a gap; none: the chain is whole.
CREATE FUNCTION auth.broken_audit() RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT min(w.seq) FROM (
        SELECT a.seq, a.hash IS DISTINCT FROM auth.audit_hash(coalesce(lag(a.hash) OVER o, ''::bytea), a) AS changed,
            a.seq <> coalesce(lag(a.seq) OVER o, 0) + 1 AS gap
        FROM auth.audit AS a WINDOW o AS (ORDER BY a.seq)
    ) AS w WHERE w.changed OR w.gap
$$;

CREATE FUNCTION auth.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the audit trail is only ever appended to';
END
$$;
CREATE TRIGGER audit_is_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON auth.audit
    FOR EACH STATEMENT EXECUTE FUNCTION auth.refuse_change();

-- What the query service shows: an account its own, an admin everything.
GRANT SELECT ON auth.invite_code, auth.audit, auth.website_session TO query_reader;
GRANT UPDATE (last_seen_at, token_expires_at) ON auth.website_session TO query_reader;
GRANT EXECUTE ON FUNCTION auth.write_audit, auth.audit_hash, auth.broken_audit TO query_reader;

ALTER TABLE auth.invite_code ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY others ON auth.invite_code
    USING (CURRENT_USER <> 'query_reader') WITH CHECK (CURRENT_USER <> 'query_reader');
CREATE POLICY readers ON auth.invite_code FOR SELECT TO query_reader
    USING (account_id = (SELECT read.reader_account()));

ALTER TABLE auth.audit ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY others ON auth.audit
    USING (CURRENT_USER <> 'query_reader') WITH CHECK (CURRENT_USER <> 'query_reader');
CREATE POLICY readers ON auth.audit FOR SELECT TO query_reader
    USING ((SELECT read.reader()) = 'admin' OR account_id = (SELECT read.reader_account()));
