-- How far the live read models named are, and the newest event that is written: ingest believes that a key or link does
-- not exist only when nothing is outstanding. The event store's table is made after the migrations: without it, 0.
CREATE FUNCTION ingest.directory_progress(names text[], OUT reached bigint, OUT written bigint)
LANGUAGE plpgsql STABLE AS $$
BEGIN
    written := 0;
    IF to_regclass('events.stored_events') IS NOT NULL THEN
        EXECUTE 'SELECT coalesce(max(notification_id), 0) FROM events.stored_events' INTO written;
    END IF;
    SELECT CASE WHEN count(DISTINCT live.name) < cardinality(names) THEN 0 ELSE min(at.domain_position) END
    INTO reached
    FROM engine.projection AS live
    JOIN engine.position AS at ON at.projection = live.name AND at.generation = live.live_generation
    WHERE live.name = ANY(names) AND at.topic = 'domain';
END
$$;
