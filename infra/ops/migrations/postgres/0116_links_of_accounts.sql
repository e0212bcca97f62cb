-- How many links each website has that are not deleted, so that an account's number of links has a bound.
ALTER TABLE policy.website ADD COLUMN links int NOT NULL DEFAULT 0;
DO $$
BEGIN
    IF to_regclass('events.stored_events') IS NOT NULL THEN
        UPDATE policy.website AS w SET links = counted.links FROM (
            SELECT l.website_id, count(*) AS links FROM policy.link AS l
            WHERE NOT EXISTS (
                SELECT FROM events.stored_events AS d
                WHERE d.originator_id = l.link_id AND d.topic = 'link.deleted.v1'
            )
            GROUP BY l.website_id
        ) AS counted
        WHERE counted.website_id = w.website_id;
    END IF;
END
$$;
