-- A session that a browser opened works only with its cookie. What is open already is taken for a browser's: a program
-- signs in again.
ALTER TABLE auth.session ADD COLUMN browser boolean NOT NULL DEFAULT true;
ALTER TABLE auth.session ALTER COLUMN browser DROP DEFAULT;
ALTER TABLE auth.website_session ADD COLUMN browser boolean NOT NULL DEFAULT true;
ALTER TABLE auth.website_session ALTER COLUMN browser DROP DEFAULT;
