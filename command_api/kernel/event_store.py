"""Event store on Postgres: appends events in commit order and loads aggregates.

commands and policies -> `StoreTransaction.append` -> `events.stored_events` -> `command_api.kernel.outbox_relay`
-> topic `domain`.

- Optimistic concurrency: the primary key (aggregate, version) lets one of two writers win; the other gets
  `ConcurrencyConflict`.
- `transaction()` opens a transaction in which events are appended and rows are written: password hashes, positions and
  stored responses are committed together with the events.
- Every append runs the inline projections (`command_api.kernel.inline_projection`) in its transaction.
- Inserts take the table's EXCLUSIVE lock inside one function call, so notification ids commit in order and a tailing
  reader never skips one (the stock function of eventsourcing 9.5.6 takes no lock and loses events).
- What leads to a website's visitor is stored sealed (`schemas.envelope`), as soon as there is a text key.
- A long stream is loaded from a snapshot and the events since (`command_api.kernel.snapshots`).
- The store retries nothing: the caller handles a lost connection.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeVar, cast
from uuid import UUID

import orjson
import structlog
from eventsourcing.application import Application
from eventsourcing.persistence import IntegrityError, InterfaceError, Mapper, OperationalError, StoredEvent
from eventsourcing.postgres import PostgresApplicationRecorder
from psycopg import Connection, Cursor, sql
from psycopg.conninfo import conninfo_to_dict
from psycopg.rows import dict_row

import schemas.events  # noqa: F401 - fills the registry
from command_api.kernel import snapshots
from command_api.kernel.decision import Evolve
from command_api.kernel.inline_projection import InlineProjections
from command_api.kernel.request_lanes import CONNECTIONS
from infra.domain.visitor_data.sealing import leaf_of_stream
from infra.kernel.config.settings import Settings, SettingsError
from infra.kernel.http.lane_pools import lane_pool
from infra.kernel.security import text_keys
from infra.kernel.security.subject_keys import Keyring
from infra.kernel.security.text_keys import TextKey
from schemas.base import DomainEvent, personal_fields, sealed_fields, subject_of, upcast, validated
from schemas.envelope import (
    ENCRYPTED_PREFIX,
    SEALED,
    Decrypt,
    open_personal,
    open_sealed,
    put_back,
    sealed_for,
    take_sealed,
)
from schemas.evolution import UnexpectedEvent
from schemas.message_ids import NO_IDS, MessageIds

State = TypeVar("State")

CHANNEL: Final = "stored_events"
"""Postgres NOTIFY channel that wakes the relay."""
UNAVAILABLE: Final = (OperationalError, InterfaceError)
"""Errors of store calls while Postgres is unavailable."""

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)

INSERT_FUNCTION: Final = "insert_events_with_ids"
MAX_EVENTS_PER_APPEND: Final = 2_000


class ConcurrencyConflict(Exception):
    """Another writer was first; `constraint` names the violated unique key."""

    def __init__(self, constraint: str) -> None:
        super().__init__(constraint)
        self.constraint = constraint


class TooManyEvents(ValueError):
    """One transaction would append more events than the store takes at once."""


class EventStore(Application[UUID]):
    """Appends and loads events. Thread-safe. Requires a migrated Postgres."""

    name = "stored"

    def __init__(
        self,
        settings: Settings,
        keyring: Keyring | None,
        projections: InlineProjections = InlineProjections(),  # noqa: B008 - frozen
        *,
        create_tables: bool = False,
    ) -> None:
        self._keyring = keyring
        self._settings = settings
        self._projections = projections
        snapshots.code_hash()  # now: an update may change the files while this process runs
        super().__init__(_environment(settings, create_tables))

    def load(self, aggregate_id: UUID, evolve: Evolve[State]) -> State | None:
        """Returns the aggregate's state, or `None` without a stream or for a stream of another aggregate type."""
        recorder, mapper = cast(LockingRecorder, self.recorder), cast(EventMapper, self.mapper)

        def select(topic: str) -> list[StoredEvent]:
            with recorder.datastore.get_connection() as connection:
                return recorder.select(connection.cursor(), aggregate_id, topic)

        loaded = fold(select, mapper, evolve)
        if loaded.count >= snapshots.INTERVAL and self._keyring is not None:
            snapshot = snapshots.encode(aggregate_id, loaded, self._keyring)
            if snapshot is not None:
                with recorder.datastore.get_connection() as connection:
                    recorder.save_snapshot(connection.cursor(), snapshot)
        return loaded.state

    def event(self, aggregate_id: UUID, version: int) -> DomainEvent | None:
        """Returns the aggregate's event of that version, or `None` if there is none."""
        for stored in self.recorder.select_events(aggregate_id, gt=version - 1, lte=version):
            return cast(EventMapper, self.mapper).to_domain_event(stored)
        return None

    @contextmanager
    def transaction(self) -> Iterator[StoreTransaction]:
        """A transaction that commits when the block ends and rolls back when it raises.

        Raises `ConcurrencyConflict` when another writer was first, and `UNAVAILABLE` errors without Postgres (the
        outcome is then unknown: the events may be stored).
        """
        recorder = cast(LockingRecorder, self.recorder)
        try:
            with recorder.datastore.get_connection() as connection, connection.transaction():
                yield StoreTransaction(connection, recorder, EventMapper.within(self._keyring), self._projections)
        except IntegrityError as error:
            raise ConcurrencyConflict(
                getattr(getattr(error.__cause__, "diag", None), "constraint_name", None) or ""
            ) from error

    def append(self, events: Sequence[DomainEvent]) -> int | None:
        """Stores `events` in a transaction of their own; returns the position of the last one. Raises what
        `transaction` raises."""
        with self.transaction() as transaction:
            return transaction.append(events)

    def construct_mapper(self) -> EventMapper:
        """Library hook: replaces its transcoder with the JSON format."""
        return EventMapper(self._keyring)

    def construct_factory(self, env: Any) -> Any:
        """Replaces the library's pool, which blocks on a hanging server and reconnects at growing intervals."""
        factory = super().construct_factory(env)
        datastore = cast(Any, factory).datastore
        configure = datastore.after_connect_func()
        datastore.pool = lane_pool(self._settings, CONNECTIONS, row_factory=dict_row, configure=configure)
        return factory


