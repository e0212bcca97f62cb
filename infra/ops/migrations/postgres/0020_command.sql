-- What the command service keeps beside the event store (schema `events`, made by `command_api.kernel.event_store:create_schema`).
CREATE SCHEMA IF NOT EXISTS events;
CREATE SCHEMA IF NOT EXISTS auth;
CREATE SCHEMA IF NOT EXISTS engine;
CREATE SCHEMA IF NOT EXISTS policy;

CREATE TABLE auth.credential (
    account_id uuid PRIMARY KEY,
    password_hash text NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now()
);

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
    country text NOT NULL DEFAULT 'ZZ'
);
CREATE INDEX session_account ON auth.session (account_id) WHERE revoked_at IS NULL;

-- Keys of personal data, one per person, wrapped by the master key. No key_wrapped: the person was erased.
CREATE TABLE auth.subject_key (
    subject_id uuid PRIMARY KEY,
    key_wrapped text,
    created_at timestamptz NOT NULL DEFAULT now(),
    erased_at timestamptz
);

-- Answers of commands that carried an Idempotency-Key, written in the transaction of their events.
CREATE TABLE auth.idempotency (
    key_hash bytea CONSTRAINT idempotency_pkey PRIMARY KEY,
    account_id uuid NOT NULL,
    route text NOT NULL,
    request_hash bytea NOT NULL,
    status smallint NOT NULL,
    body text NOT NULL,
    headers jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX idempotency_created ON auth.idempotency (created_at);

CREATE TABLE auth.setup_token (
    token_hash bytea PRIMARY KEY,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL
);

-- At most one row: whoever inserts it is the first admin.
CREATE TABLE auth.first_account (
    "only" boolean CONSTRAINT first_account_pkey PRIMARY KEY DEFAULT true CHECK ("only"),
    account_id uuid NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);

-- GCRA: the theoretical arrival time of each bucket.
CREATE TABLE auth.rate_limit (
    bucket text PRIMARY KEY,
    tat timestamptz NOT NULL
);

CREATE TABLE IF NOT EXISTS engine.relay (
    name text PRIMARY KEY,
    position bigint NOT NULL
);

-- Indexes of the decision side, written in the transaction of the events that they index.
CREATE TABLE policy.link (
    link_id uuid PRIMARY KEY,
    code bigint NOT NULL CONSTRAINT link_code_key UNIQUE,
    website_id uuid NOT NULL,
    partner_id uuid NOT NULL
);

CREATE TABLE policy.coupon (
    website_id uuid NOT NULL,
    coupon text NOT NULL,
    link_id uuid NOT NULL UNIQUE,
    since timestamptz NOT NULL,
    CONSTRAINT coupon_pkey PRIMARY KEY (website_id, coupon)
);

CREATE TABLE policy.position (
    policy text NOT NULL,
    topic text NOT NULL,
    partition int NOT NULL,
    next_offset bigint NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (policy, topic, partition)
);

-- Conversions without a click that may still come.
CREATE TABLE policy.waiting (
    conversion_id uuid PRIMARY KEY,
    report jsonb NOT NULL,
    received_at timestamptz NOT NULL,
    next_at timestamptz NOT NULL,
    until timestamptz NOT NULL
);
CREATE INDEX waiting_next ON policy.waiting (next_at);

-- Reports that were taken by the edge but could not become a decision; the site asks by conversion id.
CREATE TABLE policy.refused_report (
    report_id uuid PRIMARY KEY,
    conversion_id uuid NOT NULL,
    website_id uuid NOT NULL,
    code text NOT NULL,
    message text NOT NULL,
    at timestamptz NOT NULL
);
CREATE INDEX refused_report_conversion ON policy.refused_report (conversion_id);
