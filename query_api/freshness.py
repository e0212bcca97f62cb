"""How fresh an answer is: `X-As-Of` (time of the newest event in it) and `X-Lag-Seconds` (how far behind the log).

The lag is measured against the log's own ends, so a quiet website is not taken for a slow projection: 0 means that
everything in the log is in the answer.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

import psycopg

from infra.identity import Pool
from infra.log import Log, LogUnavailable
from query_api.analytics.ranges import Range
from query_api.analytics.reading import seconds
from query_api.columnar import Query, Row
from query_api.waiting import Positions
from schemas.topics import CLICKS, DOMAIN

log = logging.getLogger(__name__)

PROBE_S: Final = 1.0
ASKED_WITHIN_S: Final = 60.0
MAX_CACHED: Final = 1024

_PARTITIONS: Final = [(topic.name, number) for topic in (CLICKS, DOMAIN) for number in range(topic.partitions)]
_NEWEST: Final = (
    "SELECT maxOrNull(t.occurred_at) AS newest FROM events AS t WHERE t.website_id = {website:UUID}"
    " AND t.occurred_at < toDateTime({end:UInt32}, 'UTC')"
    " AND t.occurred_at >= toDateTime({start:UInt32}, 'UTC')"
    " AND t.occurred_at >= (SELECT max(r.bucket) FROM traffic_15m AS r WHERE r.website_id = {website:UUID}"
    " AND r.bucket >= toDateTime({start:UInt32}, 'UTC') AND r.bucket < toDateTime({end:UInt32}, 'UTC'))"
)
_RECORD_AT: Final = (
    "SELECT min(p.record_at) FROM engine.position AS p JOIN engine.projection AS live"
    " ON live.name = p.projection AND live.live_generation = p.generation WHERE p.projection = 'events'"
    " AND (p.topic, p.partition) IN (SELECT * FROM unnest(%s::text[], %s::int[]))"
)


class Freshness:
    """Answers both questions for the analytics calls. Thread-safe."""

    def __init__(self, pool: Pool, positions: Positions, open_log: Callable[[], Log]) -> None:
        self._positions = positions
        self._lag = Lag(pool, positions, open_log)
        self._newest: dict[tuple[UUID, int, int], tuple[int, datetime | None]] = {}

    def start(self) -> None:
        self._lag.start()

    def stop(self) -> None:
        self._lag.stop()

    def ask(self, website_id: UUID, range_: Range) -> Query | None:
        """The statement that finds the newest event of a range; none while the last answer still holds.

        Kept until the projection moves on, so the calls of one dashboard ask once.
        """
        version = self._positions.version
        found = self._newest.get(_key(website_id, range_))
        if found is not None and version is not None and found[0] == version:
            return None
        _, start, end = _key(website_id, range_)
        return Query(_NEWEST, {"website": str(website_id), "start": start, "end": end})

    def headers(self, website_id: UUID, range_: Range, asked: Sequence[Row] | None) -> dict[str, str]:
        """Both headers; `asked`: rows of the statement that `ask` gave. Without any event in it, it is as of now."""
        key = _key(website_id, range_)
        if asked is not None:
            newest: datetime | None = asked[0]["newest"]
            if len(self._newest) >= MAX_CACHED:
                self._newest.clear()
            self._newest[key] = (self._positions.version or 0, newest)
        else:
            newest = self._newest.get(key, (0, None))[1]
        as_of = newest.replace(tzinfo=UTC) if newest is not None else datetime.now(UTC)
        return {
            "X-As-Of": as_of.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "X-Lag-Seconds": f"{self._lag.seconds():.1f}",
        }


def _key(website_id: UUID, range_: Range) -> tuple[UUID, int, int]:
    return website_id, seconds(range_.start), seconds(range_.end)


class Lag:
    """How many seconds projection `events` is behind the log's ends, watched while somebody asks."""

    def __init__(self, pool: Pool, positions: Positions, open_log: Callable[[], Log]) -> None:
        self._pool = pool
        self._positions = positions
        self._open_log = open_log
        self._log: Log | None = None
        self._asked = 0.0
        self._wanted = threading.Event()
        self._stopped = threading.Event()
        self._caught_up_at: datetime | None = None
        self._behind_since: datetime | None = None
        self._thread = threading.Thread(target=self._run, name="lag", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()
        self._wanted.set()

    def seconds(self) -> float:
        """0 when everything in the log was read at the last look (a second ago at most)."""
        self._asked = time.monotonic()
        self._wanted.set()
        since = self._behind_since
        return max(0.0, (datetime.now(UTC) - since).total_seconds()) if since is not None else 0.0

    def _run(self) -> None:
        while not self._stopped.is_set():
            self._wanted.wait()
            if time.monotonic() - self._asked > ASKED_WITHIN_S:
                self._wanted.clear()
                continue
            try:
                self._look()
            except (LogUnavailable, psycopg.Error, OSError) as error:
                log.info("the lag cannot be measured just now: %s", error)
            self._stopped.wait(PROBE_S)
        if self._log is not None:
            self._log.close()

    def _look(self) -> None:
        if self._log is None:
            self._log = self._open_log()
        now = datetime.now(UTC)
        behind = [place for place in _PARTITIONS if self._is_behind(*place)]
        if not behind:
            self._caught_up_at, self._behind_since = now, None
            return
        read_up_to = self._record_at(behind)
        # What is missing was written after the last record that was read, and after it was seen to be caught up.
        known = [moment for moment in (read_up_to, self._caught_up_at) if moment is not None]
        self._behind_since = max(known, default=now)

    def _is_behind(self, topic: str, partition: int) -> bool:
        assert self._log is not None  # noqa: S101 - opened by the caller
        read = self._positions.next_offset("events", topic, partition) or 0
        return self._log.end_offset(topic, partition) > read

    def _record_at(self, behind: list[tuple[str, int]]) -> datetime | None:
        topics, partitions = [topic for topic, _ in behind], [partition for _, partition in behind]
        with self._pool.connection() as connection:
            row: Any = connection.execute(_RECORD_AT, (topics, partitions)).fetchone()
        found: datetime | None = row[0] if row else None
        return found
