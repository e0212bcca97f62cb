"""Annotations: notes on moments of a website's charts."""
