"""Chooses the destination of a followed link."""
