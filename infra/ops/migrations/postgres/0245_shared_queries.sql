-- Analysts share queries. The query service reads for them as `analyst:` and their account's id: what is theirs, and what
-- analysts share. Also for admins: queries that are not shared are their author's alone.
CREATE OR REPLACE FUNCTION read.reader_account() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN read.reader() IN ('admin', 'service') THEN NULL
        WHEN starts_with(read.reader(), 'moderator:') THEN substr(read.reader(), 11)::uuid
        WHEN starts_with(read.reader(), 'analyst:') THEN substr(read.reader(), 9)::uuid
        ELSE read.reader()::uuid
    END
$$;

CREATE FUNCTION read.analyzes() RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT coalesce(starts_with(read.reader(), 'analyst:'), false)
$$;
