"""Reads of context `costs`."""
