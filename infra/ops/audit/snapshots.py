"""Snapshots of aggregates (`events.snapshots`) against their events: decisions load from them.

Only those that this program would load are compared: a snapshot of other code is read by nobody.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, Final

import psycopg
from eventsourcing.persistence import StoredEvent

from command_api.kernel import inline_rebuild, snapshots
from command_api.kernel.event_store import EventMapper
from infra.kernel.config.settings import Settings
from infra.kernel.security.subject_keys import open_keyring
from infra.ops.audit.quiescence import exists
from infra.ops.audit.report import AuditReport, DefectKind

TABLE: Final = "events.snapshots"
_ROWS_A_FETCH: Final = 100


def audit_snapshots(settings: Settings) -> AuditReport:
    """Folds the events of each stream that has a snapshot, one stream at a time. Reads in one snapshot of Postgres: it
    may run beside live traffic."""
    report = AuditReport()
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
                    report.found(DefectKind.WRONG, TABLE, f"the snapshot of {aggregate_id} at {version} {wrong}")
    return report


def _difference(connection: psycopg.Connection[Any], mapper: EventMapper, stored: StoredEvent) -> str:
    """Returns what is wrong with a snapshot; empty: nothing."""
    try:
        evolve = _function(stored.topic)
        snapshot = mapper.decode_snapshot(stored, evolve)
    except (ValueError, KeyError, ImportError, AttributeError) as error:
        return f"cannot be read: {type(error).__name__}"
    if snapshot is None:
        return ""  # of an erased person: nobody loads it
    expected = snapshots.Fold(evolve)
    events = connection.execute(_EVENTS, (stored.originator_id, stored.originator_version))
    for aggregate_id, version, topic, state in events:
        expected.add(mapper.to_domain_event(StoredEvent(aggregate_id, version, topic, bytes(state))))
    if expected.version != snapshot.version:
        return f"has no event: the stream ends at {expected.version}"
    return "" if expected.state == snapshot.state else "is not what its events give"


def _function(topic: str) -> Callable[[Any, Any], Any]:
    """The function that the topic names (`command_api.kernel.snapshots.topic_of`)."""
    module, _, name = topic.partition("@")[0].rpartition(".")
    function: Callable[[Any, Any], Any] = getattr(import_module(module), name)
    return function


_SNAPSHOTS: Final = (
    "SELECT originator_id, originator_version, topic, state FROM events.snapshots WHERE topic LIKE %s"
    " ORDER BY originator_id"
)
_EVENTS: Final = (
    "SELECT originator_id, originator_version, topic, state FROM events.stored_events"
    " WHERE originator_id = %s AND originator_version <= %s ORDER BY originator_version"
)
