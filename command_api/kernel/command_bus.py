"""Command bus: runs a command's handler in a unit of work and commits it.

`dispatch` does for every command: the sender's right, the handler (load, decide, append with the expected version,
inline projections), audit entries, the stored response of an idempotent request, the commit, and the retry after a
concurrency conflict. A handler decides again after a conflict; its last attempt runs under the store's lock, so that
concurrent writers cannot hold it back.

Idempotency: a POST with `Idempotency-Key` stores its encrypted response in the transaction of its events. A repeated
request therefore gets the stored response, or runs because nothing was committed. While the first request runs, a
second one in the same process gets 409 `idempotency_in_flight`. In two processes both decide, one transaction commits,
and the other fails on the key, rolls back and returns the stored response. A crash leaves no stale marker. Rejections
are not stored. Keys are unique per account and route, for two days.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from hashlib import sha256
from hmac import compare_digest
from threading import Lock
from typing import Any, Final, Generic, TypeVar
from uuid import UUID

import orjson
import structlog
from prometheus_client import Counter
from psycopg import Cursor
from psycopg.types.json import Jsonb
from pydantic import BaseModel
from structlog.contextvars import bound_contextvars

from command_api.kernel import account_usage
from command_api.kernel.account_usage import Budget, BudgetSpent
from command_api.kernel.audit_log import audit
from command_api.kernel.command_handlers import Command, CommandHandlers
from command_api.kernel.decision import CommandContext
from command_api.kernel.event_store import ConcurrencyConflict, EventStore
from command_api.kernel.retry import Attempt, retried
from command_api.kernel.timeouts import Timeout
from command_api.kernel.unit_of_work import UnitOfWork
from infra.kernel.config.settings import Settings
from infra.kernel.http.problems import Problem
from infra.kernel.observability import tracing
from infra.kernel.security.client_info import Client
from infra.kernel.security.encryption import decrypt, derived_key, encrypt, keyed_hash
from infra.kernel.security.sessions import Pool
from infra.kernel.security.subject_keys import SubjectErased
from schemas.base import DomainEvent
from schemas.uuid7 import uuid7

CommandAnswer = TypeVar("CommandAnswer")
Result = TypeVar("Result")

KEY_LENGTH: Final = 255

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)
_RUNS = Counter("command_runs_total", "Commands by outcome; rejections and conflicts are not counted", ["outcome"])


@dataclass(frozen=True, slots=True)
class CommandOutcome(Generic[CommandAnswer]):
    """The outcome of a committed command: its handler's answer, its events, and the position of the last of them."""

    answer: CommandAnswer
    events: Sequence[DomainEvent]
    position: int | None


@dataclass(frozen=True, slots=True)
class CommandResponse:
    """Serialized HTTP response; without an answer `body` is empty. `event_names`: the events that were appended for it,
    none for a stored response."""

    status: int
    body: bytes
    headers: dict[str, str]
    event_names: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class IdempotencyRequest:
    """Identifies a request for idempotency."""

    key: str
    account_id: UUID
    route: str
    request: bytes


