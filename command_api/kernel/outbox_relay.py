"""The relay: copies every stored event to topic `domain`, in commit order, at least once.

event store -> relay -> topic `domain` (one partition, so that a position is one number) -> projectors and policies.

The store's notification log is the outbox: it is written in the command's transaction. The relay publishes a page,
waits until the log has acknowledged all of it, then advances its position by compare-and-set. After a crash in between
it resumes behind the last position in the topic. A leader that lost its lock can only repeat records: consumers drop
positions that they have processed (`schemas.envelope.position_of`).
"""

from __future__ import annotations

from collections.abc import Sequence
from threading import Event
from typing import Final

import structlog
from prometheus_client import Counter, Gauge

from command_api.kernel.event_store import CHANNEL
from command_api.kernel.leader_election import Connection, notified
from infra.kernel.log import Log, Record, signature
from infra.kernel.observability import tracing
from schemas.envelope import STORED_COLUMNS, StoredRow, position_of, stored_headers
from schemas.topics import DOMAIN

NAME: Final = "relay:domain"
PAGE: Final = 1_000
ACK_TIMEOUT_S: Final = 15.0
MAX_WAIT_S: Final = 10.0

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)
_POSITION = Gauge("relay_position", "Position of the last event that is in topic domain")
_RELAYED = Counter("relay_events_total", "Events copied to topic domain")


class RelayFenced(Exception):
    """Another relay moved the position: this one is no longer the leader."""


class Relay:
    """`run` is the work of a `command_api.kernel.leader_election.Leader`."""

    def __init__(self, to: Log) -> None:
        self._log = to

    def run(self, connection: Connection, stop: Event) -> None:
        """Copies until `stop`. Raises `RelayFenced`, `LogUnavailable` or psycopg's errors, without data loss."""
        position = self._resume(connection)
        connection.execute(f"LISTEN {CHANNEL}")
        while not stop.is_set():
            page = connection.execute(_PAGE, (position, PAGE)).fetchall()
            if page:
                self._publish(page)
                position = _advance(connection, position, page[-1][0])
                _RELAYED.inc(len(page))
            if len(page) < PAGE and not stop.is_set():
                notified(connection, MAX_WAIT_S, stop)

    def _resume(self, connection: Connection) -> int:
        """Returns the position to resume behind: the stored one, or the last in the topic after a crash."""
        connection.execute("INSERT INTO engine.relay (name, position) VALUES (%s, 0) ON CONFLICT DO NOTHING", (NAME,))
        row = connection.execute("SELECT position FROM engine.relay WHERE name = %s", (NAME,)).fetchone()
        assert row is not None  # noqa: S101 - inserted above
        stored: int = row[0]
        published = self._last_published(signature.start(connection, DOMAIN.name, 0))
        if published > stored:
            log.info("relay_position_advanced", from_position=stored, to_position=published)
            return _advance(connection, stored, published)
        _POSITION.set(stored)
        return stored

    def _last_published(self, signed_from: float) -> int:
        end = self._log.end_offset(DOMAIN.name, 0)
        if end == 0:
            return 0
        last = 0
        source = self._log.source(DOMAIN.name, 0, max(0, end - PAGE))
        try:
            while records := source.read(PAGE, 1.0):
                # A forged record must not move the relay past what it has not copied yet.
                ours = [record for record in records if record.is_signed or record.offset < signed_from]
                last = max([last, *(position_of(record.headers) for record in ours)])
                if records[-1].offset >= end - 1:
                    break
        finally:
            source.close()
        return last

    def _publish(self, page: Sequence[StoredRow]) -> None:
        with tracing.recorded("relay", lambda: [row[6] or "" for row in page], {"events": len(page)}):
            self._log.publish([record_of(row) for row in page]).result(ACK_TIMEOUT_S)


def record_of(row: StoredRow) -> Record:
    """Returns the record of topic `domain` for a stored event: unchanged bytes, personal fields still encrypted."""
    return Record(topic=DOMAIN.name, key=str(row[1]).encode(), value=bytes(row[4]), headers=stored_headers(row))


def _advance(connection: Connection, position: int, to: int) -> int:
    moved = connection.execute(
        "UPDATE engine.relay SET position = %s WHERE name = %s AND position = %s", (to, NAME, position)
    )
    if moved.rowcount != 1:
        raise RelayFenced(f"the relay's position is no longer {position}")
    _POSITION.set(to)
    return to


_PAGE: Final = (
    f"SELECT {STORED_COLUMNS} FROM events.stored_events"  # noqa: S608 - own text
    " WHERE notification_id > %s ORDER BY notification_id LIMIT %s"
)
