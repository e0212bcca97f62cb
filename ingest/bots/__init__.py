"""Detects requests of machines: browsers, crawlers, data centres."""
