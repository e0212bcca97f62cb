-- Schema `publishing`: images, files and forms of sites of the website builder.
CREATE SCHEMA publishing;
GRANT USAGE ON SCHEMA publishing TO query_reader;

-- Images made anew from what was sent. Earlier releases need them, so they stay until their site is removed. Whoever knows
-- the hash of one may see it, as with images of listings. narrow: a copy for narrow screens, of images that are wider
-- (`NARROW_WIDTH` of `infra.domain.publishing.serving`); none for those uploaded before there was one.
CREATE TABLE publishing.site_image (
    site_id uuid NOT NULL,
    hash text NOT NULL,
    width int NOT NULL,
    height int NOT NULL,
    body bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    narrow bytea,
    PRIMARY KEY (site_id, hash)
);
CREATE INDEX site_image_hash ON publishing.site_image (hash);
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
-- `is_own_host`: for the root of a custom domain, else for `/sites/{slug}/`: the addresses in the files differ. `made_of`:
-- the hash of all that a page depends on; one that would be made of the same is not rendered again. NULL: not known, or
-- not a page. `problems`: what the page refers to and was not there.
CREATE TABLE publishing.site_file (
    site_id uuid NOT NULL REFERENCES publishing.served_site ON DELETE CASCADE,
    is_own_host boolean NOT NULL,
    path text NOT NULL,
    content_type text NOT NULL,
    security_policy text NOT NULL,
    etag text NOT NULL,
    body bytea NOT NULL,
    made_of bytea,
    problems jsonb,
    PRIMARY KEY (site_id, is_own_host, path)
);

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

-- Forms as ingest got them, each with a timeout of the process that turns it into a subscription. The address is sealed,
-- and blank once the form was handled; the row stays for a day, because forms of one sender are counted.
CREATE TABLE publishing.sent_form (
    id uuid PRIMARY KEY,
    site_id uuid NOT NULL,
    sender text NOT NULL, -- keyed hash of the network that sent it
    email_sealed text,
    page text NOT NULL,
    block text NOT NULL,
    sent_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX sent_form_sender ON publishing.sent_form (sender, sent_at);
CREATE INDEX sent_form_waiting ON publishing.sent_form (site_id) WHERE email_sealed IS NOT NULL;
CREATE INDEX sent_form_sent ON publishing.sent_form (sent_at);
