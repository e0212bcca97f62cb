-- What follows from events is inline projections now (`command_api.marketplace.lookups`), due times are in
-- kernel.timeout: those of listings, offers and escrows are set again when the process managers start.
CREATE SCHEMA marketplace;
ALTER TABLE policy.saved_search SET SCHEMA marketplace;
ALTER TABLE policy.saved_search_notice SET SCHEMA marketplace;
INSERT INTO kernel.timeout (process, id, due_at)
SELECT 'marketplace:search-digest', search_id, next_at FROM marketplace.saved_search;
ALTER TABLE marketplace.saved_search DROP COLUMN next_at;

-- The host of each listing: personal, so that it goes with the seller, and no inline projection has it.
CREATE TABLE marketplace.listing_host (listing_id uuid PRIMARY KEY, host text NOT NULL);
CREATE INDEX listing_host_host ON marketplace.listing_host (host);
INSERT INTO marketplace.listing_host (listing_id, host) SELECT listing_id, host FROM policy.listing WHERE host IS NOT NULL;
INSERT INTO kernel.timeout (process, id, due_at)
SELECT 'marketplace:verification', listing_id, verify_at FROM policy.listing WHERE verify_at IS NOT NULL;

DROP TABLE policy.listing;
DROP TABLE policy.offer;
DROP TABLE policy.escrow;
