"""Reads the state of projections: positions against the log's ends, for the CLI, metrics and the supervisor."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from threading import Lock
from time import monotonic
from typing import Any, Final

from psycopg import Connection
from psycopg.rows import dict_row

from infra.kernel.log import Log, LogUnavailable, TopicPartition

ENDS_KEPT_S: Final = 0.5


class Ends:
    """The log's end offsets, queried at most twice a second; none while the log is unavailable.

    One query reads all partitions: a log that hangs delays callers once, not once for each partition.
    Thread-safe: concurrent callers share one query.
    """

    def __init__(self, log: Log) -> None:
        self._log = log
        self._wanted: frozenset[TopicPartition] = frozenset()
        self._known: Mapping[TopicPartition, int] = {}
        self._asked_at = 0.0
        self._asking = Lock()

    def of(self, places: Iterable[TopicPartition]) -> Mapping[TopicPartition, int]:
        """Returns the known end offsets; empty: the log does not answer."""
        with self._asking:
            queried = self._wanted | set(places)
            if queried != self._wanted or monotonic() - self._asked_at >= ENDS_KEPT_S:
                self._wanted = queried
                try:
                    self._known = self._log.end_offsets(sorted(queried))
                except LogUnavailable:
                    self._known = {}
                self._asked_at = monotonic()
            return self._known

    def one(self, topic: str, partition: int) -> int | None:
        """Returns the end offset of one partition; none: the log does not answer."""
        return self.of([(topic, partition)]).get((topic, partition))


@dataclass(frozen=True)
class Lag:
    """A partition's distance to the end of the log. `events` is none while the log does not answer."""

    projection: str
    generation: int
    topic: str
    partition: int
    next_offset: int
    end_offset: int | None
    events: int | None
    seconds: float
    rate: float
    error: str
    owner: str | None
    intent_to: int | None
    domain_position: int
    processed: int
    updated_at: datetime


def lags(connection: Connection[Any], ends: Ends, name: str | None = None) -> list[Lag]:
    """Returns the lag of every partition of every generation that is not dropped, or of one projection."""
    with connection.cursor(row_factory=dict_row) as cursor:
        rows = cursor.execute(
            "select projection, generation, topic, partition, next_offset, intent_to, domain_position, owner, "
            "updated_at, record_at, processed, rate, error from engine.position "
            "where %(name)s::text is null or projection = %(name)s order by 1, 2, 3, 4",
            {"name": name},
        ).fetchall()
    end_offsets = ends.of((row["topic"], row["partition"]) for row in rows)
    return [_lag(end_offsets.get((row["topic"], row["partition"])), **row) for row in rows]


def total(found: Iterable[Lag]) -> tuple[int | None, float]:
    """Events and seconds behind, over all partitions."""
    found = list(found)
    events = None if any(lag.events is None for lag in found) else sum(lag.events or 0 for lag in found)
    return events, max((lag.seconds for lag in found), default=0.0)


def open_dead_letters(connection: Connection[Any]) -> dict[tuple[str, int], int]:
    """Counts the open dead letters, by projection and generation."""
    rows: Sequence[tuple[str, int, int]] = connection.execute(
        "select projection, generation, count(*) from engine.dead_letter where state = 'open' group by 1, 2"
    ).fetchall()
    return {(name, generation): count for name, generation, count in rows}


def is_running(connection: Connection[Any]) -> bool:
    """Returns whether a service runs the projections now."""
    row = connection.execute(
        "select exists (select 1 from engine.runner where seen_at > now() - interval '10 seconds')"
    ).fetchone()
    return bool(row and row[0])


def _lag(end_offset: int | None, record_at: datetime | None, rate: float, **stored: Any) -> Lag:
    """`stored`: the other columns of `engine.position`, which are fields of `Lag`."""
    events = None if end_offset is None else max(0, end_offset - stored["next_offset"])
    age = datetime.now(UTC) - (record_at or stored["updated_at"])
    return Lag(
        end_offset=end_offset,
        events=events,
        seconds=age.total_seconds() if events else 0.0,
        rate=rate if events else 0.0,
        **stored,
    )
