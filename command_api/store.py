"""Where decisions are kept: the event store on Postgres, written in commit order, read back as state.

commands and policies -> `DecisionStore.write` -> `events.stored_events` -> `command_api.relay` -> topic `domain`.

- Optimistic concurrency: the primary key (aggregate, version) lets one of two writers win; the other gets `Conflict`.
- `write(events, also)` runs `also` in the transaction of the events: an index row, a password hash, a position or a
  stored answer is there exactly if the events are.
- Inserts take the table's EXCLUSIVE lock inside one function call, so notification ids commit in order and a tailing
  reader can never pass over one (the stock function of eventsourcing 9.5.6 takes no lock and loses events).
- Nothing is retried here: a lost connection is the caller's to judge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, TypeVar, cast
from uuid import UUID

import orjson
from eventsourcing.application import AggregateNotFoundError, Application
from eventsourcing.persistence import IntegrityError, InterfaceError, Mapper, OperationalError, StoredEvent
from eventsourcing.postgres import PostgresApplicationRecorder
from psycopg import Cursor, sql
from psycopg.conninfo import conninfo_to_dict
from psycopg.rows import dict_row

import schemas.events  # noqa: F401 - fills the registry
from command_api.decision import AnotherKind, Evolve
from infra.keyring import Keyring
from infra.postgres import pool
from infra.settings import Settings, SettingsError
from schemas.base import DomainEvent, personal_fields, subject_of, upcast
from schemas.envelope import ENCRYPTED_PREFIX, open_personal

State = TypeVar("State")
Also = Callable[[Cursor[dict[str, Any]], int | None], None]
"""Runs in the transaction of a write, after its events, with the position of the last one (none without events)."""

CHANNEL: Final = "stored_events"
"""Postgres NOTIFY channel that wakes the relay."""
UNAVAILABLE: Final = (OperationalError, InterfaceError)
"""What store calls raise while Postgres cannot be reached."""

_MOST_EVENTS: Final = 2_000
_POOL_SIZE: Final = 8


class Conflict(Exception):
    """Somebody else wrote first; `constraint` names the unique key that both wanted."""

    def __init__(self, constraint: str) -> None:
        super().__init__(constraint)
        self.constraint = constraint


class DecisionStore(Application[UUID]):
    """The event store. Thread-safe. Opening it needs a migrated Postgres."""

    name = "stored"

    def __init__(self, settings: Settings, keyring: Keyring | None, *, create_tables: bool = False) -> None:
        self._keyring = keyring
        self._settings = settings
        super().__init__(_environment(settings, create_tables))

    def load(self, aggregate_id: UUID, evolve: Evolve[State]) -> State | None:
        """The aggregate's state, or none when it has no history, or the history of something of another kind."""

        def fold(state: State | None, events: Iterable[Any]) -> State | None:
            for event in events:
                try:
                    state = evolve(state, event)
                except AnotherKind:
                    if state is not None:
                        raise
                    return None  # somebody named a partner where a website was asked for: there is no such website
            return state

        try:
            return cast(State, self.repository.get(aggregate_id, projector_func=cast(Any, fold)))
        except AggregateNotFoundError:
            return None

    def write(self, events: Sequence[DomainEvent], also: Also | None = None) -> int | None:
        """Stores `events` and what `also` does, all or nothing; gives the position of the last event.

        Raises `Conflict` when another writer was first, and `UNAVAILABLE` errors when Postgres cannot be reached (then
        nothing is known: it may have been stored).
        """
        if len(events) > _MOST_EVENTS:
            raise ValueError(f"{len(events)} events are too many for one transaction")
        stored = [self.mapper.to_stored_event(event) for event in events]
        try:
            ids = self.recorder.insert_events(stored, also=also)
        except IntegrityError as error:
            raise Conflict(getattr(getattr(error.__cause__, "diag", None), "constraint_name", None) or "") from error
        return ids[-1] if ids else None

    def construct_mapper(self) -> EventMapper:
        return EventMapper(self._keyring)

    def construct_factory(self, env: Any) -> Any:
        """The library's, on a pool of ours: its own waits for a server that hangs, and reconnects ever more rarely."""
        factory = super().construct_factory(env)
        datastore = cast(Any, factory).datastore
        configure = datastore.after_connect_func()
        datastore.pool = pool(self._settings, _POOL_SIZE, row_factory=dict_row, configure=configure)
        return factory


class EventMapper(Mapper[UUID]):
    """Between event objects and stored bytes: `name.vVERSION` and JSON, personal fields encrypted per person."""

    def __init__(self, keyring: Keyring | None) -> None:
        super().__init__(transcoder=cast(Any, None))
        self._keyring = keyring

    def to_stored_event(self, domain_event: Any) -> StoredEvent:
        event = cast(DomainEvent, domain_event)
        state = event.model_dump(mode="json", exclude={"originator_id", "originator_version"})
        for field in personal_fields(type(event)):
            text = state[field]
            if isinstance(text, str) and not text.startswith(ENCRYPTED_PREFIX):
                subject = subject_of(type(event), event.originator_id, state)
                state[field] = self._ring().encrypt(subject, field, text)
        return StoredEvent(
            originator_id=event.originator_id,
            originator_version=event.originator_version,
            topic=f"{event.NAME}.v{event.VERSION}",
            state=orjson.dumps(state),
        )

    def to_domain_event(self, stored_event: StoredEvent) -> DomainEvent:
        name, version = name_and_version(stored_event.topic)
        state = orjson.loads(stored_event.state)
        event_class, state = upcast(name, version, state)
        aggregate_id = cast(UUID, stored_event.originator_id)
        open_personal(event_class, aggregate_id, state, self._keyring)
        state["originator_id"] = aggregate_id
        state["originator_version"] = stored_event.originator_version
        return event_class.model_validate(state)

    def _ring(self) -> Keyring:
        if self._keyring is None:
            raise RuntimeError("this store was opened without a keyring")
        return self._keyring


