"""What admins request of projections and dead letters, recorded as events, and exchange rates."""
