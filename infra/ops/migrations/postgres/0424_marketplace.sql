-- Schema `marketplace`: what it keeps beside its events.
CREATE SCHEMA marketplace;

-- The host of each listing: personal, so that it goes with the seller, and no inline projection has it.
CREATE TABLE marketplace.listing_host (
    listing_id uuid PRIMARY KEY,
    host text NOT NULL
);
CREATE INDEX listing_host_host ON marketplace.listing_host (host);

-- Images by the hash of what they hold, made anew from what was sent. They go when no listing has them.
CREATE TABLE ops.listing_image (
    hash text PRIMARY KEY,
    width int NOT NULL,
    height int NOT NULL,
    body bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);
-- They are shown to whoever knows the hash of one.
GRANT SELECT ON ops.listing_image TO query_reader;
ALTER TABLE ops.listing_image ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY others ON ops.listing_image
    USING (CURRENT_USER <> 'query_reader') WITH CHECK (CURRENT_USER <> 'query_reader');
CREATE POLICY readers ON ops.listing_image FOR SELECT TO query_reader
    USING ((SELECT read.reader()) IS NOT NULL);
CREATE TABLE ops.listing_image_use (
    listing_id uuid NOT NULL,
    hash text NOT NULL REFERENCES ops.listing_image (hash),
    PRIMARY KEY (listing_id, hash)
);
CREATE INDEX listing_image_use_hash ON ops.listing_image_use (hash);

-- What the escrow provider is to be told: written with the decision that needs it; the row goes once the provider has heard
-- it. What it says of the money and does not fit is a call of the step `look` that failed, for an admin to see.
CREATE TABLE ops.escrow_call (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    escrow_id uuid NOT NULL,
    step text NOT NULL CHECK (step IN ('open', 'settle', 'cancel', 'look')),
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
GRANT SELECT ON ops.escrow_call TO query_reader;
ALTER TABLE ops.escrow_call ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY others ON ops.escrow_call
    USING (CURRENT_USER <> 'query_reader') WITH CHECK (CURRENT_USER <> 'query_reader');
CREATE POLICY readers ON ops.escrow_call FOR SELECT TO query_reader
    USING ((SELECT read.reader()) = 'admin');

-- Messages of the provider that were taken: none counts twice.
CREATE TABLE ops.escrow_message (
    id text PRIMARY KEY,
    received_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX escrow_message_received ON ops.escrow_message (received_at);

-- Members' saved searches. looked_at: everything that went live until then was looked at.
CREATE TABLE marketplace.saved_search (
    search_id uuid PRIMARY KEY,
    account_id uuid NOT NULL,
    looked_at timestamptz NOT NULL
);
CREATE INDEX saved_search_account ON marketplace.saved_search (account_id);
CREATE TABLE marketplace.saved_search_notice (
    search_id uuid NOT NULL REFERENCES marketplace.saved_search (search_id) ON DELETE CASCADE,
    listing_id uuid NOT NULL,
    PRIMARY KEY (search_id, listing_id)
);
