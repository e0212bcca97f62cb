"""Identifies the sender of an event: the request, what is suspicious of it, and keys that make pseudonyms."""
