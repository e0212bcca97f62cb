"""Detects the origin of a visit: referrers, search engines, social networks, spam."""
