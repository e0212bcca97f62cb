-- Tables of schema `policy` that follow from events are inline projections now: `althing migrate` builds them again from
-- the event store, in schema `lookup`.
DROP TABLE policy.coupon;
DROP TABLE policy.link;
DROP TABLE policy.website;
DROP TABLE policy.tally;
DROP TABLE policy.claim_count;
