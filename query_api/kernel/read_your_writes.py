"""Read-your-writes consistency: the positions of the live projections, and waiting until they reach a position.

A command returns `X-Position: domain@1234`; the next read sends it as `X-Wait-For`. `ProjectionPositions` keeps one
LISTEN connection per process; projectors notify in the transaction that advances a position, so a waiting request
continues within a millisecond of its data being readable. A wait ends after 2 s; then the response is marked stale.

The same connection tracks the live generation of each ClickHouse table and receives the sessions that ended.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

import psycopg
import structlog
from psycopg import Connection, Notify

from infra.kernel.config.settings import Settings
from infra.kernel.log import TopicPartition
from infra.kernel.observability import logging
from infra.kernel.security.sessions import SESSION_ENDED
from query_api.kernel.positions import MAX_WAIT_S, PositionToken, topics_of
from query_api.kernel.postgres_reader import ROLE
from schemas.topics import DOMAIN

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)

CHANNEL: Final = "projection"
CONTROL: Final = "projection_control"
"""Something was done to a projection: perhaps another generation is live now."""

MAX_WAITERS: Final = 16
"""Requests that may wait at one time; further ones are answered at once, marked stale."""

RELOAD_S: Final = 5.0
_POLL_S: Final = 0.05
_RECONNECT_S: Final = 0.5

_LIVE: Final = (
    "SELECT p.projection, p.topic, p.partition, p.next_offset, p.domain_position FROM engine.position AS p"
    " JOIN engine.projection AS live ON live.name = p.projection AND live.live_generation = p.generation"
)

_TABLES: Final = "SELECT name, name || '__g' || live_generation FROM engine.projection WHERE kind <> 'postgres'"


@dataclass(frozen=True, slots=True)
class ProjectionPosition:
    """The position up to which one projection has read one partition."""

    next_offset: int
    domain_position: int

    def contains(self, token: PositionToken) -> bool:
        """Returns whether the token's record was read. Tokens of `domain` are commit positions, others offsets."""
        return self.domain_position >= token.offset if token.topic == DOMAIN.name else self.next_offset > token.offset


