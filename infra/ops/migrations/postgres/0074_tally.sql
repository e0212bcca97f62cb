-- What each website's month (UTC) with a partner has brought: pending and approved conversions, and the commission on
-- them in the website's currency. Kept in the transaction of the events; the tiers of terms go by it.
CREATE TABLE policy.tally (
    website_id uuid NOT NULL,
    partner_id uuid NOT NULL,
    month text NOT NULL,
    conversions bigint NOT NULL DEFAULT 0,
    revenue bigint NOT NULL DEFAULT 0,
    CONSTRAINT tally_pkey PRIMARY KEY (website_id, partner_id, month)
);

-- What was decided before there was a tally.
DO $$
BEGIN
    IF to_regclass('events.stored_events') IS NOT NULL THEN
        INSERT INTO policy.tally
        SELECT (facts->>'website_id')::uuid,
            (facts->'attribution'->>'partner_id')::uuid,
            to_char((facts->>'occurred_at')::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM'),
            sum((change->>'pending')::bigint + (change->>'approved')::bigint),
            sum((change->>'commission_pending')::bigint + (change->>'commission_approved')::bigint)
        FROM (
            SELECT state->'facts' AS facts, state->'change' AS change
            FROM (SELECT convert_from(state, 'UTF8')::jsonb AS state FROM events.stored_events
                  WHERE topic LIKE 'conversion.%') AS decoded
        ) AS moves
        WHERE change IS NOT NULL AND jsonb_typeof(facts->'attribution') = 'object'
        GROUP BY 1, 2, 3;
    END IF;
END
$$;
