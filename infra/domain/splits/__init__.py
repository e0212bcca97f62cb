"""Splits of links: what their variants earned, which one is better, and how the traffic follows it."""
