-- Schema `log`: the log of record on Postgres (ALTHING_LOG=postgres, infra/kernel/log/postgres_log.py), and what is kept
-- about the log wherever it is.
CREATE SCHEMA log;

-- One row per partition. Its row lock makes offsets gapless and their order the order of commits.
CREATE TABLE log.partition (
    topic text NOT NULL,
    partition integer NOT NULL CHECK (partition >= 0),
    next_offset bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (topic, partition)
);

-- Only ever appended to: vacuum has nothing to find but the visibility map.
CREATE TABLE log.record (
    topic text NOT NULL,
    partition integer NOT NULL,
    "offset" bigint NOT NULL,
    timestamp_ms bigint NOT NULL,
    size integer NOT NULL,
    key bytea NOT NULL,
    value bytea NOT NULL,
    headers bytea,
    PRIMARY KEY (topic, partition, "offset"),
    FOREIGN KEY (topic, partition) REFERENCES log.partition
) WITH (autovacuum_vacuum_insert_scale_factor = 0.5);

-- From which offset on each partition of the log is signed (infra/kernel/log/signature.py). Records before it were written by a
-- version that did not sign. Kept here and not in the log: who can write to the log must not be able to move it.
CREATE TABLE log.signed_from (
    topic text NOT NULL,
    partition integer NOT NULL CHECK (partition >= 0),
    "offset" bigint NOT NULL CHECK ("offset" >= 0),
    noted_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (topic, partition)
);

-- How many partitions each topic of the log has (infra/kernel/log/partitions.py), and where their number was raised.
CREATE TABLE log.topic (
    topic text PRIMARY KEY,
    partitions integer NOT NULL CHECK (partitions > 0)
);

-- One row for each partition that a topic had before it got `after` partitions: from "offset" on, an id of a client belongs
-- into the partition that its hash gives among `after`.
CREATE TABLE log.split (
    topic text NOT NULL,
    after integer NOT NULL,
    before integer NOT NULL CHECK (before > 0 AND after % before = 0 AND after > before),
    partition integer NOT NULL CHECK (partition >= 0 AND partition < before),
    "offset" bigint NOT NULL CHECK ("offset" >= 0),
    made_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (topic, after, partition)
);

-- Keys of personal texts in the log (infra/kernel/security/text_keys.py): the keys of a tree, wrapped by the master key.
-- The newest one seals. Erasing a person replaces the keys that lead to them by those beside the path.
CREATE TABLE log.text_key (
    number bigint PRIMARY KEY CHECK (number BETWEEN 0 AND 4294967295),
    begins_at timestamptz NOT NULL DEFAULT now(),
    nodes_wrapped bytea NOT NULL
);
ALTER TABLE log.text_key ALTER COLUMN nodes_wrapped SET STORAGE EXTERNAL;
