"""How fresh an answer is: `X-As-Of` (time of the newest event in it) and `X-Lag-Seconds` (how far behind the log).

The lag is measured against the log's own ends, so a quiet website is not taken for a slow projection: 0 means that
everything in the log is in the answer.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

import psycopg

from infra.log import Log, LogUnavailable
from query_api.analytics.metrics import Source
from query_api.analytics.ranges import Range
from query_api.analytics.reading import seconds
from query_api.columnar import Query, Row
from query_api.reader import Reader
from query_api.waiting import Positions
from schemas.topics import CLICKS, DOMAIN

log = logging.getLogger(__name__)

PROBE_S: Final = 1.0
ASKED_WITHIN_S: Final = 60.0
MAX_CACHED: Final = 1024
KEPT_S: Final = 1.0
PATIENCE_S: Final = 1.0

_PARTITIONS: Final = [(topic.name, number) for topic in (CLICKS, DOMAIN) for number in range(topic.partitions)]
_NEWEST: Final = (
    f"SELECT maxOrNull(t.occurred_at) AS newest FROM {Source.RAW.table} AS t"  # noqa: S608 - values are bound
    " WHERE t.website_id = {website:UUID}"
    " AND t.occurred_at < toDateTime({end:UInt32}, 'UTC')"
    " AND t.occurred_at >= toDateTime({start:UInt32}, 'UTC')"
    f" AND t.occurred_at >= (SELECT max(r.bucket) FROM {Source.TRAFFIC.table} AS r"
    " WHERE r.website_id = {website:UUID}"
    " AND r.bucket >= toDateTime({start:UInt32}, 'UTC') AND r.bucket < toDateTime({end:UInt32}, 'UTC'))"
)
_RECORD_AT: Final = (
    "SELECT min(p.record_at) AS record_at FROM engine.position AS p JOIN engine.projection AS live"
    " ON live.name = p.projection AND live.live_generation = p.generation WHERE p.projection = 'events'"
    " AND (p.topic, p.partition) IN (SELECT * FROM unnest(%s::text[], %s::int[]))"
)


class Freshness:
    """Answers both questions for the analytics calls. Thread-safe."""

    def __init__(self, reader: Reader, positions: Positions, open_log: Callable[[], Log]) -> None:
        self._positions = positions
        self._lag = Lag(reader, positions, open_log)
        self._newest: dict[tuple[UUID, int, int], _Shared] = {}
        self._asking = threading.Lock()

    def start(self) -> None:
        self._lag.start()

    def stop(self) -> None:
        self._lag.stop()

    def ask(self, website_id: UUID, range_: Range) -> Asking:
        """What is to be known of a range's newest event. The calls of one dashboard share one look-up.

        Kept until the projection moves on, or for a second while it moves all the time.
        """
        key, now, version = _key(website_id, range_), time.monotonic(), self._positions.version
        with self._asking:
            shared = self._newest.get(key)
            holds = shared is not None and (
                now - shared.at < KEPT_S or (version is not None and shared.version == version)
            )
            if shared is None or not holds:
                if len(self._newest) >= MAX_CACHED:
                    self._newest.clear()
                shared = self._newest[key] = _Shared(version, now)
                bound = {"website": str(website_id), "start": key[1], "end": key[2]}
                return Asking(shared, Query(_NEWEST, bound))
            return Asking(shared, None)

    def headers(self, asking: Asking) -> dict[str, str]:
        """Both headers. Without any event in the range, it is as of now."""
        newest = asking.answer()
        as_of = newest.replace(tzinfo=UTC) if newest is not None else datetime.now(UTC)
        return {
            "X-As-Of": as_of.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "X-Lag-Seconds": f"{self._lag.seconds():.1f}",
        }


@dataclass(frozen=True, slots=True)
class _Shared:
    """One look-up, and who else waits for it."""

    version: int | None
    at: float
    found: Future[datetime | None] = field(default_factory=Future)


class Asking:
    """One request's part in a look-up: the one that has the `query` runs it, and must end with `take` or `fail`."""

    def __init__(self, shared: _Shared, query: Query | None) -> None:
        self._shared = shared
        self.query = query

    def take(self, rows: Sequence[Row]) -> None:
        self._shared.found.set_result(rows[0]["newest"])

    def fail(self) -> None:
        """The look-up did not work; the others do without it."""
        if self.query is not None and not self._shared.found.done():
            self._shared.found.set_result(None)

    def answer(self) -> datetime | None:
        try:
            return self._shared.found.result(timeout=PATIENCE_S)
        except TimeoutError:
            return None


def _key(website_id: UUID, range_: Range) -> tuple[UUID, int, int]:
    return website_id, seconds(range_.start), seconds(range_.end)


class Lag:
    """How many seconds projection `events` is behind the log's ends, watched while somebody asks."""

    def __init__(self, reader: Reader, positions: Positions, open_log: Callable[[], Log]) -> None:
        self._reader = reader
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
            except Exception:
                log.exception("the lag cannot be measured: an error that nothing here expects")
            self._stopped.wait(PROBE_S)
        if self._log is not None:
            self._log.close()

    def _look(self) -> None:
        if self._positions.version is None:
            return  # how far it has read is not known just now
        if self._log is None:
            self._log = self._open_log()
        now = datetime.now(UTC)
        ends = self._log.end_offsets(_PARTITIONS)
        behind = [place for place, end in ends.items() if end > (self._positions.next_offset("events", *place) or 0)]
        if not behind:
            self._caught_up_at, self._behind_since = now, None
            return
        read_up_to = self._record_at(behind)
        # What is missing was written after the last record that was read, and after it was seen to be caught up.
        known = [moment for moment in (read_up_to, self._caught_up_at) if moment is not None]
        self._behind_since = max(known, default=now)

    def _record_at(self, behind: list[tuple[str, int]]) -> datetime | None:
        topics, partitions = [topic for topic, _ in behind], [partition for _, partition in behind]
        row = self._reader.row(_RECORD_AT, (topics, partitions))
        found: datetime | None = row["record_at"] if row else None
        return found
