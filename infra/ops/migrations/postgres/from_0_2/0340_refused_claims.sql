-- What a refused claim says counts once a report with a secret names the same transaction.
ALTER TABLE conversions.rejected_report ADD COLUMN claim jsonb;
