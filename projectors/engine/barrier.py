"""A barrier: stops generations at one common offset of the log for a moment, without stopping their workers.

`hold` sets a barrier offset behind everything that is done or in progress; no worker may begin a range that passes it.
`Barrier.wait` returns when every generation is exactly there. The barrier is removed when its context ends, and expires
after its time, so that a crash of its holder stops no worker for long.
"""

# ruff: noqa: S608 - conditions are texts of this file

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic, sleep
from typing import Any, Final

from psycopg import Connection

from projectors.engine.projection import TopicPartition

LOOK_EVERY_S = 0.02


class BarrierLost(Exception):
    """The generations did not reach the barrier in time; nothing was decided."""


_HELD: Final = "(projection, generation) in (select * from unnest(%s::text[], %s::int[]))"
_ARRIVED: Final = "next_offset = stop_at and intent_to is null and stop_until > now()"


@dataclass
class Barrier:
    """`generations`: names and numbers; `places`: where each of them stops, per partition."""

    connection: Connection[Any]
    generations: tuple[list[str], list[int]]
    places: dict[TopicPartition, int]
    seconds: int

    def wait(self) -> None:
        """Returns when every generation is at `places`, with nothing under way. Raises `BarrierLost`."""
        deadline = monotonic() + self.seconds
        while not self._arrived():
            if monotonic() > deadline:
                held = list(zip(*self.generations, strict=True))
                raise BarrierLost(f"not all of {held} came to one place within {self.seconds} s")
            sleep(LOOK_EVERY_S)

    def require(self) -> None:
        """Checks the hold. Raises `BarrierLost` unless it is still valid; locks the positions until the transaction's
        end."""
        query = f"select {_ARRIVED} from engine.position where {_HELD} for update"
        rows = self.connection.execute(query, self.generations).fetchall()
        if not all(row[0] for row in rows):
            raise BarrierLost("the hold ended too early")

    def _arrived(self) -> bool:
        query = f"select bool_and({_ARRIVED}) from engine.position where {_HELD}"
        row = self.connection.execute(query, self.generations).fetchone()
        return bool(row and row[0])


@contextmanager
def hold(connection: Connection[Any], generations: Sequence[tuple[str, int]], seconds: int) -> Iterator[Barrier]:
    """Holds `generations` (projection, generation), which read the same partitions, at one place per partition."""
    held = ([name for name, _ in generations], [number for _, number in generations])
    with connection.transaction():
        rows = connection.execute(
            "select topic, partition, greatest(next_offset, coalesce(intent_to + 1, 0)) from engine.position "
            f"where {_HELD} for update",
            held,
        ).fetchall()
        places: dict[TopicPartition, int] = {}
        for topic, partition, reached in rows:
            place = TopicPartition(topic, partition)
            places[place] = max(places.get(place, 0), reached)
        for place, offset in places.items():
            connection.execute(
                "update engine.position set stop_at = %s, stop_until = now() + make_interval(secs => %s) "
                f"where {_HELD} and topic = %s and partition = %s",
                (offset, seconds, *held, *place),
            )
    try:
        yield Barrier(connection, held, places, seconds)
    finally:
        connection.execute(f"update engine.position set stop_at = null, stop_until = null where {_HELD}", held)
