-- Roles follow from events: they are an inline projection now, which `althing migrate` builds from the event store in schema
-- `lookup`. The query service reads one of its tables.
DROP TABLE auth.admin;
DROP TABLE auth.role_holder;
CREATE SCHEMA IF NOT EXISTS lookup;
GRANT USAGE ON SCHEMA lookup TO query_reader;
