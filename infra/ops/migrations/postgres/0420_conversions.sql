-- Schema `conversions`: what its process managers keep beside their timeouts, and files of payouts.
CREATE SCHEMA conversions;
GRANT USAGE ON SCHEMA conversions TO query_reader;

-- Conversions without a click that may still come. The report is in the conversion's own history, except of rows from
-- before version 0.2. needs_rate: the rate of its partner's terms is awaited, without end. passed_over: bots' clicks that
-- the search for the click passed over: [[partition, offset], ...] of topic clicks.
CREATE TABLE conversions.pending_attribution (
    conversion_id uuid PRIMARY KEY,
    report jsonb,
    received_at timestamptz NOT NULL,
    until timestamptz NOT NULL,
    needs_rate boolean NOT NULL DEFAULT false,
    passed_over jsonb
);
CREATE INDEX pending_attribution_needs_rate ON conversions.pending_attribution (conversion_id) WHERE needs_rate;
GRANT SELECT (conversion_id, received_at, needs_rate) ON conversions.pending_attribution TO query_reader;

-- Reports whose currency had no rate on the day of the sale. They are decided again, those of one conversion in the order
-- in which they came, when a rate is recorded. erasure_id: the erasure of their visitor, which the decision repeats.
CREATE TABLE conversions.awaiting_exchange_rate (
    report_id uuid PRIMARY KEY,
    number bigint GENERATED ALWAYS AS IDENTITY (SEQUENCE NAME conversions.without_rate_number_seq),
    conversion_id uuid NOT NULL,
    report jsonb NOT NULL,
    kept_at timestamptz NOT NULL DEFAULT now(),
    website_id uuid GENERATED ALWAYS AS ((report->>'website_id')::uuid) STORED,
    txid text GENERATED ALWAYS AS (report->>'txid') STORED,
    amount bigint GENERATED ALWAYS AS ((report->'amount'->>'amount')::bigint) STORED,
    currency text GENERATED ALWAYS AS (report->'amount'->>'currency') STORED,
    payout_currency text GENERATED ALWAYS AS (report->'payout'->>'currency') STORED,
    erasure_id uuid,
    event text GENERATED ALWAYS AS (report->>'event') STORED,
    visitor text GENERATED ALWAYS AS (report->>'visitor') STORED,
    customer text GENERATED ALWAYS AS (report->>'customer') STORED,
    click_id text GENERATED ALWAYS AS (report->>'click_id') STORED
);
CREATE INDEX awaiting_exchange_rate_conversion ON conversions.awaiting_exchange_rate (conversion_id);
CREATE INDEX awaiting_exchange_rate_website ON conversions.awaiting_exchange_rate (website_id);
-- The query service searches them by visitor, customer and click, for who erases; it shows none of these.
GRANT SELECT (report_id, number, conversion_id, website_id, txid, kept_at, amount, currency, payout_currency, erasure_id,
    event, visitor, customer, click_id) ON conversions.awaiting_exchange_rate TO query_reader;

-- Reports that were taken by ingest but could not become a decision; the site asks by conversion id. claim: what a refused
-- claim says; it counts once a report with a secret names the same transaction.
CREATE TABLE conversions.rejected_report (
    report_id uuid PRIMARY KEY,
    conversion_id uuid NOT NULL,
    website_id uuid NOT NULL,
    code text NOT NULL,
    message text NOT NULL,
    at timestamptz NOT NULL,
    claim jsonb
);
CREATE INDEX rejected_report_conversion ON conversions.rejected_report (conversion_id);
CREATE INDEX rejected_report_claims ON conversions.rejected_report (website_id) WHERE claim IS NOT NULL;
-- The owner of a website may see what reports that did not count say of a person.
GRANT SELECT (report_id, conversion_id, website_id, code, message, at, claim) ON conversions.rejected_report
    TO query_reader;
ALTER TABLE conversions.rejected_report ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY others ON conversions.rejected_report
    USING (CURRENT_USER <> 'query_reader') WITH CHECK (CURRENT_USER <> 'query_reader');
CREATE POLICY readers ON conversions.rejected_report FOR SELECT TO query_reader
    USING ((SELECT read.reader()) = 'admin' OR website_id = ANY ((SELECT read.reader_websites())::uuid[]));

-- What the days of clicks that earned conversions contained when the visits of these clicks were last searched for.
CREATE TABLE conversions.click_day (
    website_id uuid NOT NULL,
    day date NOT NULL,
    contents text NOT NULL,
    searched_at timestamptz NOT NULL,
    PRIMARY KEY (website_id, day)
);

-- Files with payouts, encrypted with a key derived from the master key. One for each payout.
CREATE TABLE conversions.payout_file (
    payout_id uuid PRIMARY KEY,
    website_id uuid NOT NULL,
    file_id uuid NOT NULL,
    sealed text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX payout_file_website ON conversions.payout_file (website_id);
GRANT SELECT ON conversions.payout_file TO query_reader;
ALTER TABLE conversions.payout_file ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY others ON conversions.payout_file
    USING (CURRENT_USER <> 'query_reader') WITH CHECK (CURRENT_USER <> 'query_reader');
CREATE POLICY readers ON conversions.payout_file FOR SELECT TO query_reader
    USING ((SELECT read.reader()) = 'admin' OR website_id = ANY ((SELECT read.reader_websites())::uuid[]));
