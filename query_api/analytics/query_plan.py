"""How the analytics calls read ClickHouse: which table answers, which rows, cut into which buckets. Pure text.

A request without filters is answered by the rollup of each call; a filter by partner alone or by country alone by the
rollup that has the column, if that rollup has the requested metrics; a filter by page, source or another property of a
visit by rows with their visits; every other filter by the raw table `events`. All give the same numbers, since one
definition (`metrics`) makes them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from query_api.analytics.filters import AnyFilter, Bots, DimensionFilter, condition
from query_api.analytics.metrics import Source
from query_api.analytics.ranges import Range
from query_api.analytics.visit_rows import COUNTED, VisitRows
from query_api.kernel.clickhouse_reader import Query
from schemas.tracking import NO_ID

Parameters = Mapping[str, Any]

NO_PARTNER: Final = f"toUUID('{NO_ID}')"

USUAL_COLUMNS: Final = (*COUNTED, "bot_reason", "partner_id", "country")
"""The columns that the calls read of rows with their visits, beside those of filters."""

NOT_IN_PARTNER_ROLLUP: Final = frozenset({"pageviews"})


@dataclass(frozen=True, slots=True)
class Selection:
    """The website, filters and bot mode of a query."""

    website_id: str
    filters: tuple[AnyFilter, ...] = ()
    bots: Bots = Bots.EXCLUDE
    visits: VisitRows | None = None
    """Set if a filter is about visits (`filters.needs_visits`), and for reports."""

    @property
    def columns(self) -> set[str]:
        """The columns that its filters read."""
        return {column for one in self.filters for column in one.columns}


def source_of(selection: Selection, usual: Source, names: Sequence[str] = ()) -> Source:
    """The table that answers `selection` for a call that counts `names` and reads `usual` when nothing is filtered."""
    if not selection.filters:
        return usual
    if any(each.needs_visits for each in selection.filters):
        return Source.VISITS
    if usual is Source.VISITORS or len(selection.filters) > 1:
        return Source.RAW
    [only] = selection.filters
    if isinstance(only, DimensionFilter):
        return Source.VISITS
    if only.name == "partner" and usual is not Source.COUNTRY and not NOT_IN_PARTNER_ROLLUP & set(names):
        # The rollup has no rows without a partner: it cannot tell what "none" or "not this one" leaves over.
        knows_all = usual is Source.PARTNER or (only.wanted and str(NO_ID) not in only.wanted)
        return Source.PARTNER if knows_all else Source.RAW
    if only.name == "country" and usual is not Source.PARTNER:
        return Source.COUNTRY
    return Source.RAW


def rows(
    source: Source, selection: Selection, start: datetime, end: datetime, columns: Collection[str] = USUAL_COLUMNS
) -> Query:
    """`FROM ... WHERE ...` for the rows of `selection` from `start` until before `end`; the table is called `t`.
    `columns`: what is read of rows with their visits."""
    chosen = condition(selection.filters, selection.bots)
    if source is Source.VISITS:
        assert selection.visits is not None  # noqa: S101 - `request_for` plans them
        sql = (
            f"FROM ({selection.visits.everything(start, end, {*columns, *selection.columns})}) AS t WHERE {chosen.sql}"
        )
        return Query(sql, {**selection.visits.bounds(start, end), **chosen.parameters})
    sql = (
        f"FROM {source.table} AS t WHERE t.website_id = {{website:UUID}}"
        f" AND t.{source.time} >= {source.instant('start')} AND t.{source.time} < {source.instant('end')}"
        f" AND {chosen.sql}"
    )
    bounds = {"start": seconds(start), "end": seconds(end)}
    return Query(sql, {"website": selection.website_id, **bounds, **chosen.parameters})


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
