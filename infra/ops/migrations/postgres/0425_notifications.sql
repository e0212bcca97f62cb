-- Schema `notifications`: what members are told, by which way, and what came of it.
CREATE SCHEMA notifications;
GRANT USAGE ON SCHEMA notifications TO query_reader;

-- Rows that were not seen and tell of the same thing are one, with a count. `path` and `title` hold nothing personal:
-- names and texts are looked up when they are shown.
CREATE TABLE notifications.notification (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL,
    kind text NOT NULL,
    about text NOT NULL,
    count int NOT NULL DEFAULT 1,
    actor_id uuid,
    thread_id uuid,
    post_id uuid,
    title text NOT NULL DEFAULT '',
    path text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    seen_at timestamptz
);
CREATE UNIQUE INDEX notification_unseen ON notifications.notification (account_id, kind, about) WHERE seen_at IS NULL;
CREATE INDEX notification_account ON notifications.notification (account_id, updated_at DESC, id DESC);
CREATE INDEX notification_updated ON notifications.notification (updated_at);
CREATE INDEX notification_post ON notifications.notification (post_id);
GRANT SELECT ON notifications.notification TO query_reader;
ALTER TABLE notifications.notification ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY others ON notifications.notification
    USING (CURRENT_USER <> 'query_reader') WITH CHECK (CURRENT_USER <> 'query_reader');
CREATE POLICY readers ON notifications.notification FOR SELECT TO query_reader
    USING ((SELECT read.reader()) = 'admin' OR account_id = (SELECT read.reader_account()));

-- Digests that were mailed, one a period and account at most.
CREATE TABLE notifications.digest (
    account_id uuid NOT NULL,
    period text NOT NULL,
    queued_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (account_id, period)
);

-- Alerts that wait for an email.
CREATE TABLE notifications.alert_mail (
    account_id uuid NOT NULL,
    alert_id uuid NOT NULL,
    version int NOT NULL,
    is_resolved boolean NOT NULL,
    queued_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, alert_id, version)
);

-- What the last requests to the destinations of links found.
CREATE TABLE notifications.link_check (
    link_id uuid PRIMARY KEY,
    website_id uuid NOT NULL,
    destination text NOT NULL,
    host text NOT NULL,
    problem text NOT NULL,
    checked_at timestamptz NOT NULL,
    failures int NOT NULL,
    due_at timestamptz NOT NULL
);
CREATE INDEX link_check_website ON notifications.link_check (website_id);

-- Secrets of webhooks, encrypted, and what is or was sent to them.
CREATE TABLE notifications.webhook_secret (
    webhook_id uuid PRIMARY KEY,
    account_id uuid NOT NULL,
    sealed text NOT NULL,
    previous_sealed text,
    previous_until timestamptz,
    failures int NOT NULL DEFAULT 0
);
CREATE TABLE notifications.webhook_delivery (
    id uuid PRIMARY KEY,
    webhook_id uuid NOT NULL,
    account_id uuid NOT NULL,
    website_id uuid,
    alert_id uuid,
    version int,
    type text NOT NULL,
    body text NOT NULL,
    state text NOT NULL DEFAULT 'waiting',
    attempts int NOT NULL DEFAULT 0,
    status int,
    error text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL,
    due_at timestamptz NOT NULL,
    attempted_at timestamptz,
    UNIQUE (webhook_id, alert_id, version)
);
CREATE INDEX webhook_delivery_webhook ON notifications.webhook_delivery (webhook_id, created_at DESC, id DESC);
CREATE INDEX webhook_delivery_account ON notifications.webhook_delivery (account_id);
CREATE INDEX webhook_delivery_created ON notifications.webhook_delivery (created_at);
GRANT SELECT ON notifications.webhook_delivery TO query_reader;
ALTER TABLE notifications.webhook_delivery ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY others ON notifications.webhook_delivery
    USING (CURRENT_USER <> 'query_reader') WITH CHECK (CURRENT_USER <> 'query_reader');
CREATE POLICY readers ON notifications.webhook_delivery FOR SELECT TO query_reader
    USING ((SELECT read.reader()) = 'admin' OR account_id = (SELECT read.reader_account()));
