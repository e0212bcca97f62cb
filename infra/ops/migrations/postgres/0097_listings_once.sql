-- Which website a listing is about and where it stands, so that one is for sale once at a time, and not by who sold it.
-- Listings from before have no host until their next step. sold_at, buyer_id: of what was sold.
ALTER TABLE policy.listing
    ADD COLUMN status text NOT NULL DEFAULT 'draft',
    ADD COLUMN host text,
    ADD COLUMN buyer_id uuid,
    ADD COLUMN sold_at timestamptz;
CREATE INDEX listing_sold ON policy.listing (host, sold_at) WHERE sold_at IS NOT NULL;
