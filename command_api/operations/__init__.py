"""Admins' requests for projections and dead letters, recorded as events, and exchange rates."""
