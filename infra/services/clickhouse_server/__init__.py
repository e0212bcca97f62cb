"""ClickHouse's HTTP interface in front of the embedded engine (chdb); see docs/clickhouse.md."""
