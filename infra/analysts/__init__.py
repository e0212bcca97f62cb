"""What analysts may ask of ClickHouse: the gate that both doors use (`/api/platform/sql` and the ClickHouse port)."""
