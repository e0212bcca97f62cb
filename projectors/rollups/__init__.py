"""ClickHouse projections: the raw rows of events, refusals and duplicates, and the rollups fed from them."""
