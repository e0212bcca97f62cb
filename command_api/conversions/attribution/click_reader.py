"""Reads clicks and their visits from ClickHouse (view `events`) for `gathering`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final, Protocol
from uuid import UUID

from command_api.conversions.attribution.clicks import PAGE_SIZE, ClickQuery, ClickRow, ClickVisit
from infra.domain.visits import routes
from infra.domain.visits.statement import visits
from infra.kernel.clickhouse.client import ClickHouseError, ClientPool
from schemas.events.conversions import VisitDetails
from schemas.tracking import NO_ID

MAX_WINDOW: Final = timedelta(days=366)
MAX_VISITOR_EVENTS: Final = 1_000
"""The events of one visitor and day in which a click's visit is searched, the newest first: a person has fewer, and a
script with the public site key must not make attribution slow."""
MAX_SUB_ID_CLICKS: Final = 50
"""So many of the clicks with a sub id are read, the latest first: one that has more names no click."""
QUERY_TIMEOUT_S: Final = 10
UNAVAILABLE: Final = (ClickHouseError, OSError)
"""Errors of a source of clicks that is down."""


@dataclass(frozen=True, slots=True)
class SubIdClick:
    """A click of a link with a sub id."""

    click_id: str
    partner_id: UUID
    occurred_at: datetime


class Clicks(Protocol):
    """Source of clicks. Raises when it is unavailable; the policy then retries."""

    def by_event(self, wanted: Iterable[tuple[UUID, UUID, date]]) -> dict[UUID, ClickRow]:
        """Clicks by event id, for (website, event id, day of the click)."""
        ...

    def by_visitor(self, wanted: Sequence[ClickQuery], *, oldest_first: bool) -> dict[tuple[UUID, int], list[ClickRow]]:
        """The first `PAGE_SIZE` clicks on partners by website and visitor, in that order, also those of bots."""
        ...

    def next_page(self, visit: ClickQuery, after: ClickRow, *, oldest_first: bool) -> list[ClickRow]:
        """The next `PAGE_SIZE` clicks of a visitor behind `after`."""
        ...

    def visits(self, clicks: Sequence[ClickRow]) -> dict[UUID, ClickVisit]:
        """The visits of these clicks by event id."""
        ...


class NoClicks:
    """`Clicks` for decisions that need none."""

    def by_event(self, *_: Any, **__: Any) -> dict[UUID, ClickRow]:
        return {}

    def by_visitor(self, *_: Any, **__: Any) -> dict[tuple[UUID, int], list[ClickRow]]:
        return {}

    def next_page(self, *_: Any, **__: Any) -> list[ClickRow]:
        return []

    def visits(self, *_: Any, **__: Any) -> dict[UUID, ClickVisit]:
        return {}


class FoundClick(NoClicks):
    """`Clicks` for a decision about one click that was read before: a transaction does not wait for ClickHouse."""

    def __init__(self, row: ClickRow, visit: ClickVisit | None) -> None:
        self._row = row
        self._visit = visit

    def by_event(self, *_: Any, **__: Any) -> dict[UUID, ClickRow]:
        return {self._row.event_id: self._row}

    def visits(self, *_: Any, **__: Any) -> dict[UUID, ClickVisit]:
        return {} if self._visit is None else {self._row.event_id: self._visit}


class ClickHouseClicks:
    """`Clicks` on the projected view."""

    def __init__(self, clients: ClientPool) -> None:
        self._clients = clients

    def by_event(self, wanted: Iterable[tuple[UUID, UUID, date]]) -> dict[UUID, ClickRow]:
        keys = list(wanted)
        if not keys:
            return {}
        rows = self._query(
            f"{_SELECT} WHERE website_id IN {{sites:Array(UUID)}} AND toDate(occurred_at) IN {{days:Array(Date)}}"
            " AND type = 'click' AND event_id IN {ids:Array(UUID)}",
            {
                "sites": sorted({str(website_id) for website_id, _, _ in keys}),
                "days": sorted({day.isoformat() for _, _, day in keys}),
                "ids": sorted({str(event_id) for _, event_id, _ in keys}),
            },
        )
        return {row.event_id: row for row in rows}

    def by_visitor(self, wanted: Sequence[ClickQuery], *, oldest_first: bool) -> dict[tuple[UUID, int], list[ClickRow]]:
        rows: dict[tuple[UUID, int], list[ClickRow]] = {(visit.website_id, visit.visitor): [] for visit in wanted}
        if not wanted:
            return rows
        query = f"{_OF_VISITORS} {_ORDER[oldest_first]} LIMIT {PAGE_SIZE} BY website_id, visitor"
        for row in self._query(query, _of_visitors(wanted)):
            if (row.website_id, row.visitor) in rows:
                rows[(row.website_id, row.visitor)].append(row)
        return rows

    def next_page(self, visit: ClickQuery, after: ClickRow, *, oldest_first: bool) -> list[ClickRow]:
        than = ">" if oldest_first else "<"
        return self._query(
            f"{_OF_VISITORS} AND (toUnixTimestamp64Milli(occurred_at), event_id) {than} ({{at:Int64}}, {{after:UUID}})"
            f" {_ORDER[oldest_first]} LIMIT {PAGE_SIZE}",
            {
                **_of_visitors([visit]),
                "at": round(after.occurred_at.timestamp() * 1000),
                "after": str(after.event_id),
            },
        )

    def with_sub_ids(
        self, website_id: UUID, sub_ids: Collection[str], first: datetime, last: datetime
    ) -> dict[str, list[SubIdClick]]:
        """By sub id, the latest `MAX_SUB_ID_CLICKS` clicks of people that have it, between the days of these times."""
        found: dict[str, list[SubIdClick]] = {}
        for some in _short_lists(sub_ids):
            parameters = {
                "site": str(website_id),
                "first": first.astimezone(UTC).date().isoformat(),
                "last": last.astimezone(UTC).date().isoformat(),
                "none": str(NO_ID),
                "sub_ids": some,
            }
            with self._clients.use() as client:
                settings = {"max_execution_time": QUERY_TIMEOUT_S}
                rows = client.query(_WITH_SUB_IDS, parameters=parameters, settings=settings).result_rows
            for sub_id, click_id, partner_id, at in rows:
                click = SubIdClick(click_id, partner_id, datetime.fromtimestamp(at / 1000, UTC))
                found.setdefault(sub_id, []).append(click)
        return found

    def visits(self, clicks: Sequence[ClickRow]) -> dict[UUID, ClickVisit]:
        if not clicks:
            return {}
        parameters = {
            "sites": sorted({str(click.website_id) for click in clicks}),
            "days": sorted({click.occurred_at.astimezone(UTC).date().isoformat() for click in clicks}),
            "visitors": sorted({click.visitor for click in clicks} - {0}),
            "ids": sorted({str(click.event_id) for click in clicks}),
        }
        with self._clients.use() as client:
            result = client.query(_VISITS, parameters=parameters, settings={"max_execution_time": QUERY_TIMEOUT_S})
            return {
                event_id: ClickVisit(source, VisitDetails(**dict(zip(VisitDetails.model_fields, details, strict=True))))
                for event_id, source, *details in result.result_rows
            }

    def _query(self, sql: str, parameters: dict[str, Any]) -> list[ClickRow]:
        settings = {"max_execution_time": QUERY_TIMEOUT_S}
        with self._clients.use() as client:
            result = client.query(sql, parameters=parameters, settings=settings)
            return [_row(row) for row in result.result_rows]


def _short_lists(texts: Collection[str]) -> Iterator[list[str]]:
    """The texts in lists that each are short enough for a parameter of a query."""
    some, size = list[str](), 0
    for text in sorted(texts):
        if size + len(text.encode()) > _MAX_PARAMETER_BYTES:
            yield some
            some, size = [], 0
        some.append(text)
        size += 2 * len(text.encode()) + 3
    if some:
        yield some


def _of_visitors(wanted: Sequence[ClickQuery]) -> dict[str, Any]:
    """The parameters of `_OF_VISITORS`."""
    times = [visit.occurred_at for visit in wanted]
    return {
        "sites": sorted({str(visit.website_id) for visit in wanted}),
        "visitors": sorted({visit.visitor for visit in wanted}),
        "first": (min(times) - MAX_WINDOW).date().isoformat(),
        "last": (max(times) + timedelta(days=1)).date().isoformat(),
        "none": str(NO_ID),
    }


def _row(row: Sequence[Any]) -> ClickRow:
    website_id, event_id, visitor, occurred_ms, click_id, link_id, partner_id, *dimensions = row
    country, device, source, route, is_bot, bot_reason, partition, offset, *subs = dimensions
    return ClickRow(
        website_id=website_id,
        event_id=event_id,
        visitor=visitor,
        occurred_at=datetime.fromtimestamp(occurred_ms / 1000, UTC),
        click_id=click_id,
        link_id=link_id if link_id != NO_ID else None,
        partner_id=partner_id if partner_id != NO_ID else None,
        country=country,
        device=device,
        source=source,
        subs={name: value for name, value in zip(_SUBS, subs, strict=True) if value},
        route=route,
        bot_reason=(bot_reason or "bot") if is_bot else "",
        place=(partition, offset),
    )


_MAX_PARAMETER_BYTES: Final = 60_000
_SUBS: Final = tuple(f"sub{number}" for number in range(1, 11))
_SELECT: Final = (
    "SELECT website_id, event_id, visitor, toUnixTimestamp64Milli(occurred_at), click_id, link_id, partner_id, country,"  # noqa: S608 - own text
    f" device, source, {routes.route()}, is_bot, bot_reason, _partition, _offset, {', '.join(_SUBS)} FROM events"
)
_OF_VISITORS: Final = (
    f"{_SELECT} WHERE website_id IN {{sites:Array(UUID)}} AND toDate(occurred_at) >= {{first:Date}}"
    " AND toDate(occurred_at) <= {last:Date} AND type = 'click' AND visitor IN {visitors:Array(UInt64)}"
    " AND partner_id != {none:UUID}"
)
_WITH_SUB_IDS: Final = (
    "SELECT sub_id, click_id, partner_id, toUnixTimestamp64Milli(occurred_at) FROM (SELECT click_id, partner_id,"  # noqa: S608 - own text
    f" occurred_at, arrayJoin(arrayDistinct(arrayFilter(each -> each <> '', [{', '.join(_SUBS)}]))) AS sub_id"
    " FROM events WHERE website_id = {site:UUID} AND toDate(occurred_at) >= {first:Date}"
    " AND toDate(occurred_at) <= {last:Date} AND type = 'click' AND partner_id <> {none:UUID} AND click_id <> ''"
    " AND NOT is_bot) WHERE sub_id IN {sub_ids:Array(String)}"
    f" ORDER BY occurred_at DESC, click_id LIMIT {MAX_SUB_ID_CLICKS} BY sub_id"
)
_ORDER: Final = {True: "ORDER BY occurred_at, event_id", False: "ORDER BY occurred_at DESC, event_id DESC"}
_EVENTS_OF_VISITORS: Final = (
    "(SELECT * FROM events WHERE website_id IN {sites:Array(UUID)} AND toDate(occurred_at) IN {days:Array(Date)}"  # noqa: S608 - own text
    " AND (visitor IN {visitors:Array(UInt64)} OR event_id IN {ids:Array(UUID)}) AND type <> 'conversion'"
    f" ORDER BY occurred_at DESC LIMIT {MAX_VISITOR_EVENTS} BY website_id, toDate(occurred_at), visitor)"
)
_VISITS: Final = (
    f"SELECT event_id, source, {', '.join(VisitDetails.model_fields)} FROM ({visits(_EVENTS_OF_VISITORS, '1')})"  # noqa: S608 - own text
    " WHERE event_id IN {ids:Array(UUID)}"
)
