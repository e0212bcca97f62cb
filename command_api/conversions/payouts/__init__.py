"""Payouts: what partners paid, with the files that prove it."""
