"""Clients of ClickHouse."""
