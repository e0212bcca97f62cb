"""Service `scheduler`: runs recurring jobs."""
