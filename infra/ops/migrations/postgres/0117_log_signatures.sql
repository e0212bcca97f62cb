-- From which offset on each partition of the log is signed (infra/kernel/log/signature.py). Records before it were written by a
-- version that did not sign. Kept here and not in the log: who can write to the log must not be able to move it.
CREATE TABLE log.signed_from (
    topic text NOT NULL,
    partition integer NOT NULL CHECK (partition >= 0),
    "offset" bigint NOT NULL CHECK ("offset" >= 0),
    noted_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (topic, partition)
);
