-- What the edge keeps for itself: the visitor hash's daily salts (gone after 48 hours) and the keys of reported
-- conversions, by which a report that is repeated is answered with the same id.
CREATE SCHEMA IF NOT EXISTS ingest;

CREATE TABLE ingest.salt (
    day        date PRIMARY KEY,
    salt       bytea NOT NULL CHECK (length(salt) = 32),
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE ingest.conversion_key (
    conversion_id   uuid PRIMARY KEY,
    website_id      uuid NOT NULL,
    amount          bigint,
    currency        text,
    first_report_id uuid NOT NULL,
    acked           boolean NOT NULL DEFAULT false,
    created_at      timestamptz NOT NULL DEFAULT now()
);
