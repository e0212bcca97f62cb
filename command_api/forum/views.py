"""How often threads are opened: each visitor once a day, without keeping who they were.

A visitor is a hash of address and browser (or account) with a salt that is made anew every day and deleted after two.
`note` counts into `ops.forum_views`; `Counting`, the work of a `command_api.leader.Leader`, makes an event of what
waits there, one for each thread, in the transaction that takes it away: no kill counts a view twice or not at all.
"""

from __future__ import annotations

import os
from datetime import UTC, date, datetime
from hashlib import blake2b
from threading import Event
from typing import Any, Final
from uuid import UUID

from psycopg import Cursor

from command_api.core import Core
from command_api.decision import by_system, step
from command_api.leader import Connection
from command_api.store import Conflict
from infra.identity import Pool
from schemas.events.forum import ThreadViewsCounted
from schemas.identity import forum_views_id

NAME: Final = "forum:views"
EVERY_S: Final = 10.0
AT_ONCE: Final = 200


def note(pool: Pool, thread_id: UUID, visitor: str, at: datetime | None = None) -> bool:
    """Counts a view; whether it counted. `visitor`: whatever tells them apart, of which nothing is kept."""
    today = (at or datetime.now(UTC)).date()
    with pool.connection() as connection:
        salt = _salt(connection, today)
        hashed = blake2b(f"{thread_id}\n{visitor}".encode(), key=salt, digest_size=16).digest()
        found = connection.execute(_NOTE, {"day": today, "thread": thread_id, "visitor": hashed}).fetchone()
    return found is not None


class Counting:
    """`run` is the work of a `command_api.leader.Leader`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def run(self, connection: Connection, stop: Event) -> None:
        while not stop.is_set():
            if self.flush() < AT_ONCE:
                stop.wait(EVERY_S)

    def flush(self) -> int:
        """Makes events of what waits, for some threads; for how many. `Conflict` with another process: none of it."""
        with self._core.pool.connection() as connection:
            waiting = connection.execute(_WAITING, (AT_ONCE,)).fetchall()
        if not waiting:
            return 0
        asked = by_system()
        events = [
            ThreadViewsCounted(**step(forum_views_id(thread_id), version, asked), thread_id=thread_id, views=views)
            for thread_id, views, version in self._with_versions([tuple(row) for row in waiting])
        ]

        def also(cursor: Cursor[dict[str, Any]], _: int | None) -> None:
            for event in events:
                if not cursor.execute(_TAKE, {"views": event.views, "thread": event.thread_id}).rowcount:
                    raise Conflict("views")  # another took them between our two looks

        try:
            self._core.store.write(events, also)
        except Conflict:
            return 0
        return len(events)

    def _with_versions(self, waiting: list[tuple[UUID, int]]) -> list[tuple[UUID, int, int]]:
        ids = {forum_views_id(thread_id): thread_id for thread_id, _ in waiting}
        with self._core.pool.connection() as connection:
            found = dict(connection.execute(_VERSIONS, (list(ids),)).fetchall())
        return [(thread_id, views, found.get(forum_views_id(thread_id), 0)) for thread_id, views in waiting]


def _salt(connection: Any, today: date) -> bytes:
    connection.execute(
        "INSERT INTO ops.forum_salt (day, salt) VALUES (%s, %s) ON CONFLICT DO NOTHING", (today, os.urandom(32))
    )
    row = connection.execute("SELECT salt FROM ops.forum_salt WHERE day = %s", (today,)).fetchone()
    return bytes(row[0])


_NOTE: Final = """
WITH fresh AS (
    INSERT INTO ops.forum_visit (day, thread_id, visitor)
    SELECT %(day)s, thread_id, %(visitor)s FROM ops.forum_views WHERE thread_id = %(thread)s
    ON CONFLICT DO NOTHING RETURNING thread_id
)
UPDATE ops.forum_views AS v SET waiting = v.waiting + 1 FROM fresh WHERE v.thread_id = fresh.thread_id RETURNING 1"""
_WAITING: Final = "SELECT thread_id, waiting FROM ops.forum_views WHERE waiting > 0 ORDER BY thread_id LIMIT %s"
_TAKE: Final = (
    "UPDATE ops.forum_views SET waiting = waiting - %(views)s WHERE thread_id = %(thread)s AND waiting >= %(views)s"
)
_VERSIONS: Final = (
    "SELECT originator_id, max(originator_version) FROM events.stored_events WHERE originator_id = ANY(%s)"
    " GROUP BY originator_id"
)
