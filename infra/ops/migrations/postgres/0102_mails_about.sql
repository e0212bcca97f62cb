-- What a mail is about, when that is not an account: a subscription, an early-access signup, an inquiry. It goes with
-- what it is about, and an answer to an inquiry shows whether its mail was handed over.
ALTER TABLE ops.mail ADD COLUMN about uuid, ADD COLUMN about_step int;
CREATE INDEX mail_about ON ops.mail (about) WHERE about IS NOT NULL;

-- The line for early access is read from its front.
DROP INDEX ops.contact_waiting;
CREATE INDEX contact_waiting ON ops.contact (created_at, id) WHERE kind = 'early_access' AND place IS NULL;
