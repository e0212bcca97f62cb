"""Whether the days that a look is about have been counted to their end.

After an outage, or while much is imported, the log is ahead of the figures. A day of which only half is counted would
be told as a decline, or as silence.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import datetime
from typing import Final

from psycopg.rows import dict_row

from infra.identity import Pool
from infra.log import Log, Place
from schemas.topics import CLICKS, DOMAIN

WAIT_S: Final = 3.0
_PAUSE_S: Final = 0.1
_PLACES: Final = tuple((topic.name, number) for topic in (CLICKS, DOMAIN) for number in range(topic.partitions))
_READ: Final = (
    "SELECT p.topic, p.partition, p.next_offset, p.record_at FROM engine.position AS p"
    " JOIN engine.projection AS live ON live.name = p.projection AND live.live_generation = p.generation"
    " WHERE p.projection = 'events'"
)


class Counted:
    """Thread-safe."""

    def __init__(self, log: Log, pool: Pool) -> None:
        self._log, self._pool = log, pool

    def close(self) -> None:
        self._log.close()

    def until(self, moment: datetime) -> bool:
        """Whether whatever was in the log at `moment` is in the figures. Waits a little for what is in the log now.

        Raises `LogUnavailable`.
        """
        ends = self._log.end_offsets(_PLACES)
        deadline = time.monotonic() + WAIT_S
        while self._is_behind(ends, moment):
            if time.monotonic() >= deadline:
                return False
            time.sleep(_PAUSE_S)
        return True

    def _is_behind(self, ends: Mapping[Place, int], moment: datetime) -> bool:
        with self._pool.connection() as connection, connection.cursor(row_factory=dict_row) as cursor:
            rows = cursor.execute(_READ).fetchall()
        return any(
            row["next_offset"] < ends.get((row["topic"], row["partition"]), 0)
            and (row["record_at"] is None or row["record_at"] < moment)
            for row in rows
        )
