"""Times of websites' first events: from ClickHouse or, while it is unavailable, from the last read.

A first event changes only by an import of older ones. Without the remembered value, a website in use would look as if
it had no event.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from threading import Lock
from typing import Final
from uuid import UUID

from infra.kernel.http.problems import Problem
from query_api.kernel.clickhouse_reader import ClickHouseReader, Query, live_table

QUARTER: Final = timedelta(minutes=15)
KEPT: Final = 10_000
"""Websites whose first event is remembered; beyond that, the least recently used are evicted."""

# Finds each website's first quarter of an hour in the rollup, then reads that day alone of the raw table. Of an event
# that has expired the quarter is known.
_QUARTERS: Final = (
    f"SELECT r.website_id, min(r.bucket) AS quarter FROM {live_table('traffic_15m')} AS r"  # noqa: S608 - bound
    " WHERE r.website_id IN {websites:Array(UUID)} GROUP BY r.website_id"
)
_FIRST: Final = (
    "SELECT toString(q.website_id) AS website, toDateTime64(q.quarter, 3, 'UTC') AS begin,"  # noqa: S608 - bound
    f" if(f.first BETWEEN begin AND begin + INTERVAL 15 MINUTE, f.first, begin) AS first FROM ({_QUARTERS}) AS q"
    " LEFT JOIN ("
    f"SELECT t.website_id AS website_id, min(t.occurred_at) AS first FROM {live_table('events')} AS t"
    " WHERE t.website_id IN {websites:Array(UUID)} AND (t.website_id, toDate(t.occurred_at)) IN"
    f" (SELECT website_id, toDate(quarter) FROM ({_QUARTERS})) GROUP BY t.website_id"
    ") AS f ON f.website_id = q.website_id"
)


class FirstEvents:
    """Finds and remembers the first events of websites. Thread-safe."""

    def __init__(self, clickhouse: ClickHouseReader) -> None:
        self._columnar = clickhouse
        self._last: OrderedDict[UUID, datetime] = OrderedDict()
        self._lock = Lock()

    def of(self, websites: Sequence[UUID]) -> tuple[Mapping[UUID, datetime], bool]:
        """The instants of those that have had events, and whether they are as fresh as the store."""
        if not websites:
            return {}, True
        try:
            rows = self._columnar.rows(Query(_FIRST, {"websites": [str(one) for one in websites]}))
        except Problem:
            return self._remembered(websites), False
        first_events = {UUID(row["website"]): row["first"].replace(tzinfo=UTC) for row in rows}
        self._remember(websites, first_events)
        return first_events, True

    def known(self, website_id: UUID) -> datetime | None:
        """A time at or before which the website had an event, from an earlier read: an import may have added older
        ones."""
        with self._lock:
            return self._last.get(website_id)

    def note(self, website_id: UUID, quarter: datetime) -> None:
        """Remembers the quarter of an hour of the first event, unless the event itself is known."""
        first_at = self.known(website_id)
        if first_at is None or first_at - quarter >= QUARTER:
            self._remember([website_id], {website_id: quarter})

    def _remembered(self, websites: Sequence[UUID]) -> Mapping[UUID, datetime]:
        with self._lock:
            return {one: self._last[one] for one in websites if one in self._last}

    def _remember(self, websites: Sequence[UUID], found: Mapping[UUID, datetime]) -> None:
        with self._lock:
            for one in websites:
                self._last.pop(one, None)
                if one in found:
                    self._last[one] = found[one]
            while len(self._last) > KEPT:
                self._last.popitem(last=False)
