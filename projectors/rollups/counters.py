"""The additive counters that the 15-minute rollups share: one definition each, so that no two rollups disagree.

Money is an Int128: amounts are bounded (`schemas.currencies.MAX_AMOUNT`), the number of sales is not, and the sum of an
Int64 wraps. Counts are Int64, which no number of rows exceeds.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

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


def columns(names: Iterable[str]) -> tuple[str, ...]:
    """DDL lines of counters."""
    return tuple(f"{name} SimpleAggregateFunction(sum, {_type(name)}) CODEC(ZSTD(1))" for name in names)


def _type(name: str) -> str:
    return "Int128" if name in MONEY else "Int64"


def selected(names: Iterable[str]) -> str:
    """The counters as a SELECT over raw rows under the alias `events`."""
    return ", ".join(f"{_DEFINITIONS[name]} AS {name}" for name in names)
