"""Measures how fresh an answer is: `X-As-Of`, up to when everything is in it, and `X-Lag-Seconds`, how long ago that
is.

Both come from the log's own ends, never from the events: a quiet website is not taken for a slow projection, and a
client whose clock is ahead makes nothing look newer than it is. While projection `events` has read the log to its end,
everything acknowledged up to then is in; else everything until the first record that it has not read yet was appended.
"""

from __future__ import annotations

import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final

import psycopg
import structlog

from infra.kernel.log import Log, LogUnavailable, OffsetOutOfRange, TopicPartition
from infra.kernel.observability import logging
from query_api.kernel.read_your_writes import ProjectionPositions

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)

PROBE_S: Final = 1.0
ASKED_WITHIN_S: Final = 60.0
PATIENCE_S: Final = 0.5
"""For the first check after an idle time."""

HOLDS: Final = timedelta(seconds=5)
"""For this time a look that found nothing unread is valid; while looks fail, the answers grow older."""

READ_TIMEOUT_S: Final = 2.0
READ_AGAIN: Final = timedelta(seconds=10)
"""Reading one record costs a connection: while a backlog is older than all looks, its time moves in such steps."""

MAX_LOOKS: Final = 512
PROJECTION: Final = "events"


@dataclass(frozen=True, slots=True)
class Known:
    """The result of one look. `is_complete`: everything that was in the log then had been read."""

    as_of: datetime
    is_complete: bool

    def headers(self, now: datetime) -> dict[str, str]:
        """Returns both headers at `now`; the lag is 0 while a complete look is younger than `HOLDS`."""
        as_of = min(self.as_of, now)
        since = now - as_of
        behind = timedelta(0) if self.is_complete and since < HOLDS else since
        return {
            "X-As-Of": as_of.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "X-Lag-Seconds": f"{behind.total_seconds():.1f}",
        }


@dataclass(slots=True)
class Looks:
    """The results of earlier looks at one partition: `(end, at)` says that no record from `end` on was there before
    `at`.

    Bounded: of a long backlog every other look is forgotten, which makes the answer older, never newer.
    """

    _ends: deque[tuple[int, datetime]] = field(default_factory=deque)

    def add(self, end: int, at: datetime) -> None:
        """Adds a look at time `at`, when `end` was the next offset. Looks come in order of time."""
        if self._ends and self._ends[-1][0] == end:
            self._ends.pop()
        self._ends.append((end, at))
        if len(self._ends) > MAX_LOOKS:
            self._ends = deque(list(self._ends)[::2])

    def appended_after(self, offset: int) -> datetime | None:
        """Returns a time before which the record at `offset` was certainly not in the log; none when no look shows
        it."""
        while len(self._ends) > 1 and self._ends[1][0] <= offset:
            self._ends.popleft()
        return self._ends[0][1] if self._ends and self._ends[0][0] <= offset else None


@dataclass(frozen=True, slots=True)
class _Read:
    """A record of the log that was read for its time; what follows it was appended later."""

    offset: int
    looked_at: datetime
    appended_at: datetime


class FreshnessMonitor:
    """Reads the log's end offsets once a second while requests arrive. Thread-safe."""

    def __init__(
        self,
        positions: ProjectionPositions,
        open_log: Callable[[], Log],
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._positions = positions
        self._open_log = open_log
        self._now = now
        self._log: Log | None = None
        self._looks: dict[TopicPartition, Looks] = defaultdict(Looks)
        self._read: dict[TopicPartition, _Read] = {}
        self._known: Known | None = None
        self._looked = threading.Condition()
        self._asked = self._woken = 0.0
        self._has_looked = False
        self._wanted = threading.Event()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="freshness", daemon=True)

    def start(self) -> None:
        """Starts the thread; it looks at the log only once headers are requested."""
        self._thread.start()

    def stop(self) -> None:
        """Lets the thread end; does not wait for it."""
        self._stopped.set()
        self._wanted.set()

    def headers(self) -> dict[str, str]:
        """Returns both headers for what is read from now on; none while it cannot be known."""
        self._asked = time.monotonic()
        with self._looked:
            if not self._wanted.is_set():
                self._woken, self._has_looked = time.monotonic(), False
                self._wanted.set()
            left = self._woken + PATIENCE_S - time.monotonic()
            if not self._has_looked and left > 0:  # concurrent callers wait, too
                self._looked.wait_for(lambda: self._has_looked, left)
            latest = self._known
        return latest.headers(self._now()) if latest is not None else {}

    def _run(self) -> None:
        logging.begin_context(component="freshness")
        while not self._stopped.is_set():
            self._wanted.wait()
            if time.monotonic() - self._asked > ASKED_WITHIN_S:
                self._wanted.clear()
                continue
            try:
                self.look()
            except (LogUnavailable, OffsetOutOfRange, psycopg.Error, OSError) as error:
                log.info("freshness_unavailable", error=error)
            except Exception:
                log.exception("unexpected_error")
            self._stopped.wait(PROBE_S)
        if self._log is not None:
            self._log.close()

    def look(self) -> None:
        """Compares the read positions with the log's ends now."""
        if self._positions.version is None:
            return  # how far it has read is not known just now
        if self._log is None:
            self._log = self._open_log()
        at = self._now()
        ends = self._log.end_offsets(self._positions.read_by(PROJECTION))
        for place, end in ends.items():
            self._looks[place].add(end, at)
        unread = {place: self._next(place) for place, end in ends.items() if end > self._next(place)}
        since = [self._appended(place, offset) for place, offset in unread.items()]
        with self._looked:
            self._known = Known(min([at, *since]), is_complete=not unread)
            self._has_looked = True
            self._looked.notify_all()

    def _next(self, place: TopicPartition) -> int:
        return self._positions.next_offset(PROJECTION, *place) or 0

    def _appended(self, place: TopicPartition, offset: int) -> datetime:
        """Returns when the first unread record was appended, or a moment before."""
        appended_at = self._looks[place].appended_after(offset)
        if appended_at is not None:
            return appended_at
        entry = self._read.get(place)
        if entry is None or entry.offset > offset or self._now() - entry.looked_at > READ_AGAIN:
            entry = self._read[place] = _Read(offset, self._now(), self._read_time(place, offset))
        return entry.appended_at

    def _read_time(self, place: TopicPartition, offset: int) -> datetime:
        assert self._log is not None  # noqa: S101 - opened above
        source = self._log.source(*place, offset)
        try:
            records = source.read(1, READ_TIMEOUT_S)
        finally:
            source.close()
        if not records:
            raise LogUnavailable(f"{place[0]}[{place[1]}] gives nothing at {offset}")
        return datetime.fromtimestamp(records[0].timestamp_ms / 1000, UTC)