class StoreTransaction:
    """An open transaction of the store: appends events and gives a cursor for rows."""

    def __init__(
        self,
        connection: Connection[dict[str, Any]],
        recorder: LockingRecorder,
        mapper: EventMapper,
        projections: InlineProjections,
    ) -> None:
        self.cursor = connection.cursor()
        self._connection = connection
        self._recorder = recorder
        self._mapper = mapper
        self._projections = projections
        self._appended = 0
        self.appended_bytes = 0
        """Of the events, as they are stored."""

    def lock(self) -> None:
        """Locks the store against other writers until the transaction ends."""
        self._recorder.lock(self.cursor)

    def append(self, events: Sequence[DomainEvent], ids: Sequence[MessageIds] = ()) -> int | None:
        """Locks the store, inserts `events` and applies the inline projections; returns the last event's position.
        `ids`: of each event; none are stored without them."""
        if not events:
            return None
        self._appended += len(events)
        if self._appended > MAX_EVENTS_PER_APPEND:
            raise TooManyEvents(f"{self._appended} events are too many for one transaction")
        stored = self._mapper.to_stored_events(events, self.cursor)
        self.appended_bytes += sum(len(event.state) for event in stored)
        positions = self._recorder.insert(self.cursor, stored, ids or [NO_IDS] * len(stored))
        self._projections.apply(self._connection, events)
        return positions[-1]

    def load(self, aggregate_id: UUID, evolve: Evolve[State]) -> State | None:
        """Returns the aggregate's state as this transaction sees it; see `EventStore.load`."""
        return fold(partial(self._recorder.select, self.cursor, aggregate_id), self._mapper, evolve).state

    def event(self, aggregate_id: UUID, version: int) -> DomainEvent | None:
        """Returns the aggregate's event of that version as this transaction sees it, or `None` if there is none."""
        stored = self._recorder.select_one(self.cursor, aggregate_id, version)
        return self._mapper.to_domain_event(stored) if stored is not None else None


def fold(
    select: Callable[[str], Sequence[StoredEvent]], mapper: EventMapper, evolve: Evolve[State]
) -> snapshots.Fold[State]:
    """Folds what `select` returns for the topic of snapshots: the snapshot, if there is one, and the events since."""
    topic = snapshots.topic_of(evolve)
    stored, loaded = select(topic), snapshots.Fold(evolve)
    if stored and stored[0].topic == topic:
        snapshot = mapper.decode_snapshot(stored[0], evolve)
        stored, loaded = (stored[1:], snapshot) if snapshot is not None else (select(""), loaded)
    for each in stored:
        try:
            loaded.add(*mapper.opened(each))
        except UnexpectedEvent:
            if loaded.state is not None:
                raise
            break  # the id belongs to another aggregate type, so this aggregate does not exist
    return loaded


