"""Tracked links: destination, routing rules, split and sub ids of a link from a website to a partner."""