class LockingRecorder(PostgresApplicationRecorder):
    """One round trip for an insert that locks, notifies and numbers; no hidden retries."""

    def __init__(self, datastore: Any, *, events_table_name: str = "stored_events") -> None:
        super().__init__(datastore, events_table_name=events_table_name)
        schema = sql.Identifier(self.datastore.schema)
        self.sql_create_statements[self.create_insert_function_statement_index] = sql.SQL(
            "CREATE OR REPLACE FUNCTION {schema}.{function}(events {schema}.{event}[])"
            " RETURNS SETOF bigint LANGUAGE plpgsql AS $BODY$ BEGIN"
            " SET LOCAL lock_timeout = '{lock_timeout}s';"
            " LOCK TABLE {schema}.{table} IN EXCLUSIVE MODE;"
            " NOTIFY {channel};"
            " RETURN QUERY INSERT INTO {schema}.{table} AS t (originator_id, originator_version, topic, state)"
            " SELECT originator_id, originator_version, topic, state FROM unnest(events)"
            " RETURNING notification_id; END; $BODY$"
        ).format(
            schema=schema,
            function=sql.Identifier(self.pg_function_name_insert_events),
            event=sql.Identifier(self.stored_event_type_name),
            lock_timeout=self.datastore.lock_timeout,
            table=sql.Identifier(self.events_table_name),
            channel=sql.Identifier(self.channel_name),
        )
        self.sql_create_statements = [self._only_if_missing(each) for each in self.sql_create_statements]

    def _only_if_missing(self, statement: sql.Composed) -> sql.Composed:
        """There is no CREATE TYPE IF NOT EXISTS; the stock code's way, to try, leaves an error in the server's log."""
        if "CREATE TYPE" not in statement.as_string():
            return statement
        return sql.SQL("DO $BODY$ BEGIN IF to_regtype({name}) IS NULL THEN {create}; END IF; END $BODY$").format(
            name=sql.Literal(f"{self.datastore.schema}.{self.stored_event_type_name}"), create=statement
        )

    def insert_events(
        self, stored_events: Sequence[StoredEvent], *, also: Also | None = None, **_: Any
    ) -> Sequence[int] | None:
        rows = [
            self.construct_pg_stored_event(e.originator_id, e.originator_version, e.topic, e.state)
            for e in stored_events
        ]
        with self.datastore.get_connection() as connection:
            if also is None and rows:
                return self._insert(connection.cursor(), rows)
            with connection.transaction(), connection.cursor() as cursor:
                ids = self._insert(cursor, rows) if rows else []
                if also is not None:
                    also(cursor, ids[-1] if ids else None)
            return ids

    def _insert(self, cursor: Cursor[dict[str, Any]], rows: list[Any]) -> list[int]:
        cursor.execute(self.sql_invoke_pg_function_insert_events, (rows,), prepare=True)
        return [row[self.pg_function_name_insert_events] for row in cursor.fetchall()]

    select_events = PostgresApplicationRecorder.select_events.__wrapped__
    select_notifications = PostgresApplicationRecorder.select_notifications.__wrapped__
    max_notification_id = PostgresApplicationRecorder.max_notification_id.__wrapped__


def name_and_version(topic: str) -> tuple[str, int]:
    """The event name and version in a stored topic (`partner.registered.v2`)."""
    name, _, version = topic.rpartition(".v")
    return name, int(version)


def create_schema(settings: Settings) -> None:
    """Creates the event store's table, type and function; harmless when they are there. For `althing migrate`."""
    with DecisionStore(settings, None, create_tables=True):
        pass


def _environment(settings: Settings, create_tables: bool) -> dict[str, str]:
    if settings.postgres_url is None:
        raise SettingsError("POSTGRES_URL is not set: the command service needs it.")
    found = conninfo_to_dict(settings.postgres_url)
    return {
        "PERSISTENCE_MODULE": "eventsourcing.postgres",
        "POSTGRES_DBNAME": str(found.get("dbname", "althing")),
        "POSTGRES_HOST": str(found.get("host", "127.0.0.1")),
        "POSTGRES_PORT": str(found.get("port", "5432")),
        "POSTGRES_USER": str(found.get("user", "")),
        "POSTGRES_PASSWORD": str(found.get("password", "")),
        "POSTGRES_SCHEMA": "events",
        "CREATE_TABLE": "y" if create_tables else "n",
        "POSTGRES_LOCK_TIMEOUT": "5",
        "POSTGRES_IDLE_IN_TRANSACTION_SESSION_TIMEOUT": "5",
        "POSTGRES_ENABLE_DB_FUNCTIONS": "y",
        "APPLICATION_RECORDER_TOPIC": "command_api.store:LockingRecorder",
    }
