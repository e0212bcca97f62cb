-- Access tokens: programs without a person read the API with them. `website_ids`: of these websites alone; null: of the
-- whole account.
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
    revoked_at timestamptz
);
CREATE INDEX access_token_account ON auth.access_token (account_id);
GRANT SELECT, UPDATE (last_used_at) ON auth.access_token TO query_reader;

-- The query service reads for a token of single websites as `websites:`, the account's id, `:` and the websites' ids
-- with commas. Rows of the account itself are not shown then: `reader_account` is null.
CREATE FUNCTION read.reader_owner() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN read.reader() IN ('admin', 'service') THEN NULL
        WHEN starts_with(read.reader(), 'moderator:') THEN substr(read.reader(), 11)::uuid
        WHEN starts_with(read.reader(), 'analyst:') THEN substr(read.reader(), 9)::uuid
        WHEN starts_with(read.reader(), 'websites:') THEN split_part(read.reader(), ':', 2)::uuid
        ELSE read.reader()::uuid
    END
$$;

CREATE FUNCTION read.reader_limit() RETURNS uuid[] LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN starts_with(read.reader(), 'websites:')
        THEN string_to_array(split_part(read.reader(), ':', 3), ',')::uuid[]
    END
$$;

CREATE OR REPLACE FUNCTION read.reader_account() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN NOT starts_with(read.reader(), 'websites:') THEN read.reader_owner() END
$$;

CREATE OR REPLACE FUNCTION read.reader_websites() RETURNS uuid[] LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    RETURN (
        SELECT coalesce(array_agg(id), '{}') FROM read.websites
        WHERE account_id = read.reader_owner() AND (read.reader_limit() IS NULL OR id = ANY (read.reader_limit()))
    );
END
$$;
