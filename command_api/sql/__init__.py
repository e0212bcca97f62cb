"""Stored data of analysts: queries, and access tokens of their ClickHouse clients."""
