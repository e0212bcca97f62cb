"""Connections and pools of Postgres."""
