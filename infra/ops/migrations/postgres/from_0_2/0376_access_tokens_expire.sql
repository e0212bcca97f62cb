-- When the owner of an access token got the email that says that it expires.
ALTER TABLE auth.access_token ADD COLUMN warned_at timestamptz;
CREATE INDEX access_token_expiring ON auth.access_token (expires_at) WHERE revoked_at IS NULL AND warned_at IS NULL;