class CommandBus:
    """Dispatches commands. Thread-safe."""

    def __init__(self, store: EventStore, pool: Pool, settings: Settings, handlers: CommandHandlers) -> None:
        self.store = store
        self.pool = pool
        self._settings = settings
        self._handlers = handlers
        self._budget = Budget.of(settings)
        self._seal_key = derived_key(settings, "idempotency")
        self._in_flight: set[bytes] = set()
        self._lock = Lock()

    def dispatch(
        self,
        command: Command[CommandAnswer],
        context: CommandContext,
        client: Client | None = None,
        *,
        timeout: Timeout | None = None,
    ) -> CommandOutcome[CommandAnswer]:
        """Runs the command and commits it. With a `client` the events get audit entries. The `timeout` that issued the
        command ends in its transaction.

        Raises what the handler raises, `Problem` 409 for a persistent conflict, `SubjectErased` if the actor was erased
        concurrently, `TimeoutChanged`, and `UNAVAILABLE` errors without Postgres (the outcome is then unknown).
        """

        command_id = uuid7()

        def attempt(*, is_last: bool) -> CommandOutcome[CommandAnswer]:
            handle = partial(self._handlers.handle, command)
            return self._commit(command, handle, context, client, command_id, is_last=is_last, timeout=timeout)

        with bound_contextvars(command_id=str(command_id)):
            return self._retried(attempt)

    def unit_of_work(
        self, context: CommandContext, timeout: Timeout | None = None, command_id: UUID | None = None
    ) -> UnitOfWork:
        """A unit of work of a policy that decides on batches of records; it commits when its block ends."""
        handlers = self._handlers.event_handlers
        return UnitOfWork(self.store, self.pool, self._settings, context, timeout, command_id, handlers)

    def respond(
        self,
        command: Command[Any] | Callable[[], Command[Any]],
        context: CommandContext,
        client: Client | None = None,
        *,
        status: int,
        idempotency: IdempotencyRequest | None = None,
    ) -> CommandResponse:
        """Dispatches a command of an HTTP request; returns its response, or the stored one of the same request.

        A function that prepares the command may be slow: it is called once, before the transaction, and only if there
        is no stored response.
        """

        command_id = uuid7()

        @cache
        def prepared() -> Command[Any]:
            return command if isinstance(command, Command) else command()

        def respond(uow: UnitOfWork) -> CommandResponse:
            answer: BaseModel | None = self._handlers.handle(prepared(), uow)
            fields = None if answer is None else answer.model_dump(mode="json", by_alias=True, exclude_unset=True)
            headers = {} if uow.position is None else {"X-Position": f"domain@{uow.position}"}
            names = frozenset(event.NAME for event in uow.events)
            response = CommandResponse(status, b"" if fields is None else orjson.dumps(fields), headers, names)
            if idempotency is not None:
                self._store_response(uow.cursor, idempotency, response)
            return response

        def attempt(*, is_last: bool) -> CommandResponse:
            stored = self._stored_response(idempotency) if idempotency is not None else None
            return stored or self._commit(prepared(), respond, context, client, command_id, is_last=is_last).answer

        with self._once(idempotency), bound_contextvars(command_id=str(command_id)):
            return self._retried(attempt)

    def _commit(
        self,
        command: Command[Any],
        handle: Callable[[UnitOfWork], CommandAnswer],
        context: CommandContext,
        client: Client | None,
        command_id: UUID,
        *,
        is_last: bool,
        timeout: Timeout | None = None,
    ) -> CommandOutcome[CommandAnswer]:
        uow = self.unit_of_work(context, timeout, command_id)
        described = {"command_id": str(command_id)}
        with tracing.recorded(type(command).__name__, uow.correlations, described), self._budgeted(context), uow:
            if is_last:
                uow.lock()
            answer = handle(uow)
            uow.take_timeout()
            self._audit(uow, client)
            if client is not None and context.account_id is not None and (appended := uow.appended_bytes) is not None:
                account_usage.charge(uow.cursor, self._budget, context.account_id, appended)
        _RUNS.labels("done").inc()
        return CommandOutcome(answer, tuple(uow.events), uow.position)

    def _retried(self, attempt: Attempt[Result]) -> Result:
        try:
            return retried(attempt)
        except ConcurrencyConflict as error:
            raise Problem(409, "busy", "This was just changed by someone else. Please try again.") from error

    @contextmanager
    def _budgeted(self, context: CommandContext) -> Iterator[None]:
        """Counts a command that its budget refuses, after its transaction was rolled back."""
        try:
            yield
        except BudgetSpent:
            if context.account_id is not None:
                account_usage.note_refusal(self.pool, context.account_id)
            raise

    def _audit(self, uow: UnitOfWork, client: Client | None) -> None:
        if client is None:
            return
        account_id = uow.context.account_id
        if account_id is not None and uow.cursor.execute(_ERASED, (account_id,)).fetchone() is not None:
            raise SubjectErased(f"{account_id} was erased")
        audit(uow.cursor, uow.events, account_id, client, uow.context.on_behalf)

    @contextmanager
    def _once(self, idempotency: IdempotencyRequest | None) -> Iterator[None]:
        """Raises `Problem` 409 with `Retry-After` while this process runs a request with the same key."""
        if idempotency is None:
            yield
            return
        key = _key_hash(idempotency)
        with self._lock:
            if key in self._in_flight:
                message = "A request with this Idempotency-Key is still being processed."
                raise Problem(409, "idempotency_in_flight", message, headers={"Retry-After": "1"})
            self._in_flight.add(key)
        try:
            yield
        finally:
            with self._lock:
                self._in_flight.discard(key)

    def _store_response(
        self, cursor: Cursor[dict[str, Any]], idempotency: IdempotencyRequest, response: CommandResponse
    ) -> None:
        cursor.execute(
            "INSERT INTO kernel.idempotency (key_hash, account_id, route, request_hash, status, body, headers)"
            " VALUES (%s, %s, %s, %s, %s, %s, %s)",
            (
                _key_hash(idempotency),
                idempotency.account_id,
                idempotency.route,
                self._request_hash(idempotency),
                response.status,
                encrypt(self._seal_key, response.body.decode(), "idempotency"),
                Jsonb(response.headers),
            ),
        )

    def _stored_response(self, idempotency: IdempotencyRequest) -> CommandResponse | None:
        with self.pool.connection() as connection:
            row = connection.execute(
                "SELECT request_hash, status, body, headers FROM kernel.idempotency WHERE key_hash = %s",
                (_key_hash(idempotency),),
            ).fetchone()
        if row is None:
            return None
        request_hash, status, sealed, headers = row
        if not compare_digest(bytes(request_hash), self._request_hash(idempotency)):
            message = "This Idempotency-Key was used for another request."
            raise Problem(409, "idempotency_mismatch", message)
        body = decrypt(self._seal_key, sealed, "idempotency").encode()
        _RUNS.labels("replayed").inc()
        return CommandResponse(status, body, {**headers, "Idempotency-Replayed": "true"})

    def _request_hash(self, idempotency: IdempotencyRequest) -> bytes:
        return bytes.fromhex(keyed_hash(self._seal_key, idempotency.request.decode()))


_ERASED: Final = "SELECT 1 FROM kernel.subject_key WHERE subject_id = %s AND erased_at IS NOT NULL"
"""An account that was erased after authentication must not store anything."""


def _key_hash(idempotency: IdempotencyRequest) -> bytes:
    return sha256(f"{idempotency.account_id}\n{idempotency.route}\n{idempotency.key}".encode()).digest()
