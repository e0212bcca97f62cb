"""The ASGI application: ClickHouse's HTTP interface in front of the engine in this process.

One request: who is it (users.py), what does it ask (request.py, sql.py), is there room (admission.py), may it and how
does it start (query.py), then either an insert, whose body goes through a file into the engine, or a read whose
result is streamed out. The event loop never touches the engine; a fixed set of threads does.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, AsyncExitStack, ExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import ParamSpec, TypeVar

from infra.clickhouse_front import codings, reading
from infra.clickhouse_front.admission import Admission, Incomplete, Places
from infra.clickhouse_front.analysing import ON_BEHALF, Analysing, Asked, on_behalf
from infra.clickhouse_front.analysts import Door
from infra.clickhouse_front.body import FORM_S, INSERT_S, STATEMENT_S, Body
from infra.clickhouse_front.engine import Engine, Stats
from infra.clickhouse_front.errors import (
    QUERY_IS_TOO_LARGE,
    READONLY,
    ClickHouseError,
    error,
    from_engine,
)
from infra.clickhouse_front.form import read_form
from infra.clickhouse_front.query import Lease, Query
from infra.clickhouse_front.reply import Reply
from infra.clickhouse_front.request import Request, read_request, with_form
from infra.clickhouse_front.running import Kill, Running, RunningQueries, read_kill, report
from infra.clickhouse_front.sessions import Session, Sessions
from infra.clickhouse_front.sql import Statement, read_statement
from infra.clickhouse_front.users import User, Users, authenticate
from infra.clickhouse_front.workers import Workers
from infra.http_guard import Receive, Scope, Send

P = ParamSpec("P")
T = TypeVar("T")
log = logging.getLogger(__name__)

ABORT = "althing.abort"
"""Extension of the ASGI scope: cuts the request's connection."""
PROBE = "SELECT count() FROM numbers_mt(200000) WHERE number % 2 SETTINGS max_threads = 2, max_block_size = 10000"
PROBE_ANSWER = "100000"
PROBE_S = 2.0
APPEND_BYTES = 1 << 20
MAX_INSERT_BYTES = 1 << 30


