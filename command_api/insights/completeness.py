"""Checks that the analyzed days are completely projected.

After an outage or during an import the log is ahead of the read models. An incomplete day would appear as a decline or
as silence.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import datetime
from typing import Final

from psycopg.rows import dict_row

from infra.kernel.log import Log, TopicPartition
from infra.kernel.security.sessions import Pool
from schemas.topics import CLICKS, DOMAIN

MAX_WAIT_S: Final = 3.0
_POLL_INTERVAL_S: Final = 0.1
_PARTITIONS: Final = tuple((topic.name, number) for topic in (CLICKS, DOMAIN) for number in range(topic.partitions))
_READ: Final = (
    "SELECT p.topic, p.partition, p.next_offset, p.record_at FROM engine.position AS p"
    " JOIN engine.projection AS live ON live.name = p.projection AND live.live_generation = p.generation"
    " WHERE p.projection = 'events'"
)


def wait_until_counted(log: Log, pool: Pool, moment: datetime) -> bool:
    """Whether all records up to `moment` are projected. Waits briefly for the current end of the log.

    Raises `LogUnavailable`.
    """
    ends = log.end_offsets(_PARTITIONS)
    deadline = time.monotonic() + MAX_WAIT_S
    while _is_behind(pool, ends, moment):
        if time.monotonic() >= deadline:
            return False
        time.sleep(_POLL_INTERVAL_S)
    return True


def _is_behind(pool: Pool, ends: Mapping[TopicPartition, int], moment: datetime) -> bool:
    with pool.connection() as connection, connection.cursor(row_factory=dict_row) as cursor:
        rows = cursor.execute(_READ).fetchall()
    return any(
        row["next_offset"] < ends.get((row["topic"], row["partition"]), 0)
        and (row["record_at"] is None or row["record_at"] < moment)
        for row in rows
    )
