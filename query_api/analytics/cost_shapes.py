"""For what traffic a website's costs of a range were: read before a report that shows costs, which then reads no more
than it needs. A website without costs costs one small statement.

A shape is the set of conditions that an entry names: an entry for a campaign matches visits by `utm_campaign` alone.
"""

# ruff: noqa: S608 - names of tables and columns are ours; values are bound

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
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
MAX_VALUES: Final = 1_000
"""Values of a condition by which rows of traffic are left out before costs are compared with them one by one."""
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


@dataclass(frozen=True, slots=True)
class CostShape:
    """The entries that name the same conditions. `mask`: the sum of their `BITS`; `values`: what they name, by
    condition; one is left out if it has more than `MAX_VALUES`."""

    mask: int
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def is_of_clicks(self) -> bool:
        """Returns whether clicks bear it."""
        return bool(self.mask & OF_CLICKS)

    def names(self, condition: str) -> bool:
        """Returns whether it has the condition."""
        return bool(self.mask & BITS[condition])


@dataclass(frozen=True, slots=True)
class Costs:
    """The costs of the ranges of a request. `periods`: the days of each range from the first to the last that has a
    cost. `cut`: an entry has a period that goes beyond the range; `several`: one has a period of several days."""

    shapes: tuple[CostShape, ...] = ()
    periods: tuple[tuple[date, date], ...] = ()
    cut: bool = False
    several: bool = False

    def __bool__(self) -> bool:
        return bool(self.shapes)

    def days_in(self, range_: Range) -> CostDays | None:
        """Returns the local days of a range that may have costs, whole; none if no day has."""
        days = CostDays.of(range_)
        within = [each for each in self.periods if each[0] <= days.last and each[1] >= days.first]
        if not within:
            return None
        first, last = min(first for first, _ in within), max(last for _, last in within)
        return replace(days, first=max(days.first, first), last=min(days.last, last))

    def spread(self, by: Sequence[str]) -> tuple[CostSpread, ...]:
        """Returns how they were spread for a report."""
        needed = {_BY_DIMENSION.get(name) for name in by}
        is_finer = any(name is None or not shape.names(name) for shape in self.shapes for name in needed)
        return (
            *((CostSpread.DAYS,) if self.cut or (WEEKDAY_HOUR in by and self.several) else ()),
            *((CostSpread.TRAFFIC,) if is_finer else ()),
        )


NO_COSTS: Final = Costs()


def query(website_id: str, range_: Range) -> Query:
    """The statement whose rows `parse` takes: one for each shape."""
    days = CostDays.of(range_)
    standing = (
        f"SELECT {MASK} AS mask, first, last, {', '.join(f'toString({name}) AS named_{name}' for name in CONDITIONS)}"
        f" FROM {CHANGES} WHERE {WITHIN}"
        f" GROUP BY cost_id, first, last, {', '.join(CONDITIONS)} HAVING sum(amount) <> 0"
    )
    values = ", ".join(f"groupUniqArray({MAX_VALUES + 1})(named_{name}) AS {name}_values" for name in CONDITIONS)
    sql = (
        "SELECT mask, max(first < {cost_first:Date} OR last > {cost_last:Date}) AS cut, max(first <> last) AS several,"
        f" min(first) AS first_day, max(last) AS last_day, {values} FROM ({standing}) GROUP BY mask ORDER BY mask"
    )
    return Query(sql, {"website": website_id, "cost_first": str(days.first), "cost_last": str(days.last)})


def parse(own: Sequence[Row], *compared: Sequence[Row]) -> Costs:
    """The costs of the rows of `query`: for the range, and for the one that it is compared with."""
    found = [rows for rows in (own, *compared) if rows]
    by_mask: defaultdict[int, list[Row]] = defaultdict(list)
    for rows in found:
        for row in rows:
            by_mask[int(row["mask"])].append(row)
    return Costs(
        shapes=tuple(CostShape(mask, _values(mask, rows)) for mask, rows in sorted(by_mask.items())),
        periods=tuple((min(row["first_day"] for row in rows), max(row["last_day"] for row in rows)) for rows in found),
        cut=any(row["cut"] for row in own),
        several=any(row["several"] for row in own),
    )


def _values(mask: int, rows: Sequence[Row]) -> Mapping[str, tuple[str, ...]]:
    lists = {name: [row[f"{name}_values"] for row in rows] for name, bit in BITS.items() if mask & bit}
    return {
        name: tuple(sorted({value for values in each for value in values}))
        for name, each in lists.items()
        if all(len(values) <= MAX_VALUES for values in each)
    }