@dataclass(frozen=True, slots=True)
class _OwnKeys:
    """A keyring with the text keys that a transaction has sealed with."""

    keyring: Keyring
    keys: dict[int, TextKey]

    def __call__(self, subject_id: UUID, field: str, text: str) -> str:
        return self.keyring(subject_id, field, text)

    def unseal(self, sealed: str, bound: bytes) -> bytes | None:
        text = text_keys.parse(sealed.encode())
        own = text.number in self.keys
        return text_keys.unseal(self.keys.get(text.number), text, bound) if own else self.keyring.unseal(sealed, bound)


class EventMapper(Mapper[UUID]):
    """Converts events to stored bytes and back: `name.vVERSION` and JSON, personal fields encrypted per subject, sealed
    fields with the newest text key. `decrypt` opens them, for a store without a keyring."""

    def __init__(self, keyring: Keyring | None, decrypt: Decrypt | None = None) -> None:
        super().__init__(transcoder=cast(Any, None))
        self._keyring = keyring
        self._decrypt = decrypt or keyring
        self._own_keys: dict[int, TextKey] = {}

    @classmethod
    def within(cls, keyring: Keyring | None) -> EventMapper:
        """The mapper of one transaction: opens what it has sealed itself, with keys that nobody else sees yet."""
        if keyring is None:
            return cls(None)
        opener = _OwnKeys(keyring, {})
        mapper = cls(keyring, opener)
        mapper._own_keys = opener.keys
        return mapper

    def to_stored_events(self, events: Sequence[DomainEvent], cursor: Cursor[Any]) -> list[StoredEvent]:
        """The events as the transaction of `cursor` stores them."""
        key = self._sealing_key(events, cursor)
        if key is not None:
            self._own_keys[key.number] = key
        return [self.to_stored_event(event, key) for event in events]

    def _sealing_key(self, events: Sequence[DomainEvent], cursor: Cursor[Any]) -> TextKey | None:
        """Reads the key for each append: an erasure, which ends a key for a person, begins the next one in the
        transaction in which it changes their aggregates. So a decision that was made before it conflicts, and a later
        one sees the new key."""
        if self._keyring is None or not any(sealed_fields(type(event)) for event in events):
            return None
        return self._keyring.sealing_key(cursor)

    def to_stored_event(self, domain_event: Any, key: TextKey | None = None) -> StoredEvent:
        """Encrypts personal fields that are still plain text with their subject's key, and seals what is `Sealed`;
        without a key it is stored in clear."""
        event = cast(DomainEvent, domain_event)
        state = event.model_dump(mode="json", exclude={"originator_id", "originator_version"})
        for field in personal_fields(type(event)):
            text = state[field]
            if isinstance(text, str) and not text.startswith(ENCRYPTED_PREFIX):
                subject = subject_of(type(event), event.originator_id, state)
                state[field] = self._ring().encrypt(subject, field, text)
        if key is not None:
            _seal(event, state, key)
        return StoredEvent(
            originator_id=event.originator_id,
            originator_version=event.originator_version,
            topic=f"{event.NAME}.v{event.VERSION}",
            state=orjson.dumps(state),
        )

    def to_domain_event(self, stored_event: StoredEvent) -> DomainEvent:
        """Upcasts to the current version; personal fields of an erased subject read `[erased]`, sealed ones of an
        erased visitor as their defaults.

        Raises `UnknownEvent` for what a newer version of the program wrote.
        """
        return self.opened(stored_event)[0]

    def opened(self, stored_event: StoredEvent) -> tuple[DomainEvent, int]:
        """Upcasts as `to_domain_event` does; also returns the number of the key that opened its sealed values; 0: none
        did."""
        name, version = name_and_version(stored_event.topic)
        aggregate_id = cast(UUID, stored_event.originator_id)
        state = orjson.loads(stored_event.state)
        sealed = state.get(SEALED)
        is_whole = open_sealed(state, aggregate_id, stored_event.originator_version, self._decrypt)
        event_class, state = upcast(name, version, state)
        open_personal(event_class, aggregate_id, state, self._decrypt)
        state["originator_id"] = aggregate_id
        state["originator_version"] = stored_event.originator_version
        number = text_keys.parse(sealed.encode()).number if sealed is not None and is_whole else 0
        return validated(event_class, state), number

    def decode_snapshot(self, stored: StoredEvent, evolve: Evolve[State]) -> snapshots.Fold[State] | None:
        """The fold to continue from, or `None` for a snapshot of an erased person."""
        return snapshots.decode(stored, evolve, self._ring())

    def _ring(self) -> Keyring:
        if self._keyring is None:
            raise RuntimeError("this store was opened without a keyring")
        return self._keyring


