"""Creates, rebuilds and verifies the tables of inline projections from the event store.

A rebuild reads the events in batches beside live writes into tables of its own; only its last step locks the store,
applies the rest and swaps the tables. Verification reads events and tables in one snapshot, so that it may run at any
time and blocks nobody.

What the events have sealed for visitors of websites is read with the keys of the same moment. An erasure changes tables
without an event that tells of it, so a rebuild during which one came begins again.

During an upgrade, services of the previous release append events beside the new tables, and write no rows to those that
they do not know. So what an upgrade built is built again until those services have ended (`repeat_after_upgrade`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from threading import Event
from typing import Any, Final, LiteralString

import psycopg
import structlog
from eventsourcing.persistence import StoredEvent
from psycopg import sql
from psycopg.rows import dict_row, tuple_row
from psycopg_pool import ConnectionPool

from command_api.kernel.event_store import EventMapper, name_and_version
from command_api.kernel.inline_projection import SCHEMA, InlineProjection, InlineProjections, identifier
from infra.kernel.config.settings import Settings
from infra.kernel.postgres.memory_rows import Difference, compare
from infra.kernel.postgres.pool import required_url
from infra.kernel.security.text_key_cache import TextOpener
from infra.kernel.security.text_keys import TextKeys
from schemas.base import DomainEvent

BATCH_EVENTS: Final = 2_000
MAX_DIFFERENCES: Final = 100
SUFFIX: Final = "__build"
"""Suffix of the tables that a rebuild fills."""
REPEATS: Final = "inline-projections-after-upgrade"
REPEAT_INTERVAL: Final = timedelta(seconds=10)

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)

Connection = psycopg.Connection[Any]
Progress = Callable[[int], None]
"""Is called with the number of positions that were passed since the call before."""


@dataclass(frozen=True, slots=True)
class Verification:
    """The result of a verification: compared rows and at most `MAX_DIFFERENCES` differences."""

    rows: int
    differences: Sequence[Difference]


@dataclass(frozen=True, slots=True)
class TablesInUse:
    """The version of the tables in use, how often they were rebuilt, and the position and time of the last rebuild."""

    version: int
    generation: int
    position: int
    rebuilt_at: datetime


class Rebuilding(Exception):
    """Another process rebuilds the projection."""


def create_tables(settings: Settings, projections: InlineProjections) -> None:
    """Builds every projection that has no tables or tables of another version. A step of `althing migrate`."""
    with open_connection(settings) as connection:
        connection.execute(sql.SQL("create schema if not exists {}").format(sql.Identifier(SCHEMA)))
        connection.execute(
            sql.SQL(
                "create table if not exists {} (name text primary key, version int not null, generation int not null,"
                " position bigint not null, rebuilt_at timestamptz not null)"
            ).format(identifier("projection"))
        )
        connection.execute(
            sql.SQL("alter table {} add column if not exists upgraded_at timestamptz").format(identifier("projection"))
        )
        connection.execute(sql.SQL("grant select on {} to query_reader").format(identifier("projection")))
        in_use = tables_in_use(connection)
        for projection in projections.projections:
            if projection.name not in in_use or in_use[projection.name].version != projection.version:
                rebuild(settings, connection, projection)


def repeat_after_upgrade(
    settings: Settings, pool: ConnectionPool[Any], projections: InlineProjections, stop: Event
) -> None:
    """Rebuilds what an upgrade built: after ten seconds, then whenever as much time has passed as between the upgrade
    and the rebuild before, until an hour is over. A rebuild that takes long is repeated seldom. A recurring job."""
    with pool.connection() as connection:
        due = {name for (name,) in connection.execute(_REPEAT_DUE)}
    for projection in projections.projections:
        if projection.name in due and not stop.is_set():
            with open_connection(settings) as connection:
                rebuild(settings, connection, projection)
            log.info("inline_projection_rebuilt_after_upgrade", projection=projection.name)


def open_connection(settings: Settings) -> Connection:
    """A connection for rebuilds and verifications: their statements may take minutes."""
    return psycopg.connect(required_url(settings), autocommit=True, connect_timeout=5)


def tables_in_use(connection: Connection) -> Mapping[str, TablesInUse]:
    """Returns the tables in use by the projection's name."""
    query = sql.SQL("select name, version, generation, position, rebuilt_at from {}").format(identifier("projection"))
    return {name: TablesInUse(*in_use) for name, *in_use in connection.execute(query)}


def rebuild(
    settings: Settings, connection: Connection, projection: InlineProjection, progress: Progress = lambda _: None
) -> int:
    """Builds the projection's tables again from the event store and swaps them in; returns the position.

    Idempotent: a killed rebuild leaves the tables in use as they were. Raises `Rebuilding` while another one runs.
    """
    lock = f"inline:{projection.name}"
    if connection.execute("select pg_try_advisory_lock(hashtextextended(%s, 0))", (lock,)).fetchone() != (True,):
        raise Rebuilding(f"{projection.name} is being rebuilt already.")
    try:
        while (position := _filled(settings, connection, projection, progress)) is None:
            pass
        return position
    finally:
        connection.execute("select pg_advisory_unlock(hashtextextended(%s, 0))", (lock,))


