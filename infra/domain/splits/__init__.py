"""Splits of links: what their variants earned, and which one is better."""
