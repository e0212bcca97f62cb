"""SQL for analysts: the validator behind both entry points (`/api/platform/sql` and the ClickHouse port)."""
