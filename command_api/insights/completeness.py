"""Checks that the analyzed days are completely projected.

After an outage or during an import the log is ahead of the read models. An incomplete day would appear as a decline or
as silence.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from psycopg.rows import dict_row

from infra.kernel.log import Log, TopicPartition
from infra.kernel.security.sessions import Pool

MAX_WAIT_S: Final = 3.0
_POLL_INTERVAL_S: Final = 0.1
_READ: Final = (
    "SELECT p.topic, p.partition, p.next_offset, p.record_at FROM engine.position AS p"
    " JOIN engine.projection AS live ON live.name = p.projection AND live.live_generation = p.generation"
    " WHERE p.projection = 'events'"
)


def wait_until_counted(log: Log, pool: Pool, moment: datetime) -> bool:
    """Returns whether all records up to `moment` are projected. Waits briefly for the current end of the log.

    Raises `LogUnavailable`.
    """
    ends = log.end_offsets((row["topic"], row["partition"]) for row in _read_positions(pool))
    deadline = time.monotonic() + MAX_WAIT_S
    while _is_behind(pool, ends, moment):
        if time.monotonic() >= deadline:
            return False
        time.sleep(_POLL_INTERVAL_S)
    return True


def _is_behind(pool: Pool, ends: Mapping[TopicPartition, int], moment: datetime) -> bool:
    return any(
        row["next_offset"] < ends.get((row["topic"], row["partition"]), 0)
        and (row["record_at"] is None or row["record_at"] < moment)
        for row in _read_positions(pool)
    )


def _read_positions(pool: Pool) -> list[dict[str, Any]]:
    with pool.connection() as connection, connection.cursor(row_factory=dict_row) as cursor:
        rows: list[dict[str, Any]] = cursor.execute(_READ).fetchall()
        return rows
