"""Reads of context `social`."""
