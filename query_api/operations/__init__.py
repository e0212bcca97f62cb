"""Reads of context `operations`."""