@dataclass(frozen=True)
class Limits:
    """How much may happen at once, and what one query of a readonly user may take."""

    running: int = 16
    waiting: int = 512
    wait_s: float = 20.0
    readonly_seconds: int = 60
    readonly_result_rows: int = 10_000_000
    readonly_memory_bytes: int = 1 << 30
    incomplete: int = 512
    incomplete_of_reader: int = 32
    analysts_of_account: int = 3
    analysts_memory_bytes: int = 2 << 30

    @property
    def readonly_running(self) -> int:
        """A result is read as slowly as its client likes: those of readonly users leave half of the room to us."""
        return max(1, self.running // 2)

    def readonly_settings(self) -> dict[str, str]:
        return {
            "max_execution_time": str(self.readonly_seconds),
            "timeout_overflow_mode": "throw",
            "max_result_rows": str(self.readonly_result_rows),
            "result_overflow_mode": "throw",
            "max_memory_usage": str(self.readonly_memory_bytes),
        }


class Front:
    """The application. `stop` begins the end: reads are cancelled, inserts may finish; `close` frees the engine."""

    def __init__(
        self, engine: Engine, users: Users, *, default_database: str, limits: Limits, door: Door | None = None
    ) -> None:
        self._engine = engine
        self._users = users
        self._door = door
        self._default_database = default_database
        self._readonly_limits = limits.readonly_settings()
        self._admission = Admission(limits.running, limits.waiting, limits.wait_s)
        self._readers = Admission(limits.readonly_running, limits.waiting, limits.wait_s)
        self._sessions = Sessions(engine)
        self._threads = ThreadPoolExecutor(limits.running, "engine")
        self._side_threads = ThreadPoolExecutor(2, "side")
        self._spool_threads = ThreadPoolExecutor(4, "spool")
        self._probe_thread = ThreadPoolExecutor(1, "probe")
        self._probe: asyncio.Future[str] | None = None
        self._running = RunningQueries()
        self._incomplete, self._limits = Incomplete(limits.incomplete), limits
        places = Places(limits.readonly_running, limits.analysts_of_account, limits.waiting, limits.wait_s)
        workers = Workers(engine.folder / "analysts", places, limits.analysts_memory_bytes)
        self._analysing = Analysing(engine, workers, self._running, default_database)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        reply = Reply(send, self._engine.version, self._engine.timezone, head_only=scope["method"] == "HEAD")
        path = scope["path"]
        if path in ("/ping", "/replicas_status", "/livez"):
            await reply.plain(200, b"Ok.\n")
        elif path == "/readyz":
            await self._ready(reply)
        elif path != "/":
            await reply.plain(404, f"There is no handle {path}\n".encode())
        else:
            await self._interface(scope, receive, reply)

    def stop(self) -> None:
        self._readers.stop()
        self._admission.stop()
        self._analysing.stop()
        for entry in self._running.reads():
            if entry.stop is None:
                self._side_threads.submit(self._kill, entry.mark)

    def close(self) -> None:
        self._analysing.close()
        self._side_threads.shutdown()
        self._spool_threads.shutdown()
        self._probe_thread.shutdown(wait=False)
        self._threads.shutdown(cancel_futures=True)
        self._sessions.close()
        if self._door is not None:
            self._door.close()
        self._engine.close()

    async def _ready(self, reply: Reply) -> None:
        ok = not self._admission.stopping and await self._answers()
        await reply.plain(200 if ok else 503, b"Ok.\n" if ok else b"Not ready.\n")

    async def _answers(self) -> bool:
        """Whether the engine answers a read: one that takes threads of its pool, on a thread of its own here, since a
        busy engine is a ready one. A read that hangs is asked no second time."""
        if self._probe is None or self._probe.done():
            loop = asyncio.get_running_loop()
            self._probe = loop.run_in_executor(self._probe_thread, self._engine.scalar, PROBE)
        try:
            async with asyncio.timeout(PROBE_S):
                return await asyncio.shield(self._probe) == PROBE_ANSWER
        except (ClickHouseError, TimeoutError):
            return False

    async def _interface(self, scope: Scope, receive: Receive, reply: Reply) -> None:
        body: Body | None = None
        try:
            request = read_request(scope)
            reply.query_id = request.query_id
            if request.may_only_read and not request.sql:
                await reply.plain(200, b"Ok.\n")
                return
            user = await self._user(request)
            _choose_coding(reply, request)
            decoder = codings.decoder(request.headers.get("content-encoding", ""), native=request.flag("decompress"))
            body = Body(receive, decoder)
            body.allow(FORM_S if request.is_form else STATEMENT_S)
            with ExitStack() as files:
                with self._incomplete_of(user):
                    if request.is_form:
                        request = await self._with_form(request, body, files)
                        reply.query_id = request.query_id
                        _choose_coding(reply, request)
                    statement = await _statement(request, body)
                await self._answer(request, user, statement, body, receive, reply)
        except ClickHouseError as failure:
            await self._fail(reply, body, failure)
        except TimeoutError:
            log.warning("A client stopped reading its answer; its connection is cut.")
            # Closing would wait until the rest is read.
            scope.get("extensions", {}).get(ABORT, lambda: None)()
        except Exception as failure:
            log.exception("A query failed outside the engine.")
            await self._fail(reply, body, from_engine(failure))

    async def _user(self, request: Request) -> User:
        try:
            return authenticate(self._users, request.headers, request.own)
        except ClickHouseError:
            analyst = await self._door.user(request) if self._door is not None else None
            if analyst is None:
                raise
            return analyst

    @asynccontextmanager
    async def _slot(self, user: User, *, begun: bool = False) -> AsyncIterator[None]:
        async with AsyncExitStack() as slots:
            if user.readonly:
                await slots.enter_async_context(self._readers.slot())
            await slots.enter_async_context(self._admission.slot(begun=begun))
            yield

    def _incomplete_of(self, user: User) -> AbstractContextManager[None]:
        most = self._limits.incomplete_of_reader if user.readonly else self._limits.incomplete
        return self._incomplete.one(user.name, most)

    async def _with_form(self, request: Request, body: Body, files: ExitStack) -> Request:
        kind = request.headers["content-type"]
        return with_form(request, await read_form(body, kind, self._engine.incoming, files, self._spooling))

    async def _fail(self, reply: Reply, body: Body | None, failure: ClickHouseError) -> None:
        unread = body is not None and not body.complete
        if body is not None and unread and not reply.started:
            await body.drain()
        with suppress(TimeoutError):
            await reply.fail(failure, close=unread)

    async def _answer(
        self, request: Request, user: User, statement: Statement, body: Body, receive: Receive, reply: Reply
    ) -> None:
        if user.analyst is not None and self._door is not None:
            async with self._door.passing(user, user.analyst, request, statement) as passed:
                account, limits = str(user.analyst.account_id), passed.user.limits or {}
                asked = Asked(account, passed.request, passed.statement, passed.user, limits, passed.statement_id)
                passed.stats = await self._analysing.answer(asked, receive, reply)
            return
        if not user.readonly and (account := request.headers.get(ON_BEHALF, "")):
            await self._analysing.answer(on_behalf(account, request, statement, user), receive, reply)
            return
        if statement.kind == "KILL" and (kill := read_kill(statement.head, request.parameters)) is not None:
            statement = await self._kill_named(kill, request, user, statement)
        if statement.input_format is None:
            async with self._slot(user):
                await self._read(request, user, statement, receive, reply)
            return
        async with self._query(request, user, statement) as (query, end):
            with self._entered(query):
                stats = await self._insert(query, user, body)
            await end()
            await reply.whole(b"", "", stats)

    async def _read(self, request: Request, user: User, statement: Statement, receive: Receive, reply: Reply) -> None:
        async with self._query(request, user, statement) as (query, end), self._watched(receive, query):
            result = await self._blocking(query.read)
            if result.more is None:
                await end()
                await reply.whole(result.first, result.output_format, result.stats())
            else:
                await self._stream(result, reply, end)

    async def _kill_named(self, kill: Kill, request: Request, user: User, statement: Statement) -> Statement:
        """Stops the queries and returns the statement that reports it."""
        if request.may_only_read:
            raise error(READONLY, "Cannot execute query in readonly mode: KILL QUERY needs POST")
        found = self._running.named(kill.query_ids, user)
        if kill.mode != "TEST":
            loop = asyncio.get_running_loop()
            for entry in found:
                if entry.stop is not None:
                    entry.stop()
                else:
                    await loop.run_in_executor(self._side_threads, self._kill, entry.mark)
        waited = kill.mode == "SYNC" and await self._running.gone(found)
        status = "finished" if waited else "unknown_status" if kill.mode == "TEST" else "waiting"
        return Statement("SELECT", report(found, status), output_format=statement.output_format)

    async def _insert(self, query: Query, user: User, body: Body) -> Stats:
        query.check_insert()
        self._admission.check()
        with NamedTemporaryFile(dir=self._engine.incoming, prefix="insert") as file:
            waiting = bytearray(query.statement.data)
            size = 0
            body.allow(INSERT_S)
            with self._incomplete_of(user):
                async for piece in body.pieces():
                    waiting += piece
                    if len(waiting) >= APPEND_BYTES:
                        size += len(waiting)
                        await self._spooling(file.write, bytes(waiting))
                        waiting.clear()
                    if size > MAX_INSERT_BYTES:
                        most = f"One INSERT may have at most {MAX_INSERT_BYTES:,} bytes of data"
                        raise error(QUERY_IS_TOO_LARGE, most)

            def store() -> Stats:
                file.write(waiting)
                file.flush()
                return query.insert(Path(file.name))

            async with self._slot(user, begun=True):
                return await self._blocking(store)

    async def _stream(self, result: reading.Reading, reply: Reply, end: Callable[[], Awaitable[None]]) -> None:
        last = False
        try:
            await reply.begin(result.output_format, result.stats())
            await reply.chunk(result.first)
            while not last:
                part, last = await self._blocking(result.next)
                if last:
                    await end()
                await reply.chunk(part)
            await reply.end()
        finally:
            if not last:
                with suppress(ClickHouseError):
                    await self._blocking(result.cancel)

    @asynccontextmanager
    async def _query(
        self, request: Request, user: User, statement: Statement
    ) -> AsyncIterator[tuple[Query, Callable[[], Awaitable[None]]]]:
        """The query on a connection of its own or, with `session_id`, on its session's. A readonly user can change
        nothing that a session would keep: each of its queries gets a connection of its own.

        With it comes what ends it, to be called before the last of the answer is sent: whoever has read that may send
        the session's next query at once.
        """
        session_id, limits = request.own.get("session_id", ""), self._readonly_limits
        database: str | None = self._default_database
        session: Session | None = None
        if session_id and not user.readonly:
            session = self._sessions.acquire(
                user.name, session_id, request.session_timeout_s, must_exist=request.flag("session_check")
            )
            database, limits = None if session.started else database, {}
            session.started = True
        lease = Lease(self._engine, session)
        is_locked = session is not None

        async def end() -> None:
            nonlocal is_locked
            if lease.is_open:
                await self._blocking(lease.give_back)
            if is_locked:
                is_locked = False
                self._sessions.release(user.name, session_id, close=request.flag("close_session"))

        try:
            yield Query(request, user, statement, lease, database, limits), end
        finally:
            await end()

    @asynccontextmanager
    async def _watched(self, receive: Receive, query: Query) -> AsyncIterator[None]:
        """While a query runs: `stop` and KILL QUERY find it, and a read is cancelled when its client goes away."""

        async def watch() -> None:
            while (await receive())["type"] != "http.disconnect":
                pass
            await asyncio.get_running_loop().run_in_executor(self._side_threads, self._kill, query.mark)

        with self._entered(query):
            watcher = asyncio.create_task(watch()) if query.is_read else None
            try:
                yield
            finally:
                if watcher is not None:
                    watcher.cancel()

    def _entered(self, query: Query) -> AbstractContextManager[None]:
        text = query.statement.head
        entry = Running(query.mark, query.request.query_id, query.user.name, text, query.is_read)
        return self._running.entered(entry)

    def _kill(self, mark: str) -> None:
        with suppress(ClickHouseError):
            self._engine.kill(mark)

    async def _spooling(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """`call`, which writes what comes, on a thread that no query holds."""
        return await asyncio.get_running_loop().run_in_executor(self._spool_threads, lambda: call(*args, **kwargs))

    async def _blocking(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """`call` on an engine thread. If the task is cancelled meanwhile, the thread's work is waited for all the same:
        a connection must never be used by two threads."""
        future = asyncio.get_running_loop().run_in_executor(self._threads, lambda: call(*args, **kwargs))
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            await asyncio.wait([future])
            raise


def _choose_coding(reply: Reply, request: Request) -> None:
    reply.coding = codings.choose(request.accepted_coding)
    reply.native = request.flag("compress")


async def _statement(request: Request, body: Body) -> Statement:
    """The statement, out of the `query` parameter, the body or both; an INSERT's data stays in the body."""
    if request.may_only_read or request.is_form:
        return read_statement(request.sql)
    if request.sql:
        statement = read_statement(request.sql, data_follows=True)
        if statement.input_format is not None:
            return statement
        more = await body.rest_of_statement(b"")
        return read_statement(request.sql + b"\n" + more) if more else statement
    head, ended = await body.head()
    statement = read_statement(head)
    if ended or (statement.input_format is not None and statement.data):
        return statement
    return read_statement(await body.rest_of_statement(head))