class ProjectionPositions:
    """The positions up to which the live projections have read, kept up by notifications. Thread-safe."""

    def __init__(self, settings: Settings) -> None:
        self._url = settings.postgres_url or ""
        self._seen: dict[tuple[str, str, int], ProjectionPosition] = {}
        self._tables: Mapping[str, str] = {}
        self._changed = threading.Condition()
        self._waiters = threading.BoundedSemaphore(MAX_WAITERS)
        self._listening = False
        self._stopped = threading.Event()
        self._observers: list[Callable[[str], None]] = []
        self._session_observers: list[Callable[[UUID], None]] = []
        self._version = 0
        self._thread = threading.Thread(target=self._run, name="positions", daemon=True)

    def start(self) -> None:
        """Starts the listening thread; positions are known once it has connected."""
        self._thread.start()

    def stop(self) -> None:
        """Lets the thread end, and wakes every waiter."""
        self._stopped.set()
        with self._changed:
            self._changed.notify_all()

    def observe(self, observer: Callable[[str], None]) -> None:
        """Calls `observer(projection)` after each advance, in the listening thread: it must be quick."""
        self._observers.append(observer)

    def observe_ended_sessions(self, observer: Callable[[UUID], None]) -> None:
        """Calls `observer(session_id)` when a session was revoked, in the listening thread: it must be quick."""
        self._session_observers.append(observer)

    @property
    def version(self) -> int | None:
        """Returns a number that grows with every advance of a projection in ClickHouse; none while nothing can be
        known: then rows that were read from there may not be shared."""
        return self._version if self._listening else None

    @property
    def tables(self) -> Mapping[str, str]:
        """Stable name to the live generation's table in ClickHouse; empty while that cannot be known."""
        return self._tables if self._listening else {}

    def next_offset(self, projection: str, topic: str, partition: int) -> int | None:
        """The offset that the live generation reads next; none when it is not known."""
        seen = self._seen.get((projection, topic, partition))
        return seen.next_offset if seen else None

    def read_by(self, projection: str) -> list[TopicPartition]:
        """The partitions that the live generation reads; empty when that is not known."""
        return [(topic, partition) for name, topic, partition in self._seen if name == projection]

    def domain_position(self, projections: Iterable[str]) -> int:
        """The position of `domain` that all of these have read; 0 = nothing."""
        places = [self._seen.get((name, DOMAIN.name, 0)) for name in projections if DOMAIN.name in topics_of(name)]
        return min((seen.domain_position if seen else 0 for seen in places), default=0)

    def wait(self, tokens: Iterable[PositionToken], projections: Iterable[str], timeout_s: float = MAX_WAIT_S) -> bool:
        """Returns whether, after waiting at most `timeout_s`, each of `projections` has read what it reads of
        `tokens`."""
        pairs = [
            ((name, token.topic, token.partition), token)
            for token in tokens
            for name in projections
            if token.topic in topics_of(name)
        ]
        if self._have(pairs):
            return True
        if not self._waiters.acquire(blocking=False):
            return False
        try:
            return self._wait(pairs, time.monotonic() + timeout_s)
        finally:
            self._waiters.release()

    def _wait(self, wanted: list[tuple[tuple[str, str, int], PositionToken]], deadline: float) -> bool:
        while not self._have(wanted):
            left = deadline - time.monotonic()
            if left <= 0 or self._stopped.is_set():
                return False
            with self._changed:
                if not self._have(wanted):
                    self._changed.wait(min(left, _POLL_S * 4))
            if not self._listening:
                self._poll(left)
        return True

    def _have(self, wanted: list[tuple[tuple[str, str, int], PositionToken]]) -> bool:
        return all((seen := self._seen.get(place)) is not None and seen.contains(token) for place, token in wanted)

    def _poll(self, left: float) -> None:
        """Reads the positions while notifications do not arrive."""
        try:
            with self._connect() as connection:
                self._load(connection)
        except psycopg.OperationalError:
            self._stopped.wait(min(left, _POLL_S))

    def _run(self) -> None:
        logging.begin_context(component="positions")
        while not self._stopped.is_set():
            try:
                with self._connect() as connection:
                    for channel in (CHANNEL, CONTROL, SESSION_ENDED):
                        connection.execute(f"LISTEN {channel}".encode())
                    self._load(connection)
                    self._listening = True
                    self._listen(connection)
            except psycopg.Error as error:
                log.warning("positions_unavailable", error=error)
            except Exception:
                # Without this thread every wait would time out, and nothing would be live.
                log.exception("unexpected_error")
            finally:
                self._listening = False
            self._stopped.wait(_RECONNECT_S)

    def _listen(self, connection: Connection[Any]) -> None:
        while not self._stopped.is_set():
            heard = list(connection.notifies(timeout=RELOAD_S / 5, stop_after=1))
            for notify in heard:
                if notify.channel == CHANNEL:
                    self._take(notify)
                elif notify.channel == SESSION_ENDED:
                    for observer in self._session_observers:
                        observer(UUID(notify.payload))
            switched = any(notify.channel == CONTROL for notify in heard)
            if switched or time.monotonic() - self._loaded > RELOAD_S:
                self._load(connection)

    def _connect(self) -> Connection[Any]:
        return psycopg.connect(
            self._url,
            autocommit=True,
            connect_timeout=2,
            options=f"-c statement_timeout=2000 -c role={ROLE}",
            application_name="query positions",
            keepalives_idle=5,
            keepalives_interval=2,
            keepalives_count=2,
        )

    def _load(self, connection: Connection[Any]) -> None:
        """Reads all positions: at the start, after a switch of generations, and every `RELOAD_S`."""
        positions = {
            (projection, topic, int(partition)): ProjectionPosition(int(offset), int(position))
            for projection, topic, partition, offset, position in connection.execute(_LIVE).fetchall()
        }
        tables = dict(connection.execute(_TABLES).fetchall())
        self._loaded = time.monotonic()
        moved = {place[0] for place, seen in positions.items() if self._seen.get(place) != seen}
        with self._changed:
            self._version += not moved.isdisjoint(tables) or tables != self._tables
            self._seen, self._tables = positions, tables
            self._changed.notify_all()
        self._tell(moved)

    def _take(self, notify: Notify) -> None:
        parts = notify.payload.split(":")
        if len(parts) != 5 or not all(part.isdecimal() for part in parts[2:]):
            log.warning("notification_invalid", payload=notify.payload)
            return
        projection, topic, partition, next_offset, position = parts
        with self._changed:
            seen = ProjectionPosition(int(next_offset), int(position))
            self._seen = {**self._seen, (projection, topic, int(partition)): seen}
            self._version += projection in self._tables
            self._changed.notify_all()
        self._tell({projection})

    def _tell(self, projections: Iterable[str]) -> None:
        for projection in projections:
            for observer in self._observers:
                observer(projection)

    _loaded = 0.0
