"""What Prometheus sees of the projections."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from prometheus_client import Gauge

from projectors.engine.status import Lag

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
