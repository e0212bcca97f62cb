"""Annotations: notes on moments of a website's charts. Saved views: what the analytics page shows, by name."""
