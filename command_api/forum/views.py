"""Counts thread views: each visitor once a day, without storing who they are.

A visitor is a hash of address and browser (or account) with a salt that is created every day and deleted after two.
`count_view` counts into `forum.views`; the recurring job `flush` sends the command that makes an event of what
waits there, one for each thread, in the transaction that takes it away: no kill counts a view twice or not at all.
"""

from __future__ import annotations

import os
from datetime import UTC, date, datetime, timedelta
from hashlib import blake2b
from typing import Any, Final
from uuid import UUID

from command_api.forum.commands import CountViews
from command_api.kernel.container import Container
from command_api.kernel.decision import system_context
from infra.kernel.security.sessions import Pool

NAME: Final = "forum:views"
FLUSH_INTERVAL: Final = timedelta(seconds=10)
BATCH_SIZE: Final = 200


def count_view(pool: Pool, thread_id: UUID, visitor: str, at: datetime | None = None) -> bool:
    """Counts a view; returns whether it counted. `visitor`: distinguishes visitors and is stored as a hash only."""
    today = (at or datetime.now(UTC)).date()
    with pool.connection() as connection:
        salt = _salt(connection, today)
        hashed = blake2b(f"{thread_id}\n{visitor}".encode(), key=salt, digest_size=16).digest()
        row = connection.execute(_NOTE, {"day": today, "thread": thread_id, "visitor": hashed}).fetchone()
    return row is not None


def flush(container: Container) -> int:
    """Writes events for all waiting views; returns the number of their threads."""
    flushed = 0
    while threads := container.commands.dispatch(CountViews(BATCH_SIZE), system_context()).answer:
        flushed += threads
        if threads < BATCH_SIZE:
            break
    return flushed


def _salt(connection: Any, today: date) -> bytes:
    connection.execute(
        "INSERT INTO forum.salt (day, salt) VALUES (%s, %s) ON CONFLICT DO NOTHING", (today, os.urandom(32))
    )
    row = connection.execute("SELECT salt FROM forum.salt WHERE day = %s", (today,)).fetchone()
    return bytes(row[0])


_NOTE: Final = """
WITH fresh AS (
    INSERT INTO forum.visit (day, thread_id, visitor)
    SELECT %(day)s, thread_id, %(visitor)s FROM forum.views WHERE thread_id = %(thread)s
    ON CONFLICT DO NOTHING RETURNING thread_id
)
UPDATE forum.views AS v SET waiting = v.waiting + 1 FROM fresh WHERE v.thread_id = fresh.thread_id RETURNING 1"""
