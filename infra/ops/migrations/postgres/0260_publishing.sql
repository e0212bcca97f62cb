-- Images of sites of the website builder, made anew from what was sent. Earlier releases need them, so they stay until
-- their site is removed. Whoever knows the hash of one may see it, as with images of listings.
CREATE SCHEMA publishing;
CREATE TABLE publishing.site_image (
    site_id uuid NOT NULL,
    hash text NOT NULL,
    width int NOT NULL,
    height int NOT NULL,
    body bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (site_id, hash)
);
CREATE INDEX site_image_hash ON publishing.site_image (hash);
GRANT USAGE ON SCHEMA publishing TO query_reader;
GRANT SELECT ON publishing.site_image TO query_reader;
ALTER TABLE publishing.site_image ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY others ON publishing.site_image
    USING (CURRENT_USER <> 'query_reader') WITH CHECK (CURRENT_USER <> 'query_reader');
CREATE POLICY readers ON publishing.site_image FOR SELECT TO query_reader
    USING ((SELECT read.reader()) IS NOT NULL);

-- What ingest serves: sites that are published, and the files of their release. The command that publishes writes both
-- in its transaction, so visitors see a release, or its end, from the commit on.
CREATE TABLE publishing.served_site (
    site_id uuid PRIMARY KEY,
    website_id uuid NOT NULL,
    slug text NOT NULL UNIQUE,
    domain_id uuid
);
CREATE INDEX served_site_domain ON publishing.served_site (domain_id);
-- `is_own_host`: for the root of a custom domain, else for `/sites/{slug}/`: the addresses in the files differ.
CREATE TABLE publishing.site_file (
    site_id uuid NOT NULL REFERENCES publishing.served_site ON DELETE CASCADE,
    is_own_host boolean NOT NULL,
    path text NOT NULL,
    content_type text NOT NULL,
    security_policy text NOT NULL,
    etag text NOT NULL,
    body bytea NOT NULL,
    PRIMARY KEY (site_id, is_own_host, path)
);
