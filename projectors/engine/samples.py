"""Records samples for Prometheus and the pages for admins: the position of each generation, now and before."""

from __future__ import annotations

from collections.abc import Iterable
from time import monotonic
from typing import Any, Final

from prometheus_client import Gauge
from psycopg import Connection

from infra.kernel.log import partitions
from projectors.engine.status import Ends, Lag

EVERY_S: Final = 10.0
KEPT_HOURS: Final = 2
_LABELS: Final = ["projection", "generation", "topic", "partition"]
POSITION: Final = Gauge("projection_position", "The offset that is read next", _LABELS)
LAG_EVENTS: Final = Gauge("projection_lag_events", "Records between the position and the end of the log", _LABELS)
LAG_SECONDS: Final = Gauge("projection_lag_seconds", "Age of the last record taken, while there are more", _LABELS)
RATE: Final = Gauge("projection_rate", "Records a second, smoothed", _LABELS)
RETRYING: Final = Gauge("projection_retrying", "1 while a worker waits after an error", _LABELS)


def show(found: Iterable[Lag]) -> None:
    """Sets every gauge."""
    for lag in found:
        labels = (lag.projection, str(lag.generation), lag.topic, str(lag.partition))
        POSITION.labels(*labels).set(lag.next_offset)
        if lag.events is not None:
            LAG_EVENTS.labels(*labels).set(lag.events)
        LAG_SECONDS.labels(*labels).set(lag.seconds)
        RATE.labels(*labels).set(lag.rate)
        RETRYING.labels(*labels).set(1 if lag.error else 0)


class Sampler:
    """Called by the supervisor's leader at every beat. Records nothing while the log is unavailable."""

    def __init__(self, ends: Ends) -> None:
        self._ends = ends
        self._last: float | None = None

    def look(self, connection: Connection[Any], found: Iterable[Lag]) -> None:
        """Stores the log's ends; every `EVERY_S` also a sample of each lag, kept for `KEPT_HOURS`."""
        ends = self._ends.of(partitions.places(connection))
        if not ends:
            return
        names, numbers, offsets = zip(*[(topic, number, end) for (topic, number), end in ends.items()], strict=True)
        connection.execute(
            "insert into engine.log_end (topic, partition, end_offset) "
            "select * from unnest(%s::text[], %s::int[], %s::bigint[]) "
            "on conflict (topic, partition) do update set end_offset = excluded.end_offset, seen_at = now()",
            (list(names), list(numbers), list(offsets)),
        )
        if self._last is not None and monotonic() - self._last < EVERY_S:
            return
        self._last = monotonic()
        self._sample(connection, [lag for lag in found if lag.events is not None])

    def _sample(self, connection: Connection[Any], found: list[Lag]) -> None:
        columns = [
            (lag.projection, lag.generation, lag.topic, lag.partition, lag.end_offset, lag.seconds) for lag in found
        ]
        with connection.transaction():
            connection.execute(
                "insert into engine.sample (at, projection, generation, topic, partition, next_offset, end_offset, "
                "processed, lag_seconds, visible_after_s) select now(), p.projection, p.generation, p.topic, "
                "p.partition, p.next_offset, greatest(f.end_offset, p.next_offset), p.processed, f.seconds, "
                "case when p.intent_to is null then extract(epoch from p.updated_at - p.record_at) end "
                "from engine.position p join unnest(%s::text[], %s::int[], %s::text[], %s::int[], %s::bigint[], "
                "%s::real[]) as f (projection, generation, topic, partition, end_offset, seconds) "
                "using (projection, generation, topic, partition)",
                [list(column) for column in zip(*columns, strict=True)] if columns else [[]] * 6,
            )
            connection.execute(
                "insert into engine.log_sample (at, topic, end_offset) "
                "select now(), topic, sum(end_offset) from engine.log_end group by topic"
            )
            for table in ("sample", "log_sample"):
                connection.execute(
                    f"delete from engine.{table} where at < now() - make_interval(hours => %s)".encode(),  # noqa: S608 - own text
                    (KEPT_HOURS,),
                )
