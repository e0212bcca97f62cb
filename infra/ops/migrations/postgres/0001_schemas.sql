-- The rooms of the database, and what the read-only role may see.
-- events: event store. engine: positions, dead letters, relay. read: read models behind stable views.
-- auth: sessions, idempotency keys, secrets. ingest: salts, conversion keys. ops: the stack's own records.
CREATE SCHEMA IF NOT EXISTS events;
CREATE SCHEMA IF NOT EXISTS engine;
CREATE SCHEMA IF NOT EXISTS read;
CREATE SCHEMA IF NOT EXISTS auth;
CREATE SCHEMA IF NOT EXISTS ingest;
CREATE SCHEMA IF NOT EXISTS ops;

REVOKE CREATE ON SCHEMA public FROM PUBLIC;

-- On a server of your own the role may be missing: then nobody has it, and you grant what you wish.
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'analyst') THEN
        GRANT USAGE ON SCHEMA read TO analyst;
        GRANT SELECT ON ALL TABLES IN SCHEMA read TO analyst;
        ALTER DEFAULT PRIVILEGES IN SCHEMA read GRANT SELECT ON TABLES TO analyst;
    END IF;
END
$$;
