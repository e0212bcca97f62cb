-- When websites are analyzed and digests are mailed are timeouts now. What stays: the last day that was analyzed, and up
-- to when an account was told of insights; how often it is told is in its events.
CREATE SCHEMA insights;
ALTER TABLE policy.insight_look RENAME TO daily_analysis;
ALTER TABLE policy.daily_analysis SET SCHEMA insights;
DELETE FROM insights.daily_analysis WHERE looked_day IS NULL;
ALTER TABLE insights.daily_analysis DROP COLUMN due_day, DROP COLUMN next_at;
ALTER TABLE insights.daily_analysis RENAME COLUMN looked_day TO day;
ALTER TABLE insights.daily_analysis ALTER COLUMN day SET NOT NULL;
ALTER TABLE policy.insight_digest RENAME TO digest;
ALTER TABLE policy.digest SET SCHEMA insights;
ALTER TABLE insights.digest DROP COLUMN every, DROP COLUMN next_at;
