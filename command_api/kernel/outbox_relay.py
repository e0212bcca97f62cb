"""The relay: copies every stored event to topic `domain`, in commit order, at least once.

event store -> relay -> topic `domain` (one partition, so that a position is one number) -> projectors and policies.

The store's notification log is the outbox: it was written in the command's own transaction. The relay publishes a page,
waits until the log has acknowledged all of it, then moves its position by compare-and-set. Killed in between, it finds
at its next start the last position that lies in the topic, and goes on behind it. A leader that lost its lock unnoticed
can only repeat: consumers drop positions that they have had (`schemas.envelope.position_of`).
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from threading import Event
from typing import Any, Final

from prometheus_client import Counter, Gauge

from command_api.leader import Connection
from command_api.store import CHANNEL, name_and_version
from infra.log import Log, Record, signature
from schemas.envelope import headers, position_of
from schemas.topics import DOMAIN

NAME: Final = "relay:domain"
PAGE: Final = 1_000
ACK_TIMEOUT_S: Final = 15.0
POLL_S: Final = 1.0

log = logging.getLogger(__name__)
_POSITION = Gauge("relay_position", "Position of the last event that is in topic domain")
_RELAYED = Counter("relay_events_total", "Events copied to topic domain")


class Fenced(Exception):
    """Another relay moved the position: this one is no longer the leader."""


class Relay:
    """`run` is the work of a `command_api.leader.Leader`."""

    def __init__(self, to: Log) -> None:
        self._log = to

    def run(self, connection: Connection, stop: Event) -> None:
        """Copies until `stop`. Raises `Fenced`, `LogUnavailable` or what psycopg raises; nothing is lost by that."""
        position = self._resume(connection)
        connection.execute(f"LISTEN {CHANNEL}")
        while not stop.is_set():
            page = connection.execute(_PAGE, (position, PAGE)).fetchall()
            if page:
                self._publish(page)
                position = _advance(connection, position, page[-1][0])
                _RELAYED.inc(len(page))
            if len(page) < PAGE and not stop.is_set():
                for _ in connection.notifies(timeout=POLL_S, stop_after=1):
                    pass

    def _resume(self, connection: Connection) -> int:
        """The position to go on behind: the stored one, or the topic's last when the relay died before storing it."""
        connection.execute("INSERT INTO engine.relay (name, position) VALUES (%s, 0) ON CONFLICT DO NOTHING", (NAME,))
        row = connection.execute("SELECT position FROM engine.relay WHERE name = %s", (NAME,)).fetchone()
        assert row is not None  # noqa: S101 - inserted above
        stored: int = row[0]
        published = self._last_published(signature.start(connection, DOMAIN.name, 0))
        if published > stored:
            log.info("the topic is ahead: going on behind %d, not %d", published, stored)
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

    def _publish(self, page: Sequence[tuple[Any, ...]]) -> None:
        self._log.publish([record_of(row) for row in page]).result(ACK_TIMEOUT_S)


def record_of(row: tuple[Any, ...]) -> Record:
    """The record of topic `domain` for one stored event: its bytes as they are, personal fields still encrypted."""
    position, aggregate_id, aggregate_version, topic, state = row
    name, version = name_and_version(topic)
    return Record(
        topic=DOMAIN.name,
        key=str(aggregate_id).encode(),
        value=bytes(state),
        headers=headers(name, version, position, aggregate_id, aggregate_version),
    )


def _advance(connection: Connection, before: int, to: int) -> int:
    moved = connection.execute(
        "UPDATE engine.relay SET position = %s WHERE name = %s AND position = %s", (to, NAME, before)
    )
    if moved.rowcount != 1:
        raise Fenced(f"the relay's position is no longer {before}")
    _POSITION.set(to)
    return to


_PAGE: Final = """
SELECT notification_id, originator_id, originator_version, topic, state FROM events.stored_events
WHERE notification_id > %s ORDER BY notification_id LIMIT %s"""
