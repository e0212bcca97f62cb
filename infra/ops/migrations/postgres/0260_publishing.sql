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
