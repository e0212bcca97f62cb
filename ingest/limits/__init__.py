"""Limits the requests of one website or address."""
