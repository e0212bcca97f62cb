"""Ingest: accepts tracking events, redirects clicks and appends both to the log. Works while Postgres is down."""
