"""Snapshots of aggregates (`events.snapshots`) against their events: decisions load from them.

Only those that this program would load are compared: a snapshot of other code is read by nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any, Final

import psycopg
from eventsourcing.persistence import StoredEvent

from command_api.kernel import inline_rebuild, snapshots
from command_api.kernel.event_store import EventMapper
from infra.kernel.config.settings import Settings
from infra.kernel.security.subject_keys import open_keyring
from infra.ops.audit.quiescence import exists
from infra.ops.audit.report import Kind, Report
from schemas.base import DomainEvent
from schemas.evolution import Evolution, UnexpectedEvent

Evolve = Callable[[Any, Any], Any]
TABLE: Final = "events.snapshots"
_ROWS_A_FETCH: Final = 100


def audit_snapshots(settings: Settings) -> Report:
    """Folds the events of each stream that has a snapshot, one stream at a time. Reads in one snapshot of Postgres: it
    may run beside live traffic."""
    report = Report()
    with inline_rebuild.open_connection(settings) as connection, open_keyring(settings) as keyring:
        if not exists(connection, TABLE):
            return report
        mapper = EventMapper(keyring)
        with connection.transaction(), connection.cursor("snapshots") as rows:
            connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            rows.itersize = _ROWS_A_FETCH
            for aggregate_id, version, topic, state in rows.execute(_SNAPSHOTS, (f"%@{snapshots.code_hash()}",)):
                report.checked[f"rows of {TABLE}"] += 1
                stored = StoredEvent(aggregate_id, version, topic, bytes(state))
                if wrong := _difference(connection, mapper, stored):
                    report.found(Kind.WRONG, TABLE, f"the snapshot of {aggregate_id} at {version} {wrong}")
    return report


def _difference(connection: psycopg.Connection[Any], mapper: EventMapper, stored: StoredEvent) -> str:
    """What is wrong with a snapshot; empty: nothing."""
    try:
        evolves = _functions(stored.topic)
        found = mapper.decode_snapshot(stored, evolves[0])
    except (ValueError, KeyError, ImportError, AttributeError) as error:
        return f"cannot be read: {type(error).__name__}"
    if found is None:
        return ""  # of an erased person: nobody loads it
    rows = connection.execute(_EVENTS, (stored.originator_id, stored.originator_version))
    events = [mapper.to_domain_event(StoredEvent(stream, at, name, bytes(state))) for stream, at, name, state in rows]
    expected = _fold(evolves, events)
    if expected is None:
        return "is of a state to which its events do not happen"
    if expected.version != found.version:
        return f"has no event: the stream ends at {expected.version}"
    return "" if expected.state == found.state else "is not what its events give"


def _fold(evolves: Sequence[Evolve], events: Sequence[DomainEvent]) -> snapshots.Fold[Any] | None:
    """The events, by the first function that takes them all."""
    for evolve in evolves:
        fold = snapshots.Fold(evolve)
        with suppress(UnexpectedEvent):
            for event in events:
                fold.add(event)
            return fold
    return None


def _functions(topic: str) -> Sequence[Evolve]:
    """The function that the topic names (`command_api.kernel.snapshots.topic_of`): by its own name, or, where a state
    declares its events, by the name of the state; one state may have several."""
    module, _, name = topic.partition("@")[0].rpartition(".")
    imported = import_module(module)
    named: Any = getattr(imported, name)
    return [each for each in vars(imported).values() if isinstance(each, Evolution) and each.state is named] or [named]


_SNAPSHOTS: Final = (
    "SELECT originator_id, originator_version, topic, state FROM events.snapshots WHERE topic LIKE %s"
    " ORDER BY originator_id"
)
_EVENTS: Final = (
    "SELECT originator_id, originator_version, topic, state FROM events.stored_events"
    " WHERE originator_id = %s AND originator_version <= %s ORDER BY originator_version"
)
