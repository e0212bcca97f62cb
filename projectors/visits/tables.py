"""The tables of built visits as the engine creates tables: with deduplication, synced inserts and clusters."""

from __future__ import annotations

from typing import Final

from infra.domain.visits import tables
from projectors.engine.clickhouse import ClickHouse
from projectors.engine.tables import ClickHouseTable, create_table

_MONTH: Final = "toYYYYMM(day)"


_BREAKDOWN_ORDER: Final = "(website_id, dimension, days, day, build, -events, value)"
"""The values with most events come first: reports show them, and read the marks of the index that hold them."""
_BREAKDOWN_GRANULARITY: Final = 256
"""Visitor states are wide, and most dimensions have few values."""


def _table(name: str, columns: tuple[str, ...], order_by: str, granularity: int = 8192) -> ClickHouseTable:
    return ClickHouseTable(
        name,
        tables.VERSION,
        columns,
        partition_by=_MONTH,
        order_by=order_by,
        period=_MONTH,
        granularity=granularity,
    )


TABLES: Final = (
    _table(tables.VISIT_EVENTS, tables.VISIT_EVENTS_COLUMNS, "(website_id, day, build, occurred_at, visitor)"),
    _table(tables.BREAKDOWN, tables.BREAKDOWN_COLUMNS, _BREAKDOWN_ORDER, _BREAKDOWN_GRANULARITY),
    _table(tables.VISIT_BUILDS, tables.BUILDS_COLUMNS, "(website_id, days, day, build)"),
)


def create(clickhouse: ClickHouse) -> None:
    """Creates the missing tables. Raises `engine.clickhouse.Unavailable`."""
    for table in TABLES:
        for statement in create_table(table, tables.VERSION, clickhouse.cluster):
            clickhouse.run(statement)