def _seal(event: DomainEvent, state: dict[str, Any], key: TextKey) -> None:
    if taken := take_sealed(type(event), state):
        bound = sealed_for(event.originator_id, event.originator_version)
        sealed = text_keys.seal(key, leaf_of_stream(event.originator_id), orjson.dumps(taken), bound)
        if sealed is None:  # an erasure without a new key; money is not lost for that
            log.error("text_not_sealed", key=key.number, aggregate=event.originator_id)
            for path, value in taken.items():
                put_back(state, path, value)
            return
        state[SEALED] = sealed.decode()


class LockingRecorder(PostgresApplicationRecorder):
    """An insert that locks, notifies and numbers in one round trip; no hidden retries."""

    def __init__(self, datastore: Any, *, events_table_name: str = "stored_events") -> None:
        super().__init__(datastore, events_table_name=events_table_name)
        schema = sql.Identifier(self.datastore.schema)
        self.sql_create_statements[self.create_insert_function_statement_index] = sql.SQL(
            "CREATE OR REPLACE FUNCTION {schema}.{function}(events {schema}.{event}[],"
            " command_ids uuid[], correlation_ids text[], causation_ids text[])"
            " RETURNS SETOF bigint LANGUAGE plpgsql AS $BODY$ BEGIN"
            " SET LOCAL lock_timeout = '{lock_timeout}s';"
            " LOCK TABLE {schema}.{table} IN EXCLUSIVE MODE;"
            " NOTIFY {channel};"
            " RETURN QUERY INSERT INTO {schema}.{table} AS t (originator_id, originator_version, topic, state,"
            " command_id, correlation_id, causation_id)"
            " SELECT * FROM unnest(events, command_ids, correlation_ids, causation_ids)"
            " RETURNING notification_id; END; $BODY$"
        ).format(
            schema=schema,
            function=sql.Identifier(INSERT_FUNCTION),
            event=sql.Identifier(self.stored_event_type_name),
            lock_timeout=self.datastore.lock_timeout,
            table=sql.Identifier(self.events_table_name),
            channel=sql.Identifier(self.channel_name),
        )
        self.sql_create_statements.append(sql.SQL(_CREATE_SNAPSHOTS).format())
        self.sql_create_statements = [self._only_if_missing(each) for each in self.sql_create_statements]
        self.sql_create_statements.append(sql.SQL(_IDS_COLUMNS).format())
        self._insert_statement = sql.SQL("SELECT {}.{}(%s, %s, %s, %s) AS position").format(
            schema, sql.Identifier(INSERT_FUNCTION)
        )

    def _only_if_missing(self, statement: sql.Composed) -> sql.Composed:
        """Makes CREATE TYPE conditional, because it has no IF NOT EXISTS; the stock code tries it and leaves an error
        in the server's log."""
        if "CREATE TYPE" not in statement.as_string():
            return statement
        return sql.SQL("DO $BODY$ BEGIN IF to_regtype({name}) IS NULL THEN {create}; END IF; END $BODY$").format(
            name=sql.Literal(f"{self.datastore.schema}.{self.stored_event_type_name}"), create=statement
        )

    def insert(
        self, cursor: Cursor[dict[str, Any]], stored_events: Sequence[StoredEvent], ids: Sequence[MessageIds]
    ) -> list[int]:
        """Inserts the events in the caller's transaction; returns their notification ids."""
        rows = [
            self.construct_pg_stored_event(e.originator_id, e.originator_version, e.topic, e.state)
            for e in stored_events
        ]
        values = (
            rows,
            [one.command_id for one in ids],
            [one.correlation_id or None for one in ids],
            [one.causation_id or None for one in ids],
        )
        cursor.execute(self._insert_statement, values, prepare=True)
        return [row["position"] for row in cursor.fetchall()]

    def lock(self, cursor: Cursor[dict[str, Any]]) -> None:
        """Takes the lock that every insert takes."""
        cursor.execute(
            sql.SQL("SET LOCAL lock_timeout = '{}s'; LOCK TABLE {}.{} IN EXCLUSIVE MODE").format(
                self.datastore.lock_timeout,
                sql.Identifier(self.datastore.schema),
                sql.Identifier(self.events_table_name),
            )
        )

    def select(self, cursor: Cursor[dict[str, Any]], aggregate_id: UUID, topic: str) -> list[StoredEvent]:
        """Reads an aggregate's snapshot of this topic and the events since, in the caller's transaction."""
        rows = cursor.execute(_SELECT, {"id": aggregate_id, "topic": topic}, prepare=True).fetchall()
        return [StoredEvent(aggregate_id, row["originator_version"], row["topic"], bytes(row["state"])) for row in rows]

    def select_one(self, cursor: Cursor[dict[str, Any]], aggregate_id: UUID, version: int) -> StoredEvent | None:
        """Reads one event in the caller's transaction."""
        row = cursor.execute(_SELECT_ONE, (aggregate_id, version), prepare=True).fetchone()
        return StoredEvent(aggregate_id, version, row["topic"], bytes(row["state"])) if row is not None else None

    def save_snapshot(self, cursor: Cursor[dict[str, Any]], snapshot: StoredEvent) -> None:
        """Replaces the aggregate's snapshot, unless the stored one has the same topic and is as new."""
        values = (snapshot.originator_id, snapshot.originator_version, snapshot.topic, snapshot.state)
        cursor.execute(_SAVE_SNAPSHOT, values)

    select_events = PostgresApplicationRecorder.select_events.__wrapped__
    select_notifications = PostgresApplicationRecorder.select_notifications.__wrapped__
    max_notification_id = PostgresApplicationRecorder.max_notification_id.__wrapped__


