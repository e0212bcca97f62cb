"""Event handlers at work in a test without relay and leader: they process the event store instead of topic `domain`."""

from __future__ import annotations

from typing import Any

from command_api.kernel.container import Container
from command_api.kernel.outbox_relay import record_of
from command_api.service import notifications
from infra.kernel.log import StoredRecord, open_log
from schemas.envelope import STORED_COLUMNS
from schemas.topics import DOMAIN


def notify(container: Container, connection: Any) -> None:
    """Makes the notifications of all events that are stored. `connection` must be in autocommit mode."""
    log = open_log(container.settings)
    try:
        subscription = notifications(container, log)
        position = subscription.start(connection)
        records = stored_records(connection, after=position.domain_position)
        if records:
            subscription.process(connection, records, position)
        subscription.retry(connection)
    finally:
        log.close()


def stored_records(connection: Any, after: int = 0) -> list[StoredRecord]:
    """The records of topic `domain` as the relay makes them; the offset of each is its commit position."""
    rows = connection.execute(
        f"SELECT {STORED_COLUMNS} FROM events.stored_events WHERE notification_id > %s ORDER BY notification_id",
        (after,),
    ).fetchall()
    made = [(row[0], record_of(row)) for row in rows]
    return [
        StoredRecord(DOMAIN.name, 0, position, 0, record.key or b"", record.value, record.headers, is_signed=True)
        for position, record in made
    ]
