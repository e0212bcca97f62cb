-- Sign-in by identity providers: who is under way to one, who came back, and which identities open which account.

-- Somebody is at a provider. cookie_hash: the browser that went there; only it may come back, once.
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

-- subject_hash: keyed hash of issuer and subject. label_sealed: the address or name that the owner knows it by.
CREATE TABLE auth.linked_sign_in (
    id uuid PRIMARY KEY,
    subject_hash text NOT NULL CONSTRAINT linked_sign_in_subject UNIQUE,
    account_id uuid NOT NULL,
    provider text NOT NULL,
    label_sealed text NOT NULL,
    linked_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX linked_sign_in_account ON auth.linked_sign_in (account_id);

-- The query service shows an account its own.
GRANT SELECT ON auth.linked_sign_in TO query_reader;
ALTER TABLE auth.linked_sign_in ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY others ON auth.linked_sign_in
    USING (CURRENT_USER <> 'query_reader') WITH CHECK (CURRENT_USER <> 'query_reader');
CREATE POLICY readers ON auth.linked_sign_in FOR SELECT TO query_reader
    USING (account_id = (SELECT read.reader_account()));
