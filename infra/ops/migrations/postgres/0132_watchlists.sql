-- Watched listings are an inline projection now: `althing migrate` builds it again from the event store, in schema
-- `lookup`.
DROP TABLE policy.listing_watch;
