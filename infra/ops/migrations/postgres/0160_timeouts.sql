-- Timeouts of process managers: when each is due for an aggregate (`command_api.kernel.process_manager`).
CREATE SCHEMA kernel;
CREATE TABLE kernel.timeout (
    process text NOT NULL,
    id uuid NOT NULL,
    due_at timestamptz NOT NULL,
    attempts int NOT NULL DEFAULT 0,
    is_quarantined boolean NOT NULL DEFAULT false,
    PRIMARY KEY (process, id)
);
CREATE INDEX timeout_due ON kernel.timeout (process, due_at) WHERE NOT is_quarantined;

GRANT USAGE ON SCHEMA kernel TO query_reader;
GRANT SELECT ON kernel.timeout TO query_reader;
ALTER TABLE kernel.timeout ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY others ON kernel.timeout
    USING (CURRENT_USER <> 'query_reader') WITH CHECK (CURRENT_USER <> 'query_reader');
CREATE POLICY readers ON kernel.timeout FOR SELECT TO query_reader USING ((SELECT read.reader()) = 'admin');

-- Notifies the channel that the trigger names.
CREATE FUNCTION kernel.notify_channel() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify(TG_ARGV[0], '');
    RETURN NULL;
END $$;

-- Wakes the worker for a timeout that is due soon; the others it waits for.
CREATE TRIGGER timeout_soon AFTER INSERT OR UPDATE OF due_at ON kernel.timeout
    FOR EACH ROW WHEN (NEW.due_at <= now() + interval '30 seconds') EXECUTE FUNCTION kernel.notify_channel('timeouts');

-- Wakes the subscribers of the write side when a retry of a dead letter is requested.
CREATE TRIGGER dead_letter_retry AFTER INSERT OR UPDATE OF retry_requested_at ON engine.dead_letter
    FOR EACH ROW WHEN (NEW.retry_requested_at IS NOT NULL) EXECUTE FUNCTION kernel.notify_channel('dead_letters');
