"""Reads of context `leads`."""
