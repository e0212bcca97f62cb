"""Reads the contents of the live card of one website from `recent_events`, the last two days in order of arrival."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from uuid import UUID

import psycopg
from pydantic import Field

from query_api.kernel.clickhouse_reader import ClickHouseReader, Query
from query_api.kernel.postgres_reader import PostgresReader
from query_api.partners.names import names_for_website
from schemas import instants
from schemas.http.responses import ResponseModel
from schemas.tracking import NO_ID

MINUTES: Final = 30
ACTIVE_MINUTES: Final = 5
RECENT: Final = 20
TOP: Final = 10
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


class MinuteCount(ResponseModel):
    """Events of one minute."""

    minute: datetime
    events: int


class LiveEvent(ResponseModel):
    """One event of the feed."""

    id: UUID
    type: str
    at: datetime
    country: str
    device: str
    path: str
    partner_name: str | None
    source: str


class LiveValue(ResponseModel):
    """One value of a dimension in the last 30 minutes."""

    value: str = Field(description="Empty: none")
    visitors: int
    events: int


class LiveTop(ResponseModel):
    """The ten values with the most visitors, of each dimension."""

    page: list[LiveValue] = Field(description="Events without a page are left out")
    source: list[LiveValue]
    country: list[LiveValue]
    event: list[LiveValue] = Field(description="Conversions and what is decided about them, too")


class LiveData(ResponseModel):
    """Data of the events `snapshot` and `update`. Bots are left out; times are those of arrival."""

    as_of: datetime
    active_visitors: int = Field(description="Distinct visitors of the last five minutes")
    per_minute: list[MinuteCount] = Field(
        description="Exactly the last 30 minutes up to `asOf` by the minutes of the clock, oldest first: the first one"
        " is counted from where they begin, and this one is still running"
    )
    recent: list[LiveEvent] = Field(description="The newest 20 events, newest first; conversions are among them")
    top: LiveTop = Field(description="The last 30 minutes by page, source, country and event")

    def same_as(self, other: LiveData | None) -> bool:
        """Returns whether it has the same contents (except the time it was read)."""
        return other is not None and self.model_copy(update={"as_of": other.as_of}) == other


_SINCE: Final = (
    f"t.website_id = {{website:UUID}} AND t.received_at >= {instants.bound_milliseconds('since')} AND NOT t.is_bot"
    # An import or a backfill arrives now but did not happen now. A decision happens now, whatever it is about.
    " AND (t.type = 'conversion' OR t.occurred_at >= t.received_at - INTERVAL 10 MINUTE)"
)
_MINUTES: Final = (
    "SELECT toUnixTimestamp(toStartOfMinute(t.received_at)) AS minute, count() AS events FROM recent_events AS t"  # noqa: S608 - own text
    f" WHERE {_SINCE} AND t.type <> 'conversion' GROUP BY minute"
)
_ACTIVE: Final = (
    "SELECT uniqExact(t.visitor) AS visitors FROM recent_events AS t"  # noqa: S608 - values are bound
    f" WHERE {_SINCE} AND t.type <> 'conversion' AND t.visitor <> 0"
)
_RECENT: Final = (
    "SELECT toString(t.event_id) AS id, t.type AS type, t.received_at AS at, t.country AS country, t.device AS device,"  # noqa: S608 - own text
    " t.path AS path, toString(t.partner_id) AS partner, t.source AS source FROM recent_events AS t"
    f" WHERE {_SINCE} ORDER BY t.received_at DESC, t.event_id LIMIT {RECENT}"
)
_TOP: Final = (
    "SELECT d.1 AS dimension, d.2 AS value, count() AS events, uniqExactIf(t.visitor, t.visitor <> 0) AS visitors"  # noqa: S608 - own text
    " FROM recent_events AS t ARRAY JOIN [('page', t.path), ('source', toString(t.source)),"
    " ('country', toString(t.country)), ('event', toString(t.type))] AS d"
    f" WHERE {_SINCE} AND (d.1 = 'event' OR t.type <> 'conversion') AND (d.1 <> 'page' OR d.2 <> '')"
    f" GROUP BY dimension, value ORDER BY dimension, visitors DESC, events DESC, value LIMIT {TOP} BY dimension"
)
_FINGERPRINTS: Final = (
    "SELECT toString(t.website_id) AS website, count() AS events FROM recent_events AS t"  # noqa: S608 - own text
    f" WHERE t.website_id IN {{websites:Array(UUID)}} AND t.received_at >= {instants.bound_milliseconds('since')}"
    " GROUP BY t.website_id"
)


def read(clickhouse: ClickHouseReader, reader: PostgresReader, website_id: UUID, now: datetime) -> LiveData:
    """Reads the current contents of the live card. Raises `Problem` 503 when ClickHouse does not answer."""
    since = now.astimezone(UTC) - timedelta(minutes=MINUTES)
    first = since.replace(second=0, microsecond=0)
    counted, active, newest, top = clickhouse.all(
        Query(_MINUTES, _bound(website_id, since)),
        Query(_ACTIVE, _bound(website_id, now - timedelta(minutes=ACTIVE_MINUTES))),
        Query(_RECENT, _bound(website_id, now - timedelta(days=2))),
        Query(_TOP, _bound(website_id, since)),
    )
    by_minute = {int(row["minute"]): int(row["events"]) for row in counted}
    minutes = [first + timedelta(minutes=number) for number in range(MINUTES + 1)]
    names = _names(reader, website_id, (row["partner"] for row in newest))
    return LiveData(
        as_of=now,
        active_visitors=active[0]["visitors"],
        per_minute=[MinuteCount(minute=one, events=by_minute.get(int(one.timestamp()), 0)) for one in minutes],
        recent=[_event(row, names) for row in newest],
        top=_top(top),
    )


def fingerprints(clickhouse: ClickHouseReader, websites: Iterable[UUID], now: datetime) -> dict[UUID, int]:
    """Returns a number per website that changes when rows arrive: a cheap check which of many are worth reading
    again."""
    bound = {"websites": [str(one) for one in websites], "since": _milliseconds(now - timedelta(hours=1))}
    return {UUID(row["website"]): int(row["events"]) for row in clickhouse.rows(Query(_FINGERPRINTS, bound))}


def _bound(website_id: UUID, since: datetime) -> dict[str, Any]:
    return {"website": str(website_id), "since": _milliseconds(since)}


def _milliseconds(moment: datetime) -> int:
    return (moment - _EPOCH) // timedelta(milliseconds=1)


def _event(row: Mapping[str, Any], names: Mapping[str, str]) -> LiveEvent:
    return LiveEvent.of_row(row, at=row["at"].replace(tzinfo=UTC), partner_name=names.get(row["partner"]))


def _top(rows: Iterable[Mapping[str, Any]]) -> LiveTop:
    by_dimension: dict[str, list[LiveValue]] = {}
    for row in rows:
        entry = LiveValue(value=row["value"], visitors=row["visitors"], events=row["events"])
        by_dimension.setdefault(row["dimension"], []).append(entry)
    return LiveTop.model_validate({name: by_dimension.get(name, []) for name in LiveTop.model_fields})


def _names(reader: PostgresReader, website_id: UUID, ids: Iterable[str]) -> Mapping[str, str]:
    """Reads the names; they are optional here: without Postgres the feed continues without them."""
    try:
        return names_for_website(reader, website_id, {one for one in ids if one != str(NO_ID)})
    except psycopg.OperationalError:
        return {}
