-- How the last check for reference rates ended, and what the query service may show of sales that wait for a rate:
-- neither their visitors nor their customers.
CREATE SCHEMA operations;
GRANT USAGE ON SCHEMA operations TO query_reader;

CREATE TABLE operations.rate_source (
    name text PRIMARY KEY,
    checked_at timestamptz NOT NULL,
    succeeded_at timestamptz,
    newest_day date,
    failures int NOT NULL,
    problem text,
    skipped text[] NOT NULL,
    next_at timestamptz NOT NULL
);
GRANT SELECT ON operations.rate_source TO query_reader;

ALTER TABLE conversions.awaiting_exchange_rate
    ADD COLUMN website_id uuid GENERATED ALWAYS AS ((report->>'website_id')::uuid) STORED,
    ADD COLUMN txid text GENERATED ALWAYS AS (report->>'txid') STORED,
    ADD COLUMN amount bigint GENERATED ALWAYS AS ((report->'amount'->>'amount')::bigint) STORED,
    ADD COLUMN currency text GENERATED ALWAYS AS (report->'amount'->>'currency') STORED,
    ADD COLUMN payout_currency text GENERATED ALWAYS AS (report->'payout'->>'currency') STORED;
CREATE INDEX awaiting_exchange_rate_website ON conversions.awaiting_exchange_rate (website_id);
GRANT SELECT (report_id, number, conversion_id, website_id, txid, kept_at, amount, currency, payout_currency)
    ON conversions.awaiting_exchange_rate TO query_reader;
GRANT SELECT (conversion_id, received_at, needs_rate) ON conversions.pending_attribution TO query_reader;
