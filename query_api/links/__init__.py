"""Reads of context `links`."""
