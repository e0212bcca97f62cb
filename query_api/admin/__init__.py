"""What admins see: partners, totals of the platform, recent activity, projections and dead letters."""
