"""Reads of context `partners`."""
