-- Reports that are not decided when their visitor is erased: the erasure is noted with them, and repeated by the decision.
-- The query service searches them by visitor, customer and click, for who erases; it shows none of these.
ALTER TABLE conversions.awaiting_exchange_rate
    ADD COLUMN erasure_id uuid,
    ADD COLUMN event text GENERATED ALWAYS AS (report->>'event') STORED,
    ADD COLUMN visitor text GENERATED ALWAYS AS (report->>'visitor') STORED,
    ADD COLUMN customer text GENERATED ALWAYS AS (report->>'customer') STORED,
    ADD COLUMN click_id text GENERATED ALWAYS AS (report->>'click_id') STORED;
GRANT SELECT (erasure_id, event, visitor, customer, click_id) ON conversions.awaiting_exchange_rate TO query_reader;
CREATE INDEX rejected_report_claims ON conversions.rejected_report (website_id) WHERE claim IS NOT NULL;

-- Dead letters by the website whose record they have, for its owner. What cannot be read as a record has none.
ALTER TABLE engine.dead_letter
    ADD COLUMN erasure_id uuid,
    ADD COLUMN website_id uuid GENERATED ALWAYS AS (
        (substring(encode(value, 'escape')
            from '"website_id": ?"([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})"'))::uuid) STORED;
CREATE INDEX dead_letter_website ON engine.dead_letter (website_id) WHERE state = 'open';
CREATE POLICY owners ON engine.dead_letter FOR SELECT TO query_reader
    USING (website_id = ANY ((SELECT read.reader_websites())::uuid[]));

-- What is decided is not read again.
UPDATE engine.dead_letter SET value = '', headers = '[]' WHERE state IN ('retried', 'skipped');
