"""Reads networks' report files: bytes -> `inspect` -> layout -> `read` -> rows. Pure: no database, no HTTP, no event."""
