"""ClickHouse's HTTP interface in front of the embedded engine (chdb): `python -m infra.clickhouse_front`, see docs/clickhouse.md."""
