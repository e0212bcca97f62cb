-- Context `accounts` (schemas `auth` and `ops`): what accounts keep beside their history: passwords, second factors, sessions, half-finished sign-ins,
-- one-time links, access tokens. Codes and tokens are kept as hashes; what must be shown or used again is sealed.


-- At most one row: whoever inserts it is the first admin.
CREATE TABLE auth.first_account (
    "only" boolean PRIMARY KEY DEFAULT true CHECK ("only"),
    account_id uuid NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE auth.setup_token (
    token_hash bytea PRIMARY KEY,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL
);

CREATE TABLE auth.credential (
    account_id uuid PRIMARY KEY,
    password_hash text NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now()
);
-- Its owner may know whether an account has a password.
GRANT SELECT (account_id) ON auth.credential TO query_reader;
ALTER TABLE auth.credential ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY others ON auth.credential
    USING (CURRENT_USER <> 'query_reader') WITH CHECK (CURRENT_USER <> 'query_reader');
CREATE POLICY readers ON auth.credential FOR SELECT TO query_reader
    USING ((SELECT read.reader()) = 'admin' OR account_id = (SELECT read.reader_account()));

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

-- browser: one that a browser opened works only with its cookie. public_name: the name that others see; a session that
-- began before there was one has none.
CREATE TABLE auth.session (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL,
    cookie_hash bytea NOT NULL UNIQUE,
    token_hash bytea NOT NULL UNIQUE,
    email text NOT NULL,
    name text NOT NULL,
    roles text[] NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    last_seen_at timestamptz NOT NULL DEFAULT now(),
    token_expires_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    revoked_at timestamptz,
    user_agent_family text NOT NULL DEFAULT '',
    country text NOT NULL DEFAULT 'ZZ',
    browser boolean NOT NULL,
    public_name text
);
CREATE INDEX session_account ON auth.session (account_id) WHERE revoked_at IS NULL;
GRANT SELECT, UPDATE (last_seen_at, token_expires_at) ON auth.session TO query_reader;

-- Sessions of the website-level login: another token, another cookie, another audience than those of `session`.
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
    user_agent_family text NOT NULL DEFAULT '',
    browser boolean NOT NULL
);
CREATE INDEX website_session_account ON auth.website_session (account_id) WHERE revoked_at IS NULL;
CREATE INDEX website_session_website ON auth.website_session (website_id) WHERE revoked_at IS NULL;
GRANT SELECT, UPDATE (last_seen_at, token_expires_at) ON auth.website_session TO query_reader;

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

-- Somebody is at an identity provider. cookie_hash: the browser that went there; only it may come back, once.
CREATE TABLE auth.provider_sign_in (
    cookie_hash bytea PRIMARY KEY,
    provider text NOT NULL,
    state_hash bytea NOT NULL,
    secrets_sealed text NOT NULL,
    return_to text,
    link_account uuid,
    link_session uuid,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL
);
CREATE INDEX provider_sign_in_expires ON auth.provider_sign_in (expires_at);

-- Somebody came back and is proven: the app's page exchanges the code, in the same browser, once, within a minute.
CREATE TABLE auth.handoff_code (
    code_hash bytea PRIMARY KEY,
    cookie_hash bytea NOT NULL,
    identity_sealed text NOT NULL,
    link_account uuid,
    link_session uuid,
    expires_at timestamptz NOT NULL
);
CREATE INDEX handoff_code_expires ON auth.handoff_code (expires_at);

-- Which identities open which account. subject_hash: keyed hash of issuer and subject. label_sealed: the address or name
-- that the owner knows it by.
CREATE TABLE auth.linked_sign_in (
    id uuid PRIMARY KEY,
    subject_hash text NOT NULL CONSTRAINT linked_sign_in_subject UNIQUE,
    account_id uuid NOT NULL,
    provider text NOT NULL,
    label_sealed text NOT NULL,
    linked_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX linked_sign_in_account ON auth.linked_sign_in (account_id);
GRANT SELECT ON auth.linked_sign_in TO query_reader;
ALTER TABLE auth.linked_sign_in ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY others ON auth.linked_sign_in
    USING (CURRENT_USER <> 'query_reader') WITH CHECK (CURRENT_USER <> 'query_reader');
CREATE POLICY readers ON auth.linked_sign_in FOR SELECT TO query_reader
    USING (account_id = (SELECT read.reader_account()));

-- An invite's state is its history; its owner may see the code again. open_until: until when it can be used; none: it was
-- used up or withdrawn. Kept in the transaction of the invite's events, so that the number of an account's open invites
-- has a bound (command_api/accounts/open_invites.py).
CREATE TABLE auth.invite_code (
    invite_id uuid PRIMARY KEY,
    account_id uuid NOT NULL,
    code_hash bytea NOT NULL CONSTRAINT invite_code_key UNIQUE,
    code_sealed text NOT NULL,
    open_until timestamptz
);
CREATE INDEX invite_code_account ON auth.invite_code (account_id);
GRANT SELECT ON auth.invite_code TO query_reader;
ALTER TABLE auth.invite_code ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY others ON auth.invite_code
    USING (CURRENT_USER <> 'query_reader') WITH CHECK (CURRENT_USER <> 'query_reader');
CREATE POLICY readers ON auth.invite_code FOR SELECT TO query_reader
    USING (account_id = (SELECT read.reader_account()));

-- Access tokens: programs without a person read the API with them. website_ids: of these websites alone; null: of the
-- whole account. warned_at: when its owner got the email that says that it expires.
CREATE TABLE auth.access_token (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL,
    name text NOT NULL,
    token_hash bytea NOT NULL CONSTRAINT access_token_hash_key UNIQUE,
    last4 text NOT NULL,
    scopes text[] NOT NULL,
    website_ids uuid[],
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    last_used_at timestamptz,
    revoked_at timestamptz,
    warned_at timestamptz
);
CREATE INDEX access_token_account ON auth.access_token (account_id);
CREATE INDEX access_token_expiring ON auth.access_token (expires_at) WHERE revoked_at IS NULL AND warned_at IS NULL;
GRANT SELECT, UPDATE (last_used_at) ON auth.access_token TO query_reader;
