-- Context `websites` (schemas `auth` and `ops`).

-- Postback tokens, encrypted with the master key, so that the owner of a website can copy the postback URL at any time.
-- Ingest recognises them by their hashes. Rows end with the token; tokens from before version 0.2 have none.
CREATE TABLE auth.postback_token (
    key_id uuid PRIMARY KEY,
    website_id uuid NOT NULL,
    sealed text NOT NULL
);
CREATE INDEX ON auth.postback_token (website_id);
