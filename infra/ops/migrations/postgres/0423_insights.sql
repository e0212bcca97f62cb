-- Schema `insights`.
CREATE SCHEMA insights;

-- The last day of each website that was analyzed. When the next one is analyzed is a timeout.
CREATE TABLE insights.daily_analysis (
    website_id uuid CONSTRAINT insight_look_pkey PRIMARY KEY,
    day date NOT NULL
);

-- Up to when an account was told of insights: what was found later is news.
CREATE TABLE insights.digest (
    account_id uuid CONSTRAINT insight_digest_pkey PRIMARY KEY,
    told_until timestamptz NOT NULL
);
