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
