-- Notifications, and which digests were mailed, have a schema of their own.
CREATE SCHEMA notifications;
GRANT USAGE ON SCHEMA notifications TO query_reader;
ALTER TABLE ops.notification SET SCHEMA notifications;
ALTER TABLE ops.digest SET SCHEMA notifications;
