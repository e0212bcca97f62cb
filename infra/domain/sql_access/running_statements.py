"""A statement from its record to its end: the one context manager by which both entry points run statements.

While the block lasts, the statement counts as running; when it is left, in whatever way, it does not. The process holds
an advisory lock for each of its statements, on one connection of its own, so the statements of a process that was
killed stop counting when Postgres notices that it is gone.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Final, LiteralString, TypeVar
from uuid import UUID

import anyio
import psycopg

from infra.domain.sql_access import statement_log
from infra.domain.sql_access.analyst_accounts import Analyst
from infra.domain.sql_access.statement_log import LOCK, StatementOutcome
from infra.kernel.postgres.pool import lock_options
from infra.kernel.security.sessions import Pool

T = TypeVar("T")

Blocking = Callable[[Callable[[], None]], Awaitable[None]]
"""Runs a call on a thread."""

UNEXPECTED: Final = "The statement ended unexpectedly."


@dataclass
class RunningStatement:
    """A recorded statement. Its user sets `outcome`; without one it failed, or was cancelled with its task."""

    id: UUID
    outcome: StatementOutcome | None = None
    started: float = field(default_factory=time.monotonic)

    @property
    def is_done(self) -> bool:
        return self.outcome is not None and self.outcome.outcome == "done"

    def outcome_after(self, failure: BaseException | None) -> StatementOutcome:
        """Returns the outcome to record when the block ends with `failure`."""
        if self.outcome is not None:
            return self.outcome
        ms = int((time.monotonic() - self.started) * 1000)
        if failure is None or isinstance(failure, (asyncio.CancelledError, GeneratorExit)):
            return StatementOutcome("cancelled", ms)
        return StatementOutcome("failed", ms, UNEXPECTED)


class RunningStatements:
    """The statements of this process. Its methods are for the event loop; `blocking` are threads of the service."""

    def __init__(self, postgres_url: str, blocking: Blocking) -> None:
        self._locks = _Locks(postgres_url)
        self._blocking = blocking

    @asynccontextmanager
    async def running(
        self, pool: Pool, analyst: Analyst, statement_id: UUID, entry_point: str, text: str, tables: Sequence[str]
    ) -> AsyncIterator[RunningStatement]:
        """Records the statement; it counts as running until the block is left. Raises `TooManyRunning` and
        `psycopg.Error`."""

        def begin() -> None:
            self._locks.take(statement_id)
            try:
                statement_log.begin(pool, analyst, statement_id, entry_point, text, tables)
            except BaseException:
                self._locks.release(statement_id)
                raise

        statement = RunningStatement(statement_id)
        beginning = asyncio.ensure_future(self._blocking(begin))
        failure: BaseException | None = None
        try:
            await to_its_end(beginning)
            yield statement
        except BaseException as raised:
            failure = raised
            raise
        finally:
            if not beginning.cancelled() and beginning.exception() is None:
                outcome = statement.outcome_after(failure)
                ending = asyncio.ensure_future(self._blocking(lambda: self._end(pool, analyst, statement_id, outcome)))
                await to_its_end(ending)

    def close(self) -> None:
        """Lets every lock go."""
        self._locks.close()

    def _end(self, pool: Pool, analyst: Analyst, statement_id: UUID, outcome: StatementOutcome) -> None:
        try:
            with suppress(psycopg.Error):  # without its lock the row does not count any more
                statement_log.end(pool, analyst, statement_id, outcome)
        finally:
            self._locks.release(statement_id)


async def to_its_end(work: asyncio.Future[T]) -> T:
    """The result of `work`, which a cancellation of the caller does not interrupt: it is raised afterwards."""
    cancelled: asyncio.CancelledError | None = None
    with anyio.CancelScope(shield=True):
        while not work.done():
            try:
                await asyncio.wait([work])
            except asyncio.CancelledError as failure:
                cancelled = failure
    if cancelled is not None:
        if not work.cancelled():
            work.exception()
        raise cancelled
    return work.result()


class _Locks:
    """Advisory locks on one connection. Thread-safe; raises `psycopg.OperationalError` while Postgres is away."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._gate = Lock()
        self._connection: psycopg.Connection[Any] | None = None
        self._held: Counter[UUID] = Counter()

    def take(self, statement_id: UUID) -> None:
        with self._gate:
            self._held[statement_id] += 1
            try:
                self._run(_TAKE, statement_id)
            except psycopg.OperationalError:  # the connection was lost since the last statement
                try:
                    for held in self._held:
                        self._run(_TAKE, held)
                except psycopg.Error:
                    self._drop(statement_id)
                    raise

    def release(self, statement_id: UUID) -> None:
        """A lost connection has released it before."""
        with self._gate, suppress(psycopg.Error):
            self._drop(statement_id)
            if self._connection is not None:
                self._run(_RELEASE, statement_id)

    def close(self) -> None:
        with self._gate:
            self._forget()

    def _drop(self, statement_id: UUID) -> None:
        self._held[statement_id] -= 1
        if self._held[statement_id] <= 0:
            del self._held[statement_id]

    def _run(self, statement: LiteralString, statement_id: UUID) -> None:
        try:
            if self._connection is None:
                options = lock_options("-c statement_timeout=5000")
                self._connection = psycopg.connect(self._url, autocommit=True, **options)
            self._connection.execute(statement, (str(statement_id),))
        except psycopg.Error:
            self._forget()
            raise

    def _forget(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()


_TAKE: Final[LiteralString] = f"SELECT pg_try_advisory_lock({LOCK})"
_RELEASE: Final[LiteralString] = f"SELECT pg_advisory_unlock({LOCK})"
