-- HTML and attachments of an email, sealed like its text, and deleted with it once it was sent.
ALTER TABLE ops.mail ADD COLUMN parts_sealed text;
