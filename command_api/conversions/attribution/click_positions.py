"""Click positions: the end offsets of topic `clicks`, and the offsets that the live `events` projection has reached.

A report follows, in the log, every click that was acknowledged before it. The end offsets, read after the report, thus
cover all clicks that may have earned it. Once the projection has passed them, the decision has all these clicks. Each
decision records the positions it used.
"""

from __future__ import annotations

from collections.abc import Mapping
from threading import Event
from time import monotonic
from typing import Final, LiteralString

from command_api.kernel.container import Container
from infra.kernel.log import Log
from schemas.events.conversions import LogPosition
from schemas.topics import CLICKS

MAX_WAIT_S: Final = 4.0
"""The longest wait of a decision for the projection. After that, the decision is provisional and is made again
later."""
POLL_INTERVAL_S: Final = 0.03

Offsets = Mapping[int, int]
"""Next offset by partition."""


class ClickPositions:
    """Thread-safe but for `wait`, which one worker calls."""

    def __init__(self, container: Container, log: Log) -> None:
        self._container = container
        self._log = log
        self._stalled_at: Offsets | None = None

    def ends(self) -> Offsets:
        """The end offsets of the log in every partition that may have a click. Raises `LogUnavailable`."""
        ends = self._log.end_offsets((CLICKS.name, partition) for partition in projected(self._container))
        return {partition: offset for (_, partition), offset in ends.items()}

    def wait(self, wanted: Offsets, stop: Event) -> Offsets:
        """Waits until the projection has passed `wanted`, at most `MAX_WAIT_S`; returns its offsets. A projection that
        has not moved since the last timeout (paused, failed) is not waited for again."""
        deadline = monotonic() + MAX_WAIT_S
        offsets = projected(self._container)
        while not has_reached(offsets, wanted):
            if offsets == self._stalled_at:
                return offsets
            if monotonic() >= deadline or stop.wait(POLL_INTERVAL_S):
                self._stalled_at = offsets
                return offsets
            offsets = projected(self._container)
        self._stalled_at = None
        return offsets


def projected(container: Container) -> Offsets:
    """The offsets that the live projection has reached."""
    return {row[0]: row[1] for row in container.select(_PROJECTED, CLICKS.name)}


def has_reached(known: Offsets, wanted: Offsets) -> bool:
    """Returns whether `known` has reached `wanted` in every partition."""
    return all(known.get(partition, 0) >= offset for partition, offset in wanted.items())


def log_positions(known: Offsets) -> tuple[LogPosition, ...]:
    """The offsets as events record them."""
    return tuple(
        LogPosition(topic=CLICKS.name, partition=partition, offset=offset)
        for partition, offset in sorted(known.items())
    )


_PROJECTED: Final[LiteralString] = (
    "SELECT p.partition, p.next_offset FROM engine.position AS p JOIN engine.projection AS live"
    " ON live.name = p.projection AND live.live_generation = p.generation"
    " WHERE p.projection = 'events' AND p.topic = %s"
)
