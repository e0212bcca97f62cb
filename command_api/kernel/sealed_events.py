"""Erases what the stored events of an aggregate have sealed for a website's visitor (`schemas.envelope`).

The person's leaf is taken out of every key that sealed them, and a new key begins, in the transaction in which the
aggregate's state loses the person: what is decided later contains nothing of them, or what they sent later.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from typing import Any, Final
from uuid import UUID

import orjson
from eventsourcing.persistence import StoredEvent
from psycopg import Cursor
from psycopg.rows import tuple_row

from command_api.kernel import account_usage
from command_api.kernel.event_store import EventMapper
from infra.kernel.config.settings import Settings
from infra.kernel.security import text_keys
from infra.kernel.security.text_key_cache import TextOpener
from infra.kernel.security.text_keys import PUNCTURE_BYTES, TextKeys
from schemas.base import DomainEvent
from schemas.envelope import SEALED


def erase(
    cursor: Cursor[Any], settings: Settings, aggregate_ids: Sequence[UUID], account_id: UUID | None
) -> list[DomainEvent]:
    """Makes unreadable what the events of these aggregates have sealed; returns the events that nobody can read as they
    were any more. Needs the store's lock. `account_id`: is charged for what the keys grow by."""
    keys, rows = TextKeys(settings), cursor.connection.cursor(row_factory=tuple_row)
    cursor.execute(_FORGET_SNAPSHOTS, (list(aggregate_ids),))
    mapper = EventMapper(None, TextOpener(partial(keys.read, rows)))
    events, leaves = list[DomainEvent](), defaultdict[int, set[bytes]](set)
    for aggregate_id, version, topic, state in rows.execute(_SEALED, (list(aggregate_ids),)).fetchall():
        sealed = orjson.loads(state).get(SEALED)
        if not isinstance(sealed, str):
            continue  # only an inner text looks like it
        event, number = mapper.opened(StoredEvent(aggregate_id, version, topic, bytes(state)))
        if number:
            events.append(event)
            leaves[number].add(text_keys.parse(sealed.encode()).leaf)
    if leaves:
        keys.erase(cursor, leaves)
        keys.create(cursor)
        if account_id is not None:
            size = PUNCTURE_BYTES * sum(map(len, leaves.values()))
            account_usage.charge_bytes(cursor.connection, account_id, size)
    return events


_SEALED: Final = (
    "SELECT originator_id, originator_version, topic, state FROM events.stored_events WHERE originator_id = ANY(%s)"
    " AND position('\"sealed\":'::bytea IN state) > 0 ORDER BY notification_id"
)
_FORGET_SNAPSHOTS: Final = "DELETE FROM events.snapshots WHERE originator_id = ANY(%s)"
