-- What the forum counts and keeps beside its events has a schema of its own.
CREATE SCHEMA forum;
GRANT USAGE ON SCHEMA forum TO query_reader;
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['member', 'act', 'read', 'salt', 'visit', 'views', 'follower'] LOOP
        EXECUTE format('ALTER TABLE ops.%I SET SCHEMA forum', 'forum_' || name);
        EXECUTE format('ALTER TABLE forum.%I RENAME TO %I', 'forum_' || name, name);
    END LOOP;
END
$$;
