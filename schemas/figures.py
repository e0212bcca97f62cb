"""Defines the counters: each counter as the raw table has it, and the sums that are made of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Self


@dataclass(frozen=True, slots=True)
class Counts:
    """The counters; money in minor units of the website's currency."""

    clicks: int = 0
    pageviews: int = 0
    pending: int = 0
    approved: int = 0
    rejected: int = 0
    reversed: int = 0
    c_pending: int = 0
    c_approved: int = 0
    c_reversed: int = 0

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Self:
        """Returns the counts of a row of a query that selected some of the counters; the others are zero."""
        return cls(**{name: int(row[name]) for name in COUNTERS if name in row})

    @property
    def conversions(self) -> int:
        return self.pending + self.approved

    @property
    def revenue(self) -> int:
        """Minor units."""
        return self.c_pending + self.c_approved


COUNTERS: Final[Mapping[str, str]] = {
    "clicks": "countIf(t.type = 'click')",
    "pageviews": "countIf(t.type = 'pageview')",
    "pending": "sum(t.d_pending)",
    "approved": "sum(t.d_approved)",
    "rejected": "sum(t.d_rejected)",
    "reversed": "sum(t.d_reversed)",
    "c_pending": "sum(toInt128(t.c_pending))",
    "c_approved": "sum(toInt128(t.c_approved))",
    "c_reversed": "sum(toInt128(t.c_reversed))",
}
"""Each counter and how the raw table (as `t`) counts it.

Money is added up as Int128, since ClickHouse's sum of an Int64 wraps without a word. The counts stay below 2^63: each
row adds one at most."""

MONEY: Final = frozenset({"c_pending", "c_approved", "c_reversed"})


def addend(name: str, table: str = "t") -> str:
    """The column of a rollup that holds `name`, wide enough to be added up: also where it is an Int64."""
    return f"toInt128({table}.{name})" if name in MONEY else f"{table}.{name}"


def in_rollup(name: str, table: str = "t") -> str:
    """Returns the expression by which a rollup counts `name`."""
    return f"sum({addend(name, table)})"
