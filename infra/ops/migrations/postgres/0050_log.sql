-- The log of record on Postgres (ALTHING_LOG=postgres): infra/kernel/log/postgres_log.py.
CREATE SCHEMA IF NOT EXISTS log;

-- One row per partition. Its row lock makes offsets gapless and their order the order of commits.
CREATE TABLE log.partition (
    topic text NOT NULL,
    partition integer NOT NULL CHECK (partition >= 0),
    next_offset bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (topic, partition)
);

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
);

-- Only ever appended to: vacuum has nothing to find but the visibility map.
ALTER TABLE log.record SET (autovacuum_vacuum_insert_scale_factor = 0.5);
