-- A copy for narrow screens, of images that are wider (`NARROW_WIDTH` of `infra.domain.publishing.serving`); none for those
-- that were uploaded before, until they are uploaded again.
ALTER TABLE publishing.site_image ADD COLUMN narrow bytea;
