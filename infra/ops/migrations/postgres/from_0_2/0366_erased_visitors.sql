-- Visitors who were forgotten after the backup that this database was restored from, as they were decided. The command
-- service forgets them again at its start.
CREATE TABLE IF NOT EXISTS ops.visitor_to_erase (
    erasure_id uuid PRIMARY KEY,
    decided jsonb NOT NULL
);
