-- Pictures of social posts: one of each post, shown to the website's owner. The query API reads one only after it found
-- the post among the reader's own.
CREATE SCHEMA social;
CREATE TABLE social.post_image (
    post_id uuid PRIMARY KEY,
    website_id uuid NOT NULL,
    hash text NOT NULL,
    width int NOT NULL,
    height int NOT NULL,
    body bytea NOT NULL
);
CREATE INDEX post_image_website ON social.post_image (website_id);
GRANT USAGE ON SCHEMA social TO query_reader;
GRANT SELECT ON social.post_image TO query_reader;
ALTER TABLE social.post_image ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY others ON social.post_image
    USING (CURRENT_USER <> 'query_reader') WITH CHECK (CURRENT_USER <> 'query_reader');
CREATE POLICY readers ON social.post_image FOR SELECT TO query_reader USING ((SELECT read.reader()) IS NOT NULL);
