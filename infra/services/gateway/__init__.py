"""Service `web`: serves the built web app and forwards `/api/*` to the command and the query service."""
