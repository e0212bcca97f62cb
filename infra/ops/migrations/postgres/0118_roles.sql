-- Who has a role besides `member` and may sign in, as the write side knows it: kept in the transaction of the events that
-- change it (command_api/accounts/administration.py). Nobody gets a role from a read model, which anybody's record in the
-- log could have changed, and a role that is taken away is gone at once.
CREATE TABLE auth.role_holder (
    account_id uuid PRIMARY KEY,
    roles text[] NOT NULL
);
GRANT SELECT ON auth.role_holder TO query_reader;

DO $$
BEGIN
    IF to_regclass('events.stored_events') IS NOT NULL THEN
        INSERT INTO auth.role_holder
        SELECT last_roles.account_id, ARRAY(SELECT jsonb_array_elements_text(last_roles.roles))
        FROM (
            SELECT DISTINCT ON (originator_id) originator_id AS account_id,
                convert_from(state, 'UTF8')::jsonb -> 'roles' AS roles
            FROM events.stored_events
            WHERE topic LIKE 'account.registered.v%' OR topic LIKE 'account.roles_changed.v%'
            ORDER BY originator_id, originator_version DESC
        ) AS last_roles
        WHERE last_roles.roles ?| ARRAY['admin', 'analyst', 'moderator']
            AND coalesce((
                SELECT topic LIKE 'account.enabled.v%' FROM events.stored_events AS s
                WHERE s.originator_id = last_roles.account_id AND (topic LIKE 'account.disabled.v%'
                    OR topic LIKE 'account.enabled.v%' OR topic LIKE 'account.erased.v%')
                ORDER BY originator_version DESC LIMIT 1
            ), true);
    END IF;
END
$$;
