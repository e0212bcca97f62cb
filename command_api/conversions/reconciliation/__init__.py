"""Accepted reconciliations: the owner closes a partner's month though it has differences."""
