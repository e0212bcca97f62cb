"""Read-your-writes: delays a response until the read models that handle the command's events have processed them.

For results that other programs use, such as a new key or link at ingest, which cannot send `X-Wait-For`. Best effort:
the response is sent even if the projections lag or do not run. Each poll borrows a connection and returns it, so that
waiting requests do not exhaust the pool.
"""

from __future__ import annotations

import time
from collections.abc import Collection
from typing import Final

from psycopg import Error
from psycopg_pool import PoolTimeout

from infra.kernel.http.worker_slots import release_worker_slot
from infra.kernel.security.sessions import Pool

WITHIN_S: Final = 1.0
_FIRST_PAUSE_S: Final = 0.004
_MAX_PAUSE_S: Final = 0.05
_LAGGING: Final = (
    "SELECT 1 FROM engine.projection AS live JOIN engine.position AS p"
    " ON p.projection = live.name AND p.generation = live.live_generation"
    " WHERE live.event_names && %s AND p.topic = 'domain' AND p.domain_position < %s"
    # Without a running projector waiting is useless.
    " AND EXISTS (SELECT FROM engine.runner WHERE seen_at > now() - interval '10 seconds') LIMIT 1"
)


def wait_for_projections(pool: Pool, event_names: Collection[str], position: int, within_s: float = WITHIN_S) -> bool:
    """Waits at most `within_s`; returns whether every live read model that handles one of the events has processed
    `domain@position`."""
    deadline, pause = time.monotonic() + within_s, _FIRST_PAUSE_S
    try:
        while _is_lagging(pool, event_names, position):
            if time.monotonic() > deadline:
                return False
            with release_worker_slot():
                time.sleep(pause)
            pause = min(pause * 1.2, _MAX_PAUSE_S)
    except (Error, PoolTimeout):
        return False
    return True


def _is_lagging(pool: Pool, event_names: Collection[str], position: int) -> bool:
    with pool.connection() as connection:
        return connection.execute(_LAGGING, (list(event_names), position)).fetchone() is not None
