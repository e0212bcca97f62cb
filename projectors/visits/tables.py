"""The tables of built visits as the engine creates tables: with deduplication, synced inserts and clusters."""

from __future__ import annotations

from typing import Final

from infra.domain.visits import tables
from projectors.engine.clickhouse import ClickHouse
from projectors.engine.tables import Table, create_table

_MONTH: Final = "toYYYYMM(day)"


def _table(name: str, columns: tuple[str, ...], order_by: str) -> Table:
    return Table(name, tables.VERSION, columns, partition_by=_MONTH, order_by=order_by, period=_MONTH)


TABLES: Final = (
    _table(tables.VISIT_EVENTS, tables.VISIT_EVENTS_COLUMNS, "(website_id, day, build, occurred_at, visitor)"),
    _table(tables.BREAKDOWN_DAY, tables.BREAKDOWN_COLUMNS, "(website_id, dimension, day, build, value)"),
    _table(tables.VISIT_BUILDS, tables.BUILDS_COLUMNS, "(website_id, day, build)"),
    _table(tables.BREAKDOWN_WEEK, tables.BREAKDOWN_COLUMNS, "(website_id, dimension, day, build, value)"),
    _table(tables.WEEK_BUILDS, tables.BUILDS_COLUMNS, "(website_id, day, build)"),
)


def create(clickhouse: ClickHouse) -> None:
    """Creates what is missing. Raises `engine.clickhouse.Unavailable`."""
    for table in TABLES:
        for statement in create_table(table, tables.VERSION, clickhouse.cluster):
            clickhouse.run(statement)
