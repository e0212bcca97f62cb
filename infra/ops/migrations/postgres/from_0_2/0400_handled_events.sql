-- The decided events that each read model handles, so that a command can wait for those that process what it appended
-- (command_api/kernel/read_your_writes.py). `althing migrate` writes them.
ALTER TABLE engine.projection ADD COLUMN event_names text[] NOT NULL DEFAULT '{}';
