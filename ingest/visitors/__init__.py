"""Who sends an event: the request, what is suspicious of it, and keys that make pseudonyms."""
