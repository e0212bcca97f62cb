-- Until when an invite can be used; none: it was used up or withdrawn. Kept in the transaction of the invite's events, so
-- that the number of an account's open invites has a bound (command_api/accounts/open_invites.py).
ALTER TABLE auth.invite_code ADD COLUMN open_until timestamptz;

DO $$
BEGIN
    IF to_regclass('events.stored_events') IS NOT NULL THEN
        UPDATE auth.invite_code AS c
        SET open_until = (convert_from(made.state, 'UTF8')::jsonb ->> 'expires_at')::timestamptz
        FROM events.stored_events AS made
        WHERE made.originator_id = c.invite_id AND made.topic LIKE 'invite.created.v%'
            AND NOT EXISTS (
                SELECT FROM events.stored_events AS r
                WHERE r.originator_id = c.invite_id AND r.topic LIKE 'invite.revoked.v%'
            )
            AND (convert_from(made.state, 'UTF8')::jsonb ->> 'max_uses')::int > (
                SELECT count(*) FROM events.stored_events AS u
                WHERE u.originator_id = c.invite_id AND u.topic LIKE 'invite.used.v%'
            );
    END IF;
END
$$;
