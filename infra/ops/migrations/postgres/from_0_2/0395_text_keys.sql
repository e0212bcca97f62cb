-- Keys of personal texts in the log (infra/kernel/security/text_keys.py): the keys of a tree, wrapped by the master key.
-- The newest one seals. Erasing a person replaces the keys that lead to them by those beside the path.
CREATE TABLE log.text_key (
    number        bigint PRIMARY KEY CHECK (number BETWEEN 0 AND 4294967295),
    begins_at     timestamptz NOT NULL DEFAULT now(),
    nodes_wrapped bytea NOT NULL
);
ALTER TABLE log.text_key ALTER COLUMN nodes_wrapped SET STORAGE EXTERNAL;
