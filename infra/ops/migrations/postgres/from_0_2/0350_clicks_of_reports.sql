-- What tells sales apart whose transaction id is unique within a click only, and reports that name another click: the
-- click that the most trusted report named, and the id that the sale would have without its click.
ALTER TABLE ingest.conversion_key
    ADD COLUMN click_id text,
    ADD COLUMN click_rank smallint NOT NULL DEFAULT 0,
    ADD COLUMN shared_id uuid;
CREATE INDEX conversion_key_shared ON ingest.conversion_key (shared_id) WHERE shared_id IS NOT NULL;
