"""How the analytics calls read ClickHouse: which table answers, which rows, cut into which buckets. Pure text.

A call states which counters and columns it needs, and gets a `Plan`: the cheapest table that has these and what the
filters read. That is a rollup for few filters, rows with their visits for a filter by page, source or another property
of a visit, and else the raw table `events`. All give the same numbers, since one definition (`metrics`) makes them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from query_api.analytics import metrics
from query_api.analytics.filters import AnyFilter, Filter, condition
from query_api.analytics.kept_events import KeptEvents
from query_api.analytics.metrics import COUNTERS, Source
from query_api.analytics.ranges import Range
from query_api.analytics.visit_rows import VisitRows
from query_api.kernel.clickhouse_reader import Query
from schemas.http.analytics import Bots
from schemas.tracking import NO_ID

Parameters = Mapping[str, Any]

NO_PARTNER: Final = f"toUUID('{NO_ID}')"


@dataclass(frozen=True, slots=True)
class Selection:
    """The website, filters and bot mode of a query."""

    website_id: str
    filters: tuple[AnyFilter, ...] = ()
    bots: Bots = Bots.EXCLUDE
    visits: VisitRows | None = None
    """Set if a filter is about visits (`filters.needs_visits`), and for reports."""
    kept: KeptEvents = KeptEvents()
    """Which single events are there."""

    @property
    def columns(self) -> set[str]:
        """The columns that its filters read."""
        return {column for one in self.filters for column in one.columns}

    @property
    def of_conversions(self) -> Selection:
        """The same for a call that reads rows of conversions alone: these never expire. Rows with their visits are
        those of traffic, too."""
        has_visits = any(each.needs_visits for each in self.filters)
        return self if has_visits else replace(self, kept=KeptEvents())


@dataclass(frozen=True, slots=True)
class Plan:
    """The table that answers a call, chosen by `plan` for the columns that the call has stated (`needs`)."""

    source: Source
    selection: Selection
    needs: frozenset[str]

    def rows(self, start: datetime, end: datetime) -> Query:
        """`FROM ... WHERE ...` for the rows of the selection from `start` until before `end`; the table is `t`.

        Raises `Problem` 422 where the table lacks single events of that time that the call may need.
        """
        if self.source is Source.VISITS:
            return self._visits(start, end)
        if self.source is Source.RAW and not self.needs <= _OF_CONVERSIONS:
            self.selection.kept.require(start)
        source, chosen = self.source, condition(self.selection.filters, self.selection.bots)
        sql = (
            f"FROM {source.table} AS t WHERE t.website_id = {{website:UUID}}"
            f" AND t.{source.time} >= {source.instant('start')} AND t.{source.time} < {source.instant('end')}"
            f" AND {chosen.sql}"
        )
        bounds = {"start": seconds(start), "end": seconds(end)}
        return Query(sql, {"website": self.selection.website_id, **bounds, **chosen.parameters})

    def counters(self, names: Collection[str]) -> str:
        """The select list that counts `names`."""
        return metrics.counters(self.source, self._stated(names))

    def uniques(self) -> str:
        """The select list of both kinds of unique visitors."""
        self._stated(UNIQUES)
        return metrics.uniques(self.source)

    def _visits(self, start: datetime, end: datetime) -> Query:
        visits = self.selection.visits
        assert visits is not None  # noqa: S101 - `request_for` plans them
        chosen = condition(self.selection.filters, self.selection.bots)
        columns = self.selection.columns.union(*(columns_of(name) for name in self.needs), {"is_bot", "occurred_at"})
        sql = f"FROM ({visits.everything(start, end, columns)}) AS t WHERE {chosen.sql}"
        return Query(sql, {**visits.bounds(start, end), **chosen.parameters})

    def _stated(self, names: Collection[str]) -> tuple[str, ...]:
        """Raises `ValueError` for a column that the plan was not made for."""
        if missing := set(names) - self.needs:
            raise ValueError(f"the plan was not made for {sorted(missing)}")
        return tuple(names)


def plan(selection: Selection, needs: Collection[str], *, of_partners: bool = False) -> Plan:
    """The first of the tables, cheapest first, that has all that the call needs and its filters read.

    `needs`: counters, `UNIQUES`, and columns of `events` that the statement names. `of_partners`: the call leaves out
    what has no partner."""
    wanted = frozenset(needs)
    if any(each.needs_visits for each in selection.filters):
        return Plan(Source.VISITS, selection, wanted)
    read = wanted | selection.columns
    found = (
        source
        for source, has in ROLLUPS.items()
        if read <= has and (source is not Source.PARTNER or of_partners or _names_partners(selection))
    )
    return Plan(next(found, Source.RAW), selection, wanted)


def _names_partners(selection: Selection) -> bool:
    """Whether the filters leave nothing that has no partner: the rollup of partners has no rows of that."""
    return any(
        isinstance(each, Filter) and each.name == "partner" and each.wanted and str(NO_ID) not in each.wanted
        for each in selection.filters
    )


_OF_CONVERSIONS: Final = frozenset(metrics.CONVERSION_COUNTERS)
"""Rows of conversions never expire."""
UNIQUES: Final = ("unique_clickers", "unique_visitors")
_SUMS: Final = frozenset(COUNTERS)
ROLLUPS: Final[Mapping[Source, frozenset[str]]] = {
    Source.TRAFFIC: _SUMS,
    Source.PARTNER: _SUMS - {"pageviews"} | {"partner_id"},
    Source.COUNTRY: _SUMS | {"country"},
    Source.VISITORS: frozenset(UNIQUES),
}
"""What each rollup can give, cheapest first; all have `is_bot`. The tables of rows give everything."""


def columns_of(name: str) -> Collection[str]:
    """The columns of rows that a counter, one of `UNIQUES` or a column is made from."""
    if name in UNIQUES:
        return ("type", "visitor")
    if name in ("clicks", "pageviews"):
        return ("type",)
    return (f"d_{name}",) if name in _STATES else (name,)


_STATES: Final = frozenset({"pending", "approved", "rejected", "reversed"})


def edge(source: Source) -> str:
    """The expression that puts a row into its bucket: the Unix time of the bucket's begin. Needs `edges_of`."""
    return f"roundDown(toUnixTimestamp(t.{source.time}), {{edges:Array(UInt32)}})"


def edges_of(range_: Range) -> Parameters:
    """What `edge` is bound to."""
    return {"edges": [seconds(moment) for moment in range_.edges[:-1]]}


def counts_by_edge(range_: Range, found: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """One row per bucket of the range, in order; empty ones where `found` (with column `edge`) has none.

    Where a zone skipped a whole day two buckets begin together; the later one, which is not empty, gets the rows.
    """
    by_edge = {int(row["edge"]): row for row in found}
    laid = [by_edge.pop(seconds(moment), {}) for moment in reversed(range_.edges[:-1])]
    return laid[::-1]


def seconds(moment: datetime) -> int:
    return int(moment.timestamp())
