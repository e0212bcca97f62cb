"""Reads of context `destinations`."""
