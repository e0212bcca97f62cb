"""What a command made is usable everywhere once it is answered: a new key at the edge, a new link on its address.

Read-your-writes for clients that cannot send `X-Wait-For`, because they are another program at another port. Best
effort: the command is done, so when the projections are behind or away the answer goes out all the same. A connection
is taken for each look and given back: whoever waits must not keep those who work from theirs.
"""

from __future__ import annotations

import time
from collections.abc import Collection
from typing import Final

from psycopg import Error
from psycopg_pool import PoolTimeout

from infra.identity import Pool
from infra.threads import only_waiting

WITHIN_S: Final = 1.0
_FIRST_PAUSE_S: Final = 0.004
_LONGEST_PAUSE_S: Final = 0.05
_LAGGING: Final = (
    "SELECT 1 FROM engine.projection AS live JOIN engine.position AS p"
    " ON p.projection = live.name AND p.generation = live.live_generation"
    " WHERE live.name = ANY(%s) AND p.topic = 'domain' AND p.domain_position < %s"
    # Nobody reads: nothing will be seen, however long a person waits.
    " AND EXISTS (SELECT FROM engine.runner WHERE seen_at > now() - interval '10 seconds') LIMIT 1"
)


def wait_until_seen(pool: Pool, projections: Collection[str], position: int, within_s: float = WITHIN_S) -> bool:
    """Whether every live projection named has read `domain@position`, waiting for it at most `within_s`."""
    deadline, pause = time.monotonic() + within_s, _FIRST_PAUSE_S
    try:
        while _is_lagging(pool, projections, position):
            if time.monotonic() > deadline:
                return False
            with only_waiting():
                time.sleep(pause)
            pause = min(pause * 1.5, _LONGEST_PAUSE_S)
    except (Error, PoolTimeout):
        return False
    return True


def _is_lagging(pool: Pool, projections: Collection[str], position: int) -> bool:
    with pool.connection() as connection:
        return connection.execute(_LAGGING, (list(projections), position)).fetchone() is not None
