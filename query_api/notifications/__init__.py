"""Reads of context `notifications`."""
