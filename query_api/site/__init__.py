"""Reads for public pages."""
