"""Reads when a website's data begins and ends: its first event to the quarter of an hour, its newest to the
millisecond."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Final

from query_api.analytics.metrics import Source
from query_api.analytics.ranges import BucketKind, Range
from query_api.kernel.authorization import Website
from query_api.kernel.clickhouse_reader import Query, Row, live_table
from schemas.days import local_day

# The tables are sorted by website and time: each part reads its first or last row.
_FIRST: Final = (
    f"SELECT t.bucket AS at FROM {Source.TRAFFIC.table} AS t WHERE t.website_id = {{website:UUID}}"  # noqa: S608 - own text
    " ORDER BY t.website_id, t.bucket LIMIT 1"
)
_NONE: Final = "toDateTime64(0, 3, 'UTC')"
# The rollup is read after the event that arrived last only: of a website in use, none of its older months.
_LAST: Final = (
    f"WITH ifNull((SELECT r.occurred_at FROM {live_table('recent_events')} AS r"  # noqa: S608 - own text
    " WHERE r.website_id = {website:UUID} AND NOT r.is_bot ORDER BY r.website_id DESC, r.received_at DESC LIMIT 1),"
    f" {_NONE}) AS arrived SELECT greatest(toDateTime64(max(t.bucket), 3, 'UTC'), arrived) AS at"
    f" FROM {Source.TRAFFIC.table} AS t WHERE t.website_id = {{website:UUID}} AND NOT t.is_bot"
    f" AND t.bucket > toDateTime(arrived) HAVING at > {_NONE}"
)


def first(website: Website) -> Query:
    """Returns the query of the first event: one row, or none for a website without events."""
    return Query(_FIRST, {"website": str(website.id)})


def last(website: Website) -> Query:
    """The same for the newest event of a person, exact if it arrived within the last two days."""
    return Query(_LAST, {"website": str(website.id)})


def instant(found: Sequence[Row]) -> datetime | None:
    """The time, from the rows of one of the queries."""
    return found[0]["at"].replace(tzinfo=UTC) if found else None


def day(website: Website, found: Sequence[Row]) -> date | None:
    """The same as a day in the website's zone."""
    at = instant(found)
    return local_day(website.zone, at) if at is not None else None


def begins_within(range_: Range, first_at: datetime | None) -> bool:
    """Returns whether the first event is in the range but not in its first day (hour), so that a part of it has no
    data."""
    if first_at is None or first_at >= range_.end:
        return False
    if range_.bucket is BucketKind.HOUR:
        return first_at >= range_.edges[1]
    return local_day(range_.timezone, first_at) > range_.dates[0]
