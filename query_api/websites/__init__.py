"""Reads of context `websites`."""
