"""What analysts keep: queries, and access tokens of their ClickHouse clients."""
