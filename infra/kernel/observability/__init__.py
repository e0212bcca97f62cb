"""Logs, progress and the state of the local stack."""
