"""Reads of context `domains`."""
