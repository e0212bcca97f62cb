"""For what traffic a website's costs of a range were: read before a report that shows costs, which then reads no more
than it needs. A website without costs costs one small statement.

A shape is the set of conditions that an entry names: an entry for a campaign matches visits by `utm_campaign` alone.
"""

# ruff: noqa: S608 - names of tables and columns are ours; values are bound

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import Final

from infra.domain.visits.dimensions import WEEKDAY_HOUR
from query_api.analytics.ranges import Range
from query_api.kernel.clickhouse_reader import Query, Row, live_table
from schemas.days import day_end, day_start, local_day
from schemas.tracking import NO_ID_TEXT
from schemas.zones import ZoneInfo

CONDITIONS: Final = {
    "source": "source",
    "campaign": "utm_campaign",
    "term": "utm_term",
    "content": "utm_content",
    "link_id": "link_id",
    "placement": "placement",
}
"""What an entry may name, and the column of rows that it is compared with."""
BITS: Final = {name: 1 << number for number, name in enumerate(CONDITIONS)}
OF_CLICKS: Final = BITS["link_id"] | BITS["placement"]
"""An entry with one of these conditions is borne by clicks, another one by visits."""
_NO_TEXT: Final = "''"
_UNSET: Final = {"link_id": f"toUUID('{NO_ID_TEXT}')"}
CHANGES: Final = live_table("cost_changes")
MASK: Final = " + ".join(f"({name} <> {_UNSET.get(name, _NO_TEXT)}) * {bit}" for name, bit in BITS.items())
"""The shape of a row of `cost_changes`."""
WITHIN: Final = "website_id = {website:UUID} AND last >= {cost_first:Date} AND first <= {cost_last:Date}"
"""The condition on rows of `cost_changes` of the website with a day in the range."""
_BY_DIMENSION: Final = {"source": "source", "link": "link_id", "placement": "placement"} | {
    f"utm_{name}": name for name in ("campaign", "term", "content")
}


class CostSpread(StrEnum):
    """How costs came to be parts of what is shown. `days`: a longer period's cost, in equal parts for its days;
    `traffic`: a day's cost, in equal parts for the visits or clicks that it was for."""

    DAYS = "days"
    TRAFFIC = "traffic"


@dataclass(frozen=True, slots=True)
class Costs:
    """The costs of the ranges of a request. `masks`: of their shapes, as sums of `BITS`. `cut`: one has a period that
    goes beyond the range; `several`: one has a period of several days."""

    masks: tuple[int, ...] = ()
    cut: bool = False
    several: bool = False

    def __bool__(self) -> bool:
        return bool(self.masks)

    def spread(self, by: Sequence[str]) -> tuple[CostSpread, ...]:
        """Returns how they were spread for a report."""
        needed = {_BY_DIMENSION.get(name) for name in by}
        is_finer = any(name is None or not mask & BITS[name] for mask in self.masks for name in needed)
        return (
            *((CostSpread.DAYS,) if self.cut or (WEEKDAY_HOUR in by and self.several) else ()),
            *((CostSpread.TRAFFIC,) if is_finer and self.masks else ()),
        )


NO_COSTS: Final = Costs()


@dataclass(frozen=True, slots=True)
class CostDays:
    """The local days that a range touches, whole."""

    timezone: ZoneInfo
    first: date
    last: date

    @classmethod
    def of(cls, range_: Range) -> CostDays:
        first = local_day(range_.timezone, range_.start)
        last = local_day(range_.timezone, max(range_.start, range_.end - timedelta(microseconds=1)))
        return cls(range_.timezone, first, last)

    @property
    def start(self) -> datetime:
        """The first instant, UTC."""
        return day_start(self.timezone, self.first)

    @property
    def end(self) -> datetime:
        """The first instant after them, UTC."""
        return day_end(self.timezone, self.last)

    @property
    def starts(self) -> list[int]:
        """The first instant of each day (Unix time)."""
        days = range((self.last - self.first).days + 1)
        return [int(day_start(self.timezone, self.first + timedelta(days=number)).timestamp()) for number in days]


def query(website_id: str, range_: Range) -> Query:
    """The statement whose rows `parse` takes: one for each shape."""
    days = CostDays.of(range_)
    standing = (
        f"SELECT {MASK} AS mask, first, last FROM {CHANGES} WHERE {WITHIN}"
        f" GROUP BY cost_id, first, last, {', '.join(CONDITIONS)} HAVING sum(amount) <> 0"
    )
    sql = (
        "SELECT mask, max(first < {cost_first:Date} OR last > {cost_last:Date}) AS cut, max(first <> last) AS several"
        f" FROM ({standing}) GROUP BY mask ORDER BY mask"
    )
    return Query(sql, {"website": website_id, "cost_first": str(days.first), "cost_last": str(days.last)})


def parse(own: Sequence[Row], compared: Iterable[Row] = ()) -> Costs:
    """The costs of the rows of `query`, for the range and for the one that it is compared with."""
    masks = sorted({int(row["mask"]) for row in (*own, *compared)})
    return Costs(tuple(masks), any(row["cut"] for row in own), any(row["several"] for row in own))
