-- Bots' clicks that the search for the click of a conversion passed over: [[partition, offset], ...] of topic clicks.
ALTER TABLE conversions.pending_attribution ADD COLUMN passed_over jsonb;
