-- Tokens of analysts' ClickHouse clients expire. Those that exist get the default time from now on.
ALTER TABLE auth.sql_token ADD COLUMN expires_at timestamptz NOT NULL DEFAULT now() + interval '90 days';
-- When its owner got the email that says so.
ALTER TABLE auth.sql_token ADD COLUMN warned_at timestamptz;
CREATE INDEX sql_token_expiring ON auth.sql_token (expires_at) WHERE revoked_at IS NULL AND warned_at IS NULL;
