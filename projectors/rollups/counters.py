"""Defines the common parts of the 15-minute rollups: their shape, and one definition of each counter, so that no two
rollups disagree.

Money is an Int128: amounts are bounded (`schemas.currencies.MAX_AMOUNT`), the number of sales is not, and the sum of an
Int64 wraps. Counts are Int64, which no number of rows exceeds.
"""

from __future__ import annotations

from typing import Final

from projectors.engine.tables import Rollup
from schemas.figures import MONEY

_DEFINITIONS: Final = {
    "clicks": "toInt64(countIf(type = 'click'))",
    "pageviews": "toInt64(countIf(type = 'pageview'))",
    "customs": "toInt64(countIf(type NOT IN ('click', 'pageview', 'conversion')))",
    "pending": "sum(toInt64(d_pending))",
    "approved": "sum(toInt64(d_approved))",
    "rejected": "sum(toInt64(d_rejected))",
    "reversed": "sum(toInt64(d_reversed))",
    "c_pending": "sum(toInt128(events.c_pending))",
    "c_approved": "sum(toInt128(events.c_approved))",
    "c_reversed": "sum(toInt128(events.c_reversed))",
}

CONVERSIONS: Final = ("pending", "approved", "rejected", "reversed", "c_pending", "c_approved", "c_reversed")
ALL: Final = tuple(_DEFINITIONS)
BUCKET: Final = "toStartOfFifteenMinutes(occurred_at) AS bucket"
CELL: Final = ("website_id UUID", "bucket DateTime('UTC')", "is_bot Bool")
"""The columns that every cell is named by."""
GRANULARITY: Final = 1024
"""Five days of a busy website: of the current month a report reads a mark of each of some ten parts."""


def rollup(name: str, version: int, counters: tuple[str, ...], by: str = "", where: str = "{where}") -> Rollup:
    """A rollup of `counters` by website, quarter of an hour, bots or people, and the column `by` (its DDL)."""
    columns = (*CELL, by) if by else CELL
    keys = tuple(line.split(maxsplit=1)[0] for line in columns)
    selected = ", ".join(f"{_DEFINITIONS[counter]} AS {counter}" for counter in counters)
    return Rollup(
        name=name,
        version=version,
        columns=(*columns, *(f"{counter} {_type(counter)} CODEC(ZSTD(1))" for counter in counters)),
        partition_by="toYYYYMM(bucket)",
        order_by=f"({', '.join(keys)})",
        period="toYYYYMM(bucket)",
        granularity=GRANULARITY,
        select=(
            f"SELECT website_id, {BUCKET}, {', '.join(keys[2:])}, {selected}\n"
            f"FROM {{source}} AS events WHERE {where} GROUP BY {', '.join(keys)}"
        ),
        keys=keys,
        sums=counters,
    )


def _type(counter: str) -> str:
    return f"SimpleAggregateFunction(sum, {'Int128' if counter in MONEY else 'Int64'})"
