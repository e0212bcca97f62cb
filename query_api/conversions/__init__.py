"""Reads of context `conversions`."""
