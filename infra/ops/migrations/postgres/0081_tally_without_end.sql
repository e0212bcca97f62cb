-- A month's revenue may be more than a bigint holds: a thousand sales of 2^53 minor units each. A sum that did not fit
-- would stop every conversion of that month, and those that wait beside them.
ALTER TABLE policy.tally ALTER COLUMN revenue TYPE numeric;
