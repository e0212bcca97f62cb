-- Schema `kernel`: what the mechanisms of every context keep: keys of personal data, the audit trail, limits, timeouts,
-- stored responses, outgoing mail, calls of a language model.
CREATE SCHEMA kernel;
CREATE SCHEMA auth;
GRANT USAGE ON SCHEMA auth, ops TO query_reader;
GRANT USAGE ON SCHEMA kernel TO query_reader;

-- Keys of personal data, one per person, wrapped by the master key. No key_wrapped: the person was erased.
CREATE TABLE auth.subject_key (
    subject_id uuid PRIMARY KEY,
    key_wrapped text,
    created_at timestamptz NOT NULL DEFAULT now(),
    erased_at timestamptz
);

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

-- The audit trail's head, written down elsewhere: each anchor is an event too, and so in the log, out of reach of whoever
-- could write this database anew.
CREATE TABLE auth.audit_anchor (
    seq bigint PRIMARY KEY,
    hash bytea NOT NULL,
    at timestamptz NOT NULL DEFAULT now()
);

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

CREATE FUNCTION auth.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the audit trail is only ever appended to';
END
$$;
CREATE TRIGGER audit_is_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON auth.audit
    FOR EACH STATEMENT EXECUTE FUNCTION auth.refuse_change();
CREATE TRIGGER anchors_are_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON auth.audit_anchor
    FOR EACH STATEMENT EXECUTE FUNCTION auth.refuse_change();

GRANT SELECT ON auth.audit, auth.audit_anchor TO query_reader;
GRANT EXECUTE ON FUNCTION auth.write_audit, auth.audit_hash, auth.check_audit TO query_reader;
ALTER TABLE auth.audit ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY others ON auth.audit
    USING (CURRENT_USER <> 'query_reader') WITH CHECK (CURRENT_USER <> 'query_reader');
CREATE POLICY readers ON auth.audit FOR SELECT TO query_reader
    USING ((SELECT read.reader()) = 'admin' OR account_id = (SELECT read.reader_account()));
ALTER TABLE auth.audit_anchor ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY others ON auth.audit_anchor
    USING (CURRENT_USER <> 'query_reader') WITH CHECK (CURRENT_USER <> 'query_reader');
CREATE POLICY readers ON auth.audit_anchor FOR SELECT TO query_reader USING ((SELECT read.reader()) = 'admin');

-- GCRA: the theoretical arrival time of each bucket.
CREATE TABLE auth.rate_limit (
    bucket text PRIMARY KEY,
    tat timestamptz NOT NULL
);
-- The query service limits previews and exports of sites: it may use their buckets, and sees no other.
GRANT SELECT, INSERT, UPDATE ON auth.rate_limit TO query_reader;
ALTER TABLE auth.rate_limit ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY others ON auth.rate_limit
    USING (CURRENT_USER <> 'query_reader') WITH CHECK (CURRENT_USER <> 'query_reader');
CREATE POLICY previews ON auth.rate_limit TO query_reader
    USING (starts_with(bucket, 'site-preview:') OR starts_with(bucket, 'site-export:'))
    WITH CHECK (starts_with(bucket, 'site-preview:') OR starts_with(bucket, 'site-export:'));

