-- Dead letters of a generation that another one replaced: the newer generation has read the records again.
ALTER TABLE engine.dead_letter DROP CONSTRAINT dead_letter_state_check;
ALTER TABLE engine.dead_letter ADD CONSTRAINT dead_letter_state_check
    CHECK (state IN ('open', 'retried', 'skipped', 'superseded'));
UPDATE engine.dead_letter AS d SET state = 'superseded', decided_at = now(), retry_requested_at = NULL
    FROM engine.build AS b WHERE b.name = d.projection AND b.generation = d.generation AND b.state = 'retired'
    AND d.state = 'open';
-- Events stay parked behind superseded ones, too.
DROP INDEX engine.dead_letter_open;
CREATE INDEX dead_letter_open ON engine.dead_letter (projection, generation, topic, partition, "offset")
    WHERE state IN ('open', 'superseded');
