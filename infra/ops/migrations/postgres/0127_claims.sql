-- Claims (transactions that only the public site key reported) of each website, click and hour; an empty click id counts
-- all of the website's. Counted in the transaction that records the claim.
CREATE TABLE policy.claim_count (
    website_id uuid NOT NULL,
    click_id text NOT NULL,
    hour timestamptz NOT NULL,
    claims bigint NOT NULL,
    CONSTRAINT claim_count_pkey PRIMARY KEY (website_id, click_id, hour)
);
CREATE INDEX claim_count_hour ON policy.claim_count (hour);

-- A conversion's own history names its traces now; rows from before keep their report.
ALTER TABLE policy.waiting ALTER COLUMN report DROP NOT NULL;

-- What the edge knows of a transaction: how far the report of its amount is believed, and digests of the reports that are
-- safe in the log, so that a report that says something new is published and a plain repeat is not.
ALTER TABLE ingest.conversion_key ADD COLUMN amount_rank smallint NOT NULL DEFAULT 3;
ALTER TABLE ingest.conversion_key ADD COLUMN published bytea[] NOT NULL DEFAULT '{}';
