"""Writes instants in ClickHouse SQL: always in the type of the column that it is compared with.

The engine prunes parts and granules wrongly when a `DateTime64` column is compared with a `DateTime` by `<` or `>`: it
takes the bound for a whole number of seconds and makes `at < 12:00:00` into `at <= 11:59:59`, so a part with only
11:59:59.5 is left out (tests/contract/clickhouse/test_pruning.py shows it). Pure.
"""

from __future__ import annotations

from datetime import UTC, datetime


def bound(name: str) -> str:
    """The instant whose Unix seconds are bound to `name`, for a column of type `DateTime64`."""
    return f"toDateTime64({{{name}:UInt32}}, 3, 'UTC')"


def bound_milliseconds(name: str) -> str:
    """The instant whose Unix milliseconds are bound to `name`, for a column of type `DateTime64`."""
    return f"fromUnixTimestamp64Milli({{{name}:Int64}}, 'UTC')"


def bound_second(name: str) -> str:
    """The same for a column of type `DateTime`, such as the rollups' `bucket`."""
    return f"toDateTime({{{name}:UInt32}}, 'UTC')"


def literal(moment: datetime) -> str:
    """An instant in the text of a statement, to the second, for a column of type `DateTime64`."""
    return f"toDateTime64('{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S}', 3, 'UTC')"