def _filled(settings: Settings, connection: Connection, projection: InlineProjection, progress: Progress) -> int | None:
    """The position of the tables that were built and swapped in; none: an erasure came meanwhile."""
    mapper, key = mapper_of(settings, connection), _newest_key(connection)
    with connection.transaction():
        _drop(connection, projection, SUFFIX)
        for table in projection.tables:
            for statement in table.create(table.name + SUFFIX):
                connection.execute(statement.encode())
    position, end = 0, last_position(connection)
    while position < end:
        with connection.transaction():
            reached = _apply_batch(connection, projection, mapper, position, end)
        progress(reached - position)
        position = reached
    with connection.transaction():
        connection.execute("set local lock_timeout = '10s'")
        connection.execute("lock table events.stored_events in exclusive mode")
        if _newest_key(connection) != key:
            progress(-position)
            return None
        end = last_position(connection)
        while position < end:
            position = _apply_batch(connection, projection, mapper, position, end)
        _swap(connection, projection, position)
    return position


def verify(settings: Settings, connection: Connection, projection: InlineProjection) -> Verification:
    """Compares every row with what the events give."""
    rows, differences = 0, list[Difference]()
    with connection.transaction():
        connection.execute("set transaction isolation level repeatable read, read only")
        expected, mapper = projection.memory(connection), mapper_of(settings, connection)
        for event in _events(connection, projection, mapper, 0, last_position(connection)):
            projection.apply(expected, event)
        for table in projection.tables:
            expected_rows = {key: row for key, row in expected[table.name].rows.items() if table.is_verified(row)}
            with connection.cursor(f"verify_{table.name}", row_factory=dict_row) as cursor:
                cursor.execute(expected[table.name].select(identifier(table.name)))
                rows += len(expected_rows)
                differing = list(compare(table.name, table.key, expected_rows, filter(table.is_verified, cursor)))
                rows += sum(each.expected is None for each in differing)
                differences += differing
    return Verification(rows, differences[:MAX_DIFFERENCES])


def _apply_batch(
    connection: Connection, projection: InlineProjection, mapper: EventMapper, after: int, end: int
) -> int:
    """Applies the next events; returns the position that is done."""
    writers = projection.writers(connection, SUFFIX)
    upto = min(after + BATCH_EVENTS, end)
    for event in _events(connection, projection, mapper, after, upto):
        projection.apply(writers, event)
    for rows in writers.values():
        rows.flush()
    return upto


def stored_events(connection: Connection, names: Collection[str], after: int, upto: int) -> Iterator[StoredEvent]:
    """The events with these names after a position, in commit order. Memory does not grow with their number."""
    with connection.cursor("inline_events", row_factory=tuple_row) as cursor:
        cursor.itersize = BATCH_EVENTS
        cursor.execute(_EVENTS, (after, upto))
        for aggregate_id, version, topic, state in cursor:
            if name_and_version(topic)[0] in names:
                yield StoredEvent(aggregate_id, version, topic, bytes(state))


def _events(
    connection: Connection, projection: InlineProjection, mapper: EventMapper, after: int, upto: int
) -> Iterator[DomainEvent]:
    """The events that the projection handles. Personal fields stay encrypted: no handler uses them."""
    names = {event_class.NAME for event_class in projection.event_classes}
    return map(mapper.to_domain_event, stored_events(connection, names, after, upto))


def mapper_of(settings: Settings, connection: Connection) -> EventMapper:
    """Opens what is sealed with the keys that the connection sees."""
    return EventMapper(None, TextOpener(lambda numbers: TextKeys(settings).read(connection, numbers)))


def _newest_key(connection: Connection) -> int | None:
    """Returns the number of the newest text key, as each erasure begins a key."""
    row = connection.execute("select max(number) from log.text_key").fetchone()
    return row[0] if row is not None else None


def _swap(connection: Connection, projection: InlineProjection, position: int) -> None:
    _drop(connection, projection, "")
    for table in projection.tables:
        rename = sql.SQL("alter table {} rename to {}")
        connection.execute(rename.format(identifier(table.name + SUFFIX), sql.Identifier(table.name)))
    connection.execute(
        sql.SQL(
            "insert into {} as stored (name, version, generation, position, rebuilt_at, upgraded_at)"
            " values (%s, %s, 1, %s, now(), case when %s > 0 then now() end)"
            " on conflict (name) do update set version = excluded.version, generation = stored.generation + 1,"
            " position = excluded.position, rebuilt_at = excluded.rebuilt_at, upgraded_at = case"
            " when stored.version <> excluded.version then excluded.upgraded_at"
            " when now() < stored.upgraded_at + interval '1 hour' then stored.upgraded_at end"
        ).format(identifier("projection")),
        (projection.name, projection.version, position, position),
    )


def _drop(connection: Connection, projection: InlineProjection, suffix: str) -> None:
    for table in projection.tables:
        connection.execute(sql.SQL("drop table if exists {}").format(identifier(table.name + suffix)))


def last_position(connection: Connection) -> int:
    """The position of the newest event."""
    row = connection.execute("select coalesce(max(notification_id), 0) from events.stored_events").fetchone()
    assert row is not None  # noqa: S101 - an aggregate has a row
    return int(row[0])


_EVENTS: Final = (
    "select originator_id, originator_version, topic, state from events.stored_events"
    " where notification_id > %s and notification_id <= %s order by notification_id"
)
_REPEAT_DUE: Final[LiteralString] = (
    "select name from lookup.projection"
    " where now() >= greatest(upgraded_at + interval '10 seconds', 2 * (rebuilt_at - upgraded_at) + upgraded_at)"
)
