"""Stopping generations at one common place in the log for a moment, without stopping their workers.

`held` writes the place behind everything that is done or under way into the positions (`stop_at`); no worker may claim
a range that passes it. `Hold.wait` returns when all have come exactly there. A hold ends with its context, and by
itself after its time, so that a crash of its holder stops nobody for long.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic, sleep
from typing import Any

from psycopg import Connection

from projectors.engine.projection import Place

LOOK_EVERY_S = 0.02


class HoldLost(Exception):
    """The generations did not come to the common place in time; nothing was decided."""


@dataclass
class Hold:
    """`places`: where every held generation stops, per partition."""

    connection: Connection[Any]
    generations: Sequence[tuple[str, int]]
    places: dict[Place, int]
    seconds: int

    def wait(self) -> None:
        """Returns when every generation is at `places`, with nothing under way. Raises `HoldLost`."""
        deadline = monotonic() + self.seconds
        while not self._arrived():
            if monotonic() > deadline:
                raise HoldLost(f"not all of {list(self.generations)} came to one place within {self.seconds} s")
            sleep(LOOK_EVERY_S)

    def require(self) -> None:
        """Raises `HoldLost` unless the hold still holds; locks the positions until the transaction's end."""
        rows = self.connection.execute(
            "select next_offset = stop_at and intent_to is null and stop_until > now() from engine.position "
            "where (projection, generation) in (select * from unnest(%s::text[], %s::int[])) for update",
            self._names(),
        ).fetchall()
        if not all(row[0] for row in rows):
            raise HoldLost("the hold ended too early")

    def _arrived(self) -> bool:
        row = self.connection.execute(
            "select bool_and(next_offset = stop_at and intent_to is null and stop_until > now()) from engine.position "
            "where (projection, generation) in (select * from unnest(%s::text[], %s::int[]))",
            self._names(),
        ).fetchone()
        return bool(row and row[0])

    def _names(self) -> tuple[list[str], list[int]]:
        return [name for name, _ in self.generations], [generation for _, generation in self.generations]


@contextmanager
def held(connection: Connection[Any], generations: Sequence[tuple[str, int]], seconds: int) -> Iterator[Hold]:
    """Holds `generations` (projection, generation), which read the same partitions, at one place per partition."""
    names, numbers = [name for name, _ in generations], [number for _, number in generations]
    with connection.transaction():
        rows = connection.execute(
            "select topic, partition, greatest(next_offset, coalesce(intent_to + 1, 0)) from engine.position "
            "where (projection, generation) in (select * from unnest(%s::text[], %s::int[])) for update",
            (names, numbers),
        ).fetchall()
        places: dict[Place, int] = {}
        for topic, partition, reached in rows:
            place = Place(topic, partition)
            places[place] = max(places.get(place, 0), reached)
        for place, offset in places.items():
            connection.execute(
                "update engine.position set stop_at = %s, stop_until = now() + make_interval(secs => %s) "
                "where (projection, generation) in (select * from unnest(%s::text[], %s::int[])) "
                "and topic = %s and partition = %s",
                (offset, seconds, names, numbers, place.topic, place.partition),
            )
    try:
        yield Hold(connection, generations, places, seconds)
    finally:
        connection.execute(
            "update engine.position set stop_at = null, stop_until = null "
            "where (projection, generation) in (select * from unnest(%s::text[], %s::int[]))",
            (names, numbers),
        )
