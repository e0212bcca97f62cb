-- Until when a place of early access, or a place in line, is held for an address that nobody has confirmed yet. None: it is
-- confirmed, or from before that was asked for.
ALTER TABLE ops.contact ADD COLUMN held_until timestamptz;
CREATE INDEX contact_held ON ops.contact (held_until) WHERE held_until IS NOT NULL;
