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

-- The query service reads what is its reader's own.
GRANT SELECT ON notifications.webhook_delivery TO query_reader;
ALTER TABLE notifications.webhook_delivery ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY others ON notifications.webhook_delivery
    USING (CURRENT_USER <> 'query_reader') WITH CHECK (CURRENT_USER <> 'query_reader');
CREATE POLICY readers ON notifications.webhook_delivery FOR SELECT TO query_reader
    USING ((SELECT read.reader()) = 'admin' OR account_id = (SELECT read.reader_account()));
