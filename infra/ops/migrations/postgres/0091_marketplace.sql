-- What the deciding side of the marketplace looks up: what is due, what an account has open, what the escrow provider is
-- to be told. The decisions themselves are events.

-- Every listing. due_at: when it may expire; verify_at: when its website is to be measured.
CREATE TABLE policy.listing (
    listing_id uuid PRIMARY KEY,
    seller_id uuid NOT NULL,
    due_at timestamptz,
    verify_at timestamptz,
    verify_failures int NOT NULL DEFAULT 0
);
CREATE INDEX listing_seller ON policy.listing (seller_id);
CREATE INDEX listing_due ON policy.listing (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX listing_verify ON policy.listing (verify_at) WHERE verify_at IS NOT NULL;

-- Open offers alone: one of a buyer for a listing.
CREATE TABLE policy.offer (
    offer_id uuid PRIMARY KEY,
    listing_id uuid NOT NULL,
    seller_id uuid NOT NULL,
    buyer_id uuid NOT NULL,
    due_at timestamptz NOT NULL,
    UNIQUE (listing_id, buyer_id)
);
CREATE INDEX offer_seller ON policy.offer (seller_id);
CREATE INDEX offer_buyer ON policy.offer (buyer_id);
CREATE INDEX offer_due ON policy.offer (due_at);

-- Deals that are not over.
CREATE TABLE policy.escrow (
    escrow_id uuid PRIMARY KEY,
    seller_id uuid NOT NULL,
    buyer_id uuid NOT NULL,
    due_at timestamptz
);
CREATE INDEX escrow_seller ON policy.escrow (seller_id);
CREATE INDEX escrow_buyer ON policy.escrow (buyer_id);
CREATE INDEX escrow_due ON policy.escrow (due_at) WHERE due_at IS NOT NULL;

-- Written with the decision that needs it; the row goes once the provider has heard it.
CREATE TABLE ops.escrow_call (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    escrow_id uuid NOT NULL,
    step text NOT NULL CHECK (step IN ('open', 'settle', 'cancel')),
    to_seller bigint NOT NULL DEFAULT 0,
    to_buyer bigint NOT NULL DEFAULT 0,
    state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'failed')),
    attempts int NOT NULL DEFAULT 0,
    error text NOT NULL DEFAULT '',
    next_at timestamptz NOT NULL DEFAULT now(),
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (escrow_id, step)
);
CREATE INDEX escrow_call_due ON ops.escrow_call (next_at) WHERE state = 'waiting';

-- Messages of the provider that were taken: none counts twice.
CREATE TABLE ops.escrow_message (
    id text PRIMARY KEY,
    received_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX escrow_message_received ON ops.escrow_message (received_at);

-- Images by the hash of what they hold, made anew from what was sent. They go when no listing has them.
CREATE TABLE ops.listing_image (
    hash text PRIMARY KEY,
    width int NOT NULL,
    height int NOT NULL,
    body bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE ops.listing_image_use (
    listing_id uuid NOT NULL,
    hash text NOT NULL REFERENCES ops.listing_image (hash),
    PRIMARY KEY (listing_id, hash)
);
CREATE INDEX listing_image_use_hash ON ops.listing_image_use (hash);

-- Members' saved searches. looked_at: everything that went live until then was looked at.
CREATE TABLE policy.saved_search (
    search_id uuid PRIMARY KEY,
    account_id uuid NOT NULL,
    looked_at timestamptz NOT NULL,
    next_at timestamptz NOT NULL
);
CREATE INDEX saved_search_account ON policy.saved_search (account_id);
CREATE INDEX saved_search_due ON policy.saved_search (next_at);
CREATE TABLE policy.saved_search_notice (
    search_id uuid NOT NULL REFERENCES policy.saved_search (search_id) ON DELETE CASCADE,
    listing_id uuid NOT NULL,
    PRIMARY KEY (search_id, listing_id)
);

CREATE TABLE policy.listing_watch (
    account_id uuid NOT NULL,
    listing_id uuid NOT NULL,
    PRIMARY KEY (account_id, listing_id)
);

-- Images are shown to whoever knows the hash of one; calls to the provider to admins.
GRANT SELECT ON ops.listing_image, ops.escrow_call TO query_reader;
ALTER TABLE ops.listing_image ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY others ON ops.listing_image
    USING (CURRENT_USER <> 'query_reader') WITH CHECK (CURRENT_USER <> 'query_reader');
CREATE POLICY readers ON ops.listing_image FOR SELECT TO query_reader USING ((SELECT read.reader()) IS NOT NULL);
ALTER TABLE ops.escrow_call ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY others ON ops.escrow_call
    USING (CURRENT_USER <> 'query_reader') WITH CHECK (CURRENT_USER <> 'query_reader');
CREATE POLICY readers ON ops.escrow_call FOR SELECT TO query_reader USING ((SELECT read.reader()) = 'admin');

-- Whose history somebody may read: of listings that they sell or buy, and of their offers with the escrow. An admin
-- reads that of an offer once it is disputed. In plpgsql, because the views are made later, and anew each generation.
CREATE FUNCTION read.reader_deals() RETURNS uuid[] LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
    reader uuid := read.reader_account();
BEGIN
    IF read.reader() = 'admin' THEN
        RETURN (SELECT coalesce(array_agg(x), '{}') FROM (
            SELECT unnest(ARRAY[id, escrow_id]) AS x FROM read.offers WHERE disputed) AS deals WHERE x IS NOT NULL);
    END IF;
    IF reader IS NULL THEN
        RETURN '{}';
    END IF;
    RETURN (SELECT coalesce(array_agg(x), '{}') FROM (
        SELECT unnest(ARRAY[id, escrow_id]) AS x FROM read.offers WHERE buyer_id = reader OR seller_id = reader
        UNION ALL SELECT id FROM read.listings WHERE buyer_id = reader OR seller_id = reader
    ) AS deals WHERE x IS NOT NULL);
END
$$;
