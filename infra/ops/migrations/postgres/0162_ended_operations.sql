-- Wakes the recorder of operations whenever a request has ended, whoever ended it.
CREATE TRIGGER request_ended AFTER INSERT OR UPDATE OF state ON engine.request
    FOR EACH ROW WHEN (NEW.state IN ('done', 'refused', 'cancelled'))
    EXECUTE FUNCTION kernel.notify_channel('operation_ended');
