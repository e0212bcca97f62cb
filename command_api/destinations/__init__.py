"""Destinations: ad platforms that get a website's decided conversions, and every delivery to them."""
