-- What the process managers of conversions keep besides their timeouts: in a schema of its context.
CREATE SCHEMA conversions;

ALTER TABLE policy.waiting SET SCHEMA conversions;
ALTER TABLE conversions.waiting RENAME TO pending_attribution;
ALTER TABLE conversions.pending_attribution RENAME CONSTRAINT waiting_pkey TO pending_attribution_pkey;
INSERT INTO kernel.timeout (process, id, due_at)
SELECT 'pending-attribution', conversion_id, next_at FROM conversions.pending_attribution;
ALTER TABLE conversions.pending_attribution DROP COLUMN next_at;
CREATE INDEX pending_attribution_needs_rate ON conversions.pending_attribution (conversion_id) WHERE needs_rate;

ALTER TABLE policy.without_rate SET SCHEMA conversions;
ALTER TABLE conversions.without_rate RENAME TO awaiting_exchange_rate;
ALTER TABLE conversions.awaiting_exchange_rate RENAME CONSTRAINT without_rate_pkey TO awaiting_exchange_rate_pkey;
ALTER INDEX conversions.without_rate_conversion RENAME TO awaiting_exchange_rate_conversion;
INSERT INTO kernel.timeout (process, id, due_at)
SELECT 'awaiting-exchange-rate', conversion_id, min(next_at)
FROM conversions.awaiting_exchange_rate GROUP BY conversion_id;
ALTER TABLE conversions.awaiting_exchange_rate DROP COLUMN next_at;

ALTER TABLE policy.refused_report SET SCHEMA conversions;
ALTER TABLE conversions.refused_report RENAME TO rejected_report;
ALTER TABLE conversions.rejected_report RENAME CONSTRAINT refused_report_pkey TO rejected_report_pkey;
ALTER INDEX conversions.refused_report_conversion RENAME TO rejected_report_conversion;
