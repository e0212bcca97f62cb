"""The steps of an event's way, in order: identify site, decode, validate, enrich, pseudonymise, stamp, publish."""
