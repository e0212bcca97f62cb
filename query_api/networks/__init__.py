"""Reads of context `networks`."""