_CREATE_SNAPSHOTS: Final = (
    "CREATE UNLOGGED TABLE IF NOT EXISTS events.snapshots (originator_id uuid PRIMARY KEY,"
    " originator_version bigint NOT NULL, topic text NOT NULL, state bytea NOT NULL)"
)
"""A cache: Postgres empties it after a crash."""
_SELECT: Final = """
WITH snapshot AS (
  SELECT originator_version, topic, state FROM events.snapshots WHERE originator_id = %(id)s AND topic = %(topic)s
)
SELECT originator_version, topic, state FROM snapshot
UNION ALL
SELECT originator_version, topic, state FROM events.stored_events
WHERE originator_id = %(id)s AND originator_version > coalesce((SELECT originator_version FROM snapshot), 0)
ORDER BY originator_version"""
_SELECT_ONE: Final = (
    "SELECT topic, state FROM events.stored_events WHERE originator_id = %s AND originator_version = %s"
)
_SAVE_SNAPSHOT: Final = """
INSERT INTO events.snapshots AS s (originator_id, originator_version, topic, state) VALUES (%s, %s, %s, %s)
ON CONFLICT (originator_id) DO UPDATE
SET originator_version = excluded.originator_version, topic = excluded.topic, state = excluded.state
WHERE s.topic <> excluded.topic OR s.originator_version < excluded.originator_version"""
_IDS_COLUMNS: Final = """
DO $BODY$ BEGIN
    IF NOT EXISTS (
        SELECT FROM pg_attribute
        WHERE attrelid = 'events.stored_events'::regclass AND attname = 'correlation_id' AND NOT attisdropped
    ) THEN
        ALTER TABLE events.stored_events
            ADD COLUMN command_id uuid, ADD COLUMN correlation_id text, ADD COLUMN causation_id text;
        CREATE INDEX stored_events_correlation_id_idx ON events.stored_events (correlation_id)
            WHERE correlation_id IS NOT NULL;
    END IF;
END $BODY$"""


def name_and_version(topic: str) -> tuple[str, int]:
    """The event name and version in a stored topic (`noun.verb.v2`)."""
    name, _, version = topic.rpartition(".v")
    return name, int(version)


def create_schema(settings: Settings) -> None:
    """Creates the event store's table, type and function if they are missing. For `althing migrate`."""
    with EventStore(settings, None, create_tables=True):
        pass


def _environment(settings: Settings, create_tables: bool) -> dict[str, str]:
    if settings.postgres_url is None:
        raise SettingsError("POSTGRES_URL is not set: the command service needs it.")
    parts = conninfo_to_dict(settings.postgres_url)
    return {
        "PERSISTENCE_MODULE": "eventsourcing.postgres",
        "POSTGRES_DBNAME": str(parts.get("dbname", "althing")),
        "POSTGRES_HOST": str(parts.get("host", "127.0.0.1")),
        "POSTGRES_PORT": str(parts.get("port", "5432")),
        "POSTGRES_USER": str(parts.get("user", "")),
        "POSTGRES_PASSWORD": str(parts.get("password", "")),
        "POSTGRES_SCHEMA": "events",
        "CREATE_TABLE": "y" if create_tables else "n",
        "POSTGRES_LOCK_TIMEOUT": "5",
        "POSTGRES_IDLE_IN_TRANSACTION_SESSION_TIMEOUT": "5",
        "POSTGRES_ENABLE_DB_FUNCTIONS": "y",
        "APPLICATION_RECORDER_TOPIC": "command_api.kernel.event_store:LockingRecorder",
    }
