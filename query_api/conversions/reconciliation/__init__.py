"""Reconciliation: what was tracked, what the network reports, and what was paid, by partner and month."""
