-- What a page was made of: the hash of all that its file depends on. A page that would be made of the same is not
-- rendered again. NULL: not known, or not a page. `problems`: what the page refers to and was not there.
ALTER TABLE publishing.site_file ADD COLUMN made_of bytea, ADD COLUMN problems jsonb;

-- Pages that are rendered for a release that is not published yet; the command that publishes takes them from here.
CREATE TABLE publishing.rendered_page (
    site_id uuid NOT NULL,
    made_of bytea NOT NULL,
    content_type text NOT NULL,
    security_policy text NOT NULL,
    etag text NOT NULL,
    body bytea NOT NULL,
    problems jsonb NOT NULL,
    PRIMARY KEY (site_id, made_of)
);

-- The query service limits exports of sites, too.
ALTER POLICY previews ON auth.rate_limit
    USING (starts_with(bucket, 'site-preview:') OR starts_with(bucket, 'site-export:'))
    WITH CHECK (starts_with(bucket, 'site-preview:') OR starts_with(bucket, 'site-export:'));
