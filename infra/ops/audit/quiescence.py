"""Waiting until everything that is in the log now has reached every table.

The ends are taken in the order in which things follow from each other, so that it also works under live traffic:
reports of conversions become decisions, decisions become records of topic `domain`, records become rows.
"""

from __future__ import annotations

from time import monotonic, sleep
from typing import Any, Final

import psycopg

from infra.kernel.log import Log, partitions
from infra.ops.audit.log_reader import Ends, ends_of
from schemas import topics

_POLL_S: Final = 0.1


class NotQuiescent(Exception):
    """Something did not catch up in time; the message says what."""


def wait_until_quiescent(log: Log, postgres: psycopg.Connection[Any], timeout_s: float) -> Ends:
    """The ends that every projection has passed. Raises `NotQuiescent`, and what the log and Postgres raise.

    `postgres` must be in autocommit mode.
    """
    deadline = monotonic() + timeout_s
    ends = ends_of(log, postgres, topics.CLICKS, topics.CONVERSIONS)
    _wait(lambda: _policies_behind(postgres, ends), deadline)
    newest = _newest_decision(postgres)
    _wait(lambda: _relay_behind(postgres, newest), deadline)
    ends |= ends_of(log, postgres, topics.DOMAIN, topics.REJECTED)  # the policy may have refused reports meanwhile
    _wait(lambda: _projections_behind(postgres, ends), deadline)
    if partitions.splits(postgres, topics.CLICKS.name):  # what was read was perhaps moved to another partition
        moved = ends_of(log, postgres, topics.CLICKS)
        _wait(lambda: _projections_behind(postgres, moved), deadline)
    return ends


def _wait(behind: Any, deadline: float) -> None:
    while waiting := behind():
        if monotonic() > deadline:
            raise NotQuiescent(waiting)
        sleep(_POLL_S)


def _policies_behind(postgres: psycopg.Connection[Any], ends: Ends) -> str:
    if not exists(postgres, "events.stored_events"):
        return ""
    rows = postgres.execute(
        "SELECT topic, partition, next_offset FROM engine.position WHERE generation = 0 AND topic = %s",
        (topics.CONVERSIONS.name,),
    ).fetchall()
    reached = {(topic, partition): offset for topic, partition, offset in rows}
    for (topic, partition), end in ends.items():
        if topic == topics.CONVERSIONS.name and reached.get((topic, partition), 0) < end:
            return f"the attribution policy is at {topic}[{partition}]@{reached.get((topic, partition), 0)} of {end}"
    return ""


def _newest_decision(postgres: psycopg.Connection[Any]) -> int:
    if not exists(postgres, "events.stored_events"):
        return 0
    row = postgres.execute("SELECT coalesce(max(notification_id), 0) FROM events.stored_events").fetchone()
    return int(row[0]) if row else 0


def _relay_behind(postgres: psycopg.Connection[Any], newest: int) -> str:
    if not newest:
        return ""
    reached = relayed_to(postgres)
    return f"the relay is at {reached} of {newest}" if reached < newest else ""


def relayed_to(postgres: psycopg.Connection[Any]) -> int:
    """The last decision that the relay says it has copied."""
    row = postgres.execute("SELECT coalesce(max(position), 0) FROM engine.relay").fetchone()
    return int(row[0]) if row else 0


def _projections_behind(postgres: psycopg.Connection[Any], ends: Ends) -> str:
    rows = postgres.execute(
        "SELECT q.projection, q.topic, q.partition, q.next_offset FROM engine.position q "
        "JOIN engine.projection p ON p.name = q.projection AND p.live_generation = q.generation"
    ).fetchall()
    for projection, topic, partition, reached in rows:
        end = ends.get((topic, partition), 0)
        if reached < end:
            return f"projection {projection} is at {topic}[{partition}]@{reached} of {end}"
    seen = {(topic, partition) for projection, topic, partition, _ in rows}
    for (topic, partition), end in ends.items():
        if end and topic != topics.CONVERSIONS.name and (topic, partition) not in seen:
            return f"no projection reads {topic}[{partition}]"
    return ""


def exists(postgres: psycopg.Connection[Any], table: str) -> bool:
    """Returns whether the table exists: a feature that was never used is not audited."""
    row = postgres.execute("SELECT to_regclass(%s)", (table,)).fetchone()
    return row is not None and row[0] is not None
