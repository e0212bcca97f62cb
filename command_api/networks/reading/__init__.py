"""Reads report files of networks: bytes -> `inspect` -> layout -> `read` -> rows. Pure: no database, no HTTP."""
