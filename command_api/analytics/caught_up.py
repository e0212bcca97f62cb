"""Waits until the tables have what was sent before an erasure began, so that the erasure finds it.

Topics `clicks`, `conversions` and `rejected` -> projections in ClickHouse; `conversions` -> attribution policy -> event
store -> relay -> read models. The ends of the log are read when the wait begins, those of `rejected` once ingest has
appended what it gathers, and once the policy has published what it refuses. What comes later belongs to the erasure
only by the person's visitor ids (`command_api.analytics.erasure.sealed_texts`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from time import monotonic, sleep
from typing import Final, LiteralString

from command_api.kernel.container import Container
from infra.domain.visitor_data.samples import GATHERED_FOR_S
from infra.kernel.http.problems import Problem
from infra.kernel.log import Log, LogUnavailable, TopicPartition, partitions
from schemas.topics import CLICKS, CONVERSIONS, REJECTED

MAX_WAIT_S: Final = 10.0
APPENDED_WITHIN_S: Final = 2 * GATHERED_FOR_S
"""After this time a refused request is in the log: gathered, and appended."""
READS: Final = {"events": CLICKS.name, "refusals": REJECTED.name, "conversion_reports": CONVERSIONS.name}
"""The projections that an erasure searches, by what they read of ingest."""
DECIDED: Final = ("events", "conversions", "conversion_steps")
"""The projections that an erasure searches for what was decided."""
_POLL_S: Final = 0.05
_RETRY_AFTER_S: Final = "5"

Ends = Mapping[TopicPartition, int]


def wait_until_caught_up(container: Container, log: Log, within_s: float = MAX_WAIT_S) -> None:
    """Returns once an erasure finds what ingest had accepted when this was called. Holds no connection while it waits.

    Raises `Problem` 503: `tables_behind` after `within_s`, at once where no projector runs, and `log_unavailable`.
    """
    began = monotonic()
    try:
        deadline = began + within_s if container.select(_RUNNING) else began
        ends = _ends(container, log, deadline, CLICKS.name, CONVERSIONS.name)
        _wait(lambda: _is_policy_behind(container, ends), deadline)
        sleep(max(0.0, began + APPENDED_WITHIN_S - monotonic()))
        ends = {**ends, **_ends(container, log, deadline, REJECTED.name)}
        [(newest,)] = container.select("SELECT coalesce(max(notification_id), 0) FROM events.stored_events")
        _wait(lambda: _are_tables_behind(container, ends, newest), deadline)
    except LogUnavailable as error:
        message = "The log is unavailable, so nothing was erased. Please try again in a moment."
        raise Problem(503, "log_unavailable", message, headers={"Retry-After": _RETRY_AFTER_S}) from error


def _ends(container: Container, log: Log, deadline: float, *topics: str) -> Ends:
    """Reads the end offsets, repeatedly until the deadline: on a busy machine the first connection takes longer than
    one call waits."""
    with container.pool.connection() as connection:
        places = [place for place in partitions.places(connection) if place[0] in topics]
    while True:
        try:
            return log.end_offsets(places)
        except LogUnavailable:
            if monotonic() >= deadline:
                raise
            sleep(_POLL_S)


def _wait(is_behind: Callable[[], bool], deadline: float) -> None:
    while is_behind():
        if monotonic() >= deadline:
            message = (
                "What was sent in the last moments is still being processed, so nothing was erased."
                " Please try again in a moment."
            )
            raise Problem(503, "tables_behind", message, headers={"Retry-After": _RETRY_AFTER_S})
        sleep(_POLL_S)


def _is_policy_behind(container: Container, ends: Ends) -> bool:
    reached = dict(container.select(_POLICY, CONVERSIONS.name))
    return any(reached.get(number, 0) < end for (topic, number), end in ends.items() if topic == CONVERSIONS.name)


def _are_tables_behind(container: Container, ends: Ends, newest: int) -> bool:
    read = {(name, topic, number): (offset, at) for name, topic, number, offset, at in container.select(_LIVE)}
    return any(
        read.get((name, topic, number), (0, 0))[0] < end
        for name, read_topic in READS.items()
        for (topic, number), end in ends.items()
        if topic == read_topic
    ) or any(read.get((name, "domain", 0), (0, 0))[1] < newest for name in DECIDED)


_POLICY: Final[LiteralString] = (
    "SELECT partition, next_offset FROM engine.position"
    " WHERE generation = 0 AND projection LIKE 'policy:%%' AND topic = %s"
)
_RUNNING: Final[LiteralString] = "SELECT FROM engine.runner WHERE seen_at > now() - interval '10 seconds'"
_LIVE: Final[LiteralString] = (
    "SELECT p.projection, p.topic, p.partition, p.next_offset, p.domain_position FROM engine.position AS p"
    " JOIN engine.projection AS live ON live.name = p.projection AND live.live_generation = p.generation"
)
