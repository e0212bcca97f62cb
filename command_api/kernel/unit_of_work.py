"""Unit of work: reads and writes of one command, committed in one transaction by the `CommandBus`.

A handler loads, decides, appends its events and then writes the rows that belong to them. The transaction begins with
the first append or the first use of `cursor`; loads before it take short connections, so that a decision holds none.
From the first append on, the store's lock is held: what is counted after it stays true until the commit. What must come
after an append takes `Appended`, which only `append` returns and only handlers of stored events get. What needs the
state of an aggregate before and after its events is a handler of a `StateChange`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import replace
from datetime import datetime
from typing import Any, Generic, LiteralString, NamedTuple, NewType, TypeVar, cast
from uuid import UUID

import structlog
from psycopg import Cursor
from psycopg.rows import tuple_row

from command_api.kernel import timeouts
from command_api.kernel.aggregates import state_after
from command_api.kernel.decision import CommandContext, Evolve
from command_api.kernel.event_store import ConcurrencyConflict, EventStore, StoreTransaction
from command_api.kernel.timeouts import Timeout
from infra.kernel.config.settings import Settings
from infra.kernel.mail.outbox import Mail, queue
from infra.kernel.security.sessions import Pool
from schemas.base import DomainEvent
from schemas.message_ids import CAUSATION_ID, CORRELATION_ID, MessageIds, message_id
from schemas.uuid7 import uuid7

State = TypeVar("State")
Values = Sequence[Any] | Mapping[str, Any]


class StateChange(NamedTuple, Generic[State]):
    """What events of one aggregate, appended together, changed. `before`: `None` for a new one."""

    before: State | None
    after: State
    events: Sequence[DomainEvent]


ChangeHandler = Callable[[StateChange[Any], "Appended"], None]


class EventHandlers(NamedTuple):
    """The handlers that run before and after an event of a class is stored, and after the state of an aggregate has
    changed, by the noun in the names of its events (`command_api.kernel.command_handlers`)."""

    before: dict[type[DomainEvent], list[Callable[[Any, UnitOfWork], None]]]
    after: dict[type[DomainEvent], list[Callable[[Any, Appended], None]]]
    changes: dict[str, list[tuple[Evolve[Any], ChangeHandler]]]


class UnitOfWork:
    """One command's transaction. Belongs to one thread and one attempt. `timeout`: the one that it handles."""

    def __init__(
        self,
        store: EventStore,
        pool: Pool,
        settings: Settings,
        context: CommandContext,
        timeout: Timeout | None = None,
        command_id: UUID | None = None,
        event_handlers: EventHandlers | None = None,
    ) -> None:
        self.context = context
        self.ids = message_ids(context, command_id or uuid7())
        self.settings = settings
        self.pool = pool
        self.events: list[DomainEvent] = []
        self.position: int | None = None
        self.timeout = timeout
        self._store = store
        self._event_handlers = event_handlers or EventHandlers({}, {}, {})
        self._stack = ExitStack()
        self._transaction: StoreTransaction | None = None

    def load(self, aggregate_id: UUID, evolve: Evolve[State]) -> State | None:
        """Returns the aggregate's state, with the events appended here; `None` as `EventStore.load` says."""
        source = self._transaction or self._store
        return source.load(aggregate_id, evolve)

    def event(self, aggregate_id: UUID, version: int) -> DomainEvent | None:
        """Returns an event of the aggregate by its version, also one appended here; `None` if there is none."""
        source = self._transaction or self._store
        return source.event(aggregate_id, version)

    def select(self, query: LiteralString, *values: Any) -> list[tuple[Any, ...]]:
        """Reads rows: in the transaction if it has begun, else on a connection of its own."""
        return self._fetch(query, values)

    def select_named(self, query: str, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        """Reads rows as `select` does, by a query that is composed of literals and has named values."""
        return self._fetch(query.encode(), values)

    def append(self, *events: DomainEvent, ids: Sequence[MessageIds] = ()) -> Appended:
        """Runs the handlers before the events, appends the events in their order and updates the inline projections,
        then runs the handlers after them.

        `ids`: of each event, where they follow from different messages; else all have those of the command. Raises
        `ConcurrencyConflict`, and what the handlers raise.
        """
        for event in events:
            for handler in self._event_handlers.before.get(type(event), ()):
                self.lock()
                handler(event, self)
        changed = list(self._changed(events))
        if events:
            if not ids and not self.ids.correlation_id:
                self.ids = self._continued(events[0])
            self.position = self._begun().append(events, ids or [self.ids] * len(events))
            self.events += events
        appended = Appended(self)
        for event in events:
            for handle in self._event_handlers.after.get(type(event), ()):
                handle(event, appended)
        for follow, evolve, state, own in changed:
            follow(StateChange(state, state_after(evolve, state, own), own), appended)
        return appended

    def advance(self, evolve: Evolve[State], state: State | None, events: Sequence[DomainEvent]) -> State:
        """Appends events of an aggregate and returns its state after them. `state`: the one in which they were decided;
        `None`: the first event begins it."""
        self.append(*events)
        return cast(State, state_after(evolve, state, events))

    @property
    def appended_bytes(self) -> int | None:
        """Bytes of the appended events; None as long as the transaction has not begun."""
        return None if self._transaction is None else self._transaction.appended_bytes

    def lock(self) -> None:
        """Locks the store now, before the first append: what is read from here on stays true until the commit."""
        self._begun().lock()

    @property
    def cursor(self) -> Cursor[dict[str, Any]]:
        """The transaction's cursor, for rows that belong to the events; begins the transaction."""
        return self._begun().cursor

    def require_version(self, aggregate_id: UUID, version: int) -> None:
        """Raises `ConcurrencyConflict` unless the stream still ends at `version` (0: it does not exist). Takes the
        store's lock, so that the decision may rely on an aggregate to which it appends nothing."""
        self.lock()
        row = self.cursor.execute(_VERSION, (aggregate_id,)).fetchone()
        if row is None or row["version"] != version:
            raise ConcurrencyConflict("version")

    def correlations(self) -> list[str]:
        """The correlation id for traces; none as long as a command of a schedule has found nothing to do."""
        return [self.ids.correlation_id] if self.ids.correlation_id else []

    def send(self, mail: Mail) -> None:
        """Queues an email in the transaction."""
        queue(self.cursor, self.settings, mail)

    def set_timeout(self, process: str, id_: UUID, at: datetime | None) -> None:
        """Sets when a process manager is due for `id_`; `None`: not again. Where an event sets it, after the event."""
        if self.timeout is not None and (self.timeout.process, self.timeout.id) == (process, id_):
            self.take_timeout()
        timeouts.write(self.cursor, process, id_, at)

    def set_timeouts(self, process: str, ids: Iterable[UUID], at: datetime) -> None:
        """Sets the timeouts of many ids, none of which is handled here."""
        timeouts.write_all(self.cursor, process, ids, at)

    def take_timeout(self) -> None:
        """Ends the timeout that is handled here. Raises `TimeoutChanged`."""
        timeout, self.timeout = self.timeout, None
        if timeout is not None:
            timeouts.take(self.cursor, timeout)

    def __enter__(self) -> UnitOfWork:
        return self

    def __exit__(self, *error: Any) -> bool | None:
        return self._stack.__exit__(*error)

    def _changed(
        self, events: Sequence[DomainEvent]
    ) -> Iterator[tuple[ChangeHandler, Evolve[Any], Any, Sequence[DomainEvent]]]:
        """Yields the handlers of each aggregate that the events are going to change, its state and its events."""
        of: dict[UUID, list[DomainEvent]] = {}
        for event in events:
            of.setdefault(event.originator_id, []).append(event)
        for id_, own in of.items():
            for evolve, handler in self._event_handlers.changes.get(noun_of(type(own[0])), ()):
                yield handler, evolve, self.load(id_, evolve) if own[0].originator_version > 1 else None, own

    def _continued(self, first: DomainEvent) -> MessageIds:
        """The ids of a command that follows from no message, because a schedule sent it: it continues the chain of the
        aggregate that it changes first, or begins one."""
        rows = self.select(_PREVIOUS, first.originator_id, first.originator_version - 1)
        if not rows or not rows[0][0]:
            return replace(self.ids, correlation_id=str(self.ids.command_id))
        cause = self.ids.causation_id or message_id(first.originator_id, first.originator_version - 1)
        return replace(self.ids, correlation_id=rows[0][0], causation_id=cause)

    def _fetch(self, query: LiteralString | bytes, values: Values) -> list[tuple[Any, ...]]:
        begun = self._transaction
        with self.pool.connection() if begun is None else nullcontext(begun.cursor.connection) as connection:
            return connection.cursor(row_factory=tuple_row).execute(query, values).fetchall()

    def _begun(self) -> StoreTransaction:
        if self._transaction is None:
            self._transaction = self._stack.enter_context(self._store.transaction())
        return self._transaction


Appended = NewType("Appended", UnitOfWork)
"""The unit of work after an append: the inline projections follow the events, and what is counted stays true."""


def noun_of(event_class: type[DomainEvent]) -> str:
    """Returns what the event is about, the first word of its name: the same for all events of an aggregate."""
    return event_class.NAME.partition(".")[0]


def message_ids(context: CommandContext, command_id: UUID) -> MessageIds:
    """The ids of a command's events. What the context leaves open is that of the request or message in the log context;
    an empty correlation id: there is none."""
    bound = structlog.contextvars.get_contextvars()
    correlation_id = context.correlation_id or str(bound.get(CORRELATION_ID, ""))
    return MessageIds(command_id, correlation_id, context.causation_id or str(bound.get(CAUSATION_ID, "")))


_PREVIOUS: LiteralString = (
    "SELECT correlation_id FROM events.stored_events WHERE originator_id = %s AND originator_version = %s"
)
_VERSION: LiteralString = (
    "SELECT coalesce(max(originator_version), 0) AS version FROM events.stored_events WHERE originator_id = %s"
)
