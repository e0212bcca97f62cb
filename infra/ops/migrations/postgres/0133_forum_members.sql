-- Since when members take part and how many of their posts were shown follows from events: `althing migrate` builds it
-- again as the inline projection `forum_members` (`lookup.forum_member`). Here the handles stay: they are erased with
-- their account, and their hashes need the installation's key.
ALTER TABLE ops.forum_member DROP COLUMN joined_at, DROP COLUMN shown;
