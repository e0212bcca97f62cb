"""How far the clicks are known: positions of topic `clicks` in the log, and of the projection that policies ask.

A report lies in the log behind every click that was acknowledged before it was received. So the log's ends, read after
the report, name all the clicks that may have earned it; once the live `events` projection has passed them, the decision
knows those clicks. It names the positions, so that anybody can see what it knew.
"""

from __future__ import annotations

from collections.abc import Mapping
from threading import Event
from time import monotonic
from typing import Final

from command_api.core import Core
from infra.log import Log
from schemas.events.conversions import LogPlace
from schemas.topics import CLICKS

WAIT_S: Final = 4.0
"""How long a decision waits for the projection. Beyond it the decision is provisional and taken up again."""
LOOK_AGAIN_S: Final = 0.03

Offsets = Mapping[int, int]
"""Offset behind the last known record, by partition."""


class ClickPositions:
    """Thread-safe but for `wait`, which one worker calls."""

    def __init__(self, core: Core, log: Log) -> None:
        self._core = core
        self._log = log
        self._stalled_at: Offsets | None = None

    def ends(self) -> Offsets:
        """Where the log ends now. Raises `LogUnavailable`."""
        found = self._log.end_offsets((CLICKS.name, partition) for partition in range(CLICKS.partitions))
        return {partition: offset for (_, partition), offset in found.items()}

    def projected(self) -> Offsets:
        """Up to where the live projection has read."""
        with self._core.pool.connection() as connection:
            rows = connection.execute(_PROJECTED, (CLICKS.name,)).fetchall()
        return dict.fromkeys(range(CLICKS.partitions), 0) | {row[0]: row[1] for row in rows}

    def wait(self, wanted: Offsets, stop: Event) -> Offsets:
        """Waits until the projection has passed `wanted`, at most `WAIT_S`; gives how far it is. A projection that has
        not moved since it was last waited for in vain (paused, failed) is not waited for again."""
        deadline = monotonic() + WAIT_S
        found = self.projected()
        while not covers(found, wanted):
            if found == self._stalled_at:
                return found
            if monotonic() >= deadline or stop.wait(LOOK_AGAIN_S):
                self._stalled_at = found
                return found
            found = self.projected()
        self._stalled_at = None
        return found


def covers(known: Offsets, wanted: Offsets) -> bool:
    """Whether everything before `wanted` is known."""
    return all(known.get(partition, 0) >= offset for partition, offset in wanted.items())


def places(known: Offsets) -> tuple[LogPlace, ...]:
    """Positions as events name them."""
    return tuple(
        LogPlace(topic=CLICKS.name, partition=partition, offset=offset) for partition, offset in sorted(known.items())
    )


_PROJECTED: Final = (
    "SELECT p.partition, p.next_offset FROM engine.position AS p JOIN engine.projection AS live"
    " ON live.name = p.projection AND live.live_generation = p.generation"
    " WHERE p.projection = 'events' AND p.topic = %s"
)