-- Answers of commands that carried an Idempotency-Key, written in the transaction of their events.
CREATE TABLE kernel.idempotency (
    key_hash bytea PRIMARY KEY,
    account_id uuid NOT NULL,
    route text NOT NULL,
    request_hash bytea NOT NULL,
    status smallint NOT NULL,
    body text NOT NULL,
    headers jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX idempotency_created ON kernel.idempotency (created_at);

-- Timeouts of process managers: when each is due for an aggregate (`command_api.kernel.process_manager`).
CREATE TABLE kernel.timeout (
    process text NOT NULL,
    id uuid NOT NULL,
    due_at timestamptz NOT NULL,
    attempts int NOT NULL DEFAULT 0,
    is_quarantined boolean NOT NULL DEFAULT false,
    PRIMARY KEY (process, id)
);
CREATE INDEX timeout_due ON kernel.timeout (process, due_at) WHERE NOT is_quarantined;
GRANT SELECT ON kernel.timeout TO query_reader;
ALTER TABLE kernel.timeout ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY others ON kernel.timeout
    USING (CURRENT_USER <> 'query_reader') WITH CHECK (CURRENT_USER <> 'query_reader');
CREATE POLICY readers ON kernel.timeout FOR SELECT TO query_reader USING ((SELECT read.reader()) = 'admin');

-- Notifies the channel that the trigger names.
CREATE FUNCTION kernel.notify_channel() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify(TG_ARGV[0], '');
    RETURN NULL;
END $$;

-- Wakes the worker for a timeout that is due soon; the others it waits for.
CREATE TRIGGER timeout_soon AFTER INSERT OR UPDATE OF due_at ON kernel.timeout
    FOR EACH ROW WHEN (NEW.due_at <= now() + interval '30 seconds') EXECUTE FUNCTION kernel.notify_channel('timeouts');

-- What each account sent and stored on a day (UTC), beside a budget: nobody fills the disk alone. It follows from no event.
CREATE TABLE kernel.account_usage (
    account_id uuid NOT NULL,
    day date NOT NULL,
    commands int NOT NULL,
    bytes bigint NOT NULL,
    refused int NOT NULL DEFAULT 0,
    PRIMARY KEY (account_id, day)
);
CREATE INDEX account_usage_day ON kernel.account_usage (day, bytes);
GRANT SELECT ON kernel.account_usage TO query_reader;
ALTER TABLE kernel.account_usage ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY others ON kernel.account_usage
    USING (CURRENT_USER <> 'query_reader') WITH CHECK (CURRENT_USER <> 'query_reader');
CREATE POLICY readers ON kernel.account_usage FOR SELECT TO query_reader USING ((SELECT read.reader()) = 'admin');

-- Mails that wait, were sent, or are kept because there is no mail server. Texts and addresses are sealed: they hold
-- one-time links and personal data. A sent mail's text, HTML and attachments (`parts_sealed`) are deleted at once.
-- unsubscribe_sealed: where a mail of a list can be stopped with one click (RFC 8058). about: what it is about when that
-- is not an account (a subscription, an early-access signup, an inquiry); it goes with that.
CREATE TABLE ops.mail (
    id uuid PRIMARY KEY,
    account_id uuid,
    kind text NOT NULL,
    recipient_sealed text NOT NULL,
    subject text NOT NULL,
    text_sealed text,
    state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'sent', 'failed')),
    attempts int NOT NULL DEFAULT 0,
    next_at timestamptz NOT NULL DEFAULT now(),
    error text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL DEFAULT now(),
    sent_at timestamptz,
    unsubscribe_sealed text,
    about uuid,
    about_step int,
    parts_sealed text
);
CREATE INDEX mail_due ON ops.mail (next_at) WHERE state = 'waiting';
CREATE INDEX mail_account ON ops.mail (account_id);
CREATE INDEX mail_about ON ops.mail (about) WHERE about IS NOT NULL;
-- Admins read the outbox through the query service, and everybody what was mailed to them.
GRANT SELECT ON ops.mail TO query_reader;
ALTER TABLE ops.mail ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY others ON ops.mail
    USING (CURRENT_USER <> 'query_reader') WITH CHECK (CURRENT_USER <> 'query_reader');
CREATE POLICY readers ON ops.mail FOR SELECT TO query_reader
    USING ((SELECT read.reader()) = 'admin' OR account_id = (SELECT read.reader_account()));

-- What was asked of a language model: reserved at its worst case before the call, settled with what it took.
CREATE TABLE ops.llm_call (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL,
    purpose text NOT NULL,
    reserved_tokens int NOT NULL,
    used_tokens int,
    outcome text,
    created_at timestamptz NOT NULL DEFAULT now(),
    settled_at timestamptz
);
CREATE INDEX llm_call_created ON ops.llm_call (created_at);
-- What an account asked of the language model is in its export.
GRANT SELECT ON ops.llm_call TO query_reader;
ALTER TABLE ops.llm_call ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY others ON ops.llm_call
    USING (CURRENT_USER <> 'query_reader') WITH CHECK (CURRENT_USER <> 'query_reader');
CREATE POLICY readers ON ops.llm_call FOR SELECT TO query_reader
    USING ((SELECT read.reader()) = 'admin' OR account_id = (SELECT read.reader_account()));
