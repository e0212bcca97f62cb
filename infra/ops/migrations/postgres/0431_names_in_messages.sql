-- What a notification names besides its actor and thread; shown as its reader may see it.
ALTER TABLE notifications.notification ADD COLUMN listing_id uuid, ADD COLUMN website_id uuid;

-- title_sealed: the subject with names in it, as it is sent. thread: the deal, say, that several emails are about.
ALTER TABLE kernel.mail ADD COLUMN title_sealed text, ADD COLUMN thread uuid;

-- Whether anybody has an account, for the sign-in page; whose the first is, the query service need not know.
CREATE FUNCTION accounts.is_set_up() RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $$ SELECT EXISTS (SELECT FROM accounts.first_account) $$;
REVOKE ALL ON FUNCTION accounts.is_set_up FROM PUBLIC;
GRANT EXECUTE ON FUNCTION accounts.is_set_up TO query_reader;
