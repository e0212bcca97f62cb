"""The ASGI application: ClickHouse's HTTP interface in front of the engine in this process.

Data flow of a request: authentication (users.py), parsing (request.py, sql.py), admission (admission.py),
authorization and start (query.py), then either an insert, whose body goes through a file into the engine, or a read
whose result is streamed. The event loop never touches the engine; a fixed set of threads does.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, AsyncExitStack, ExitStack, asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import ParamSpec, TypeVar

import structlog

from infra.kernel.http.request_limits import Receive, Scope, Send
from infra.services.clickhouse_server import content_encodings, query_execution
from infra.services.clickhouse_server.admission import Admission, AnalystSlots, IncompleteRequests
from infra.services.clickhouse_server.analyst_queries import ON_BEHALF, AnalystExecutor, on_behalf
from infra.services.clickhouse_server.analysts import AnalystAuthenticator
from infra.services.clickhouse_server.body import FORM_S, INSERT_S, STATEMENT_S, StreamedBody, watched
from infra.services.clickhouse_server.engine import Engine, Stats
from infra.services.clickhouse_server.errors import ClickHouseError, Code, error, from_engine
from infra.services.clickhouse_server.form_data import read_form
from infra.services.clickhouse_server.query import Lease, UserQuery
from infra.services.clickhouse_server.reply import ReplyWriter
from infra.services.clickhouse_server.request import ClickHouseRequest, read_request, with_form
from infra.services.clickhouse_server.running_queries import Kill, Running, RunningQueries, read_kill, report
from infra.services.clickhouse_server.sessions import PinnedSession, Sessions
from infra.services.clickhouse_server.sql import ParsedStatement, read_statement
from infra.services.clickhouse_server.users import PortUser, Users, authenticate
from infra.services.clickhouse_server.workers import Workers

P = ParamSpec("P")
T = TypeVar("T")
log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)

ABORT = "althing.abort"
"""Extension of the ASGI scope: cuts the request's connection."""
PROBE = "SELECT count() FROM numbers_mt(200000) WHERE number % 2 SETTINGS max_threads = 2, max_block_size = 10000"
PROBE_ANSWER = "100000"
PROBE_S = 2.0
APPEND_BYTES = 1 << 20
MAX_INSERT_BYTES = 1 << 30


WAIT_S = 20.0
MAX_INCOMPLETE = 512
MAX_INCOMPLETE_OF_READER = 32
MAX_ANALYST_PLACES_OF_ACCOUNT = 3
READONLY_LIMITS = {
    "max_execution_time": "60",
    "timeout_overflow_mode": "throw",
    "max_result_rows": "10000000",
    "result_overflow_mode": "throw",
    "max_memory_usage": str(1 << 30),
}
"""Settings of a readonly user's query."""


@dataclass(frozen=True)
class Limits:
    """The limits of how many queries run and wait, and of the memory of all statements of analysts together."""

    running: int = 16
    waiting: int = 512
    analysts_memory_bytes: int = 2 << 30

    @property
    def readonly_running(self) -> int:
        """Clients may read results slowly: those of readonly users leave half of the slots to the services."""
        return max(1, self.running // 2)


class ClickHouseServer:
    """The application. `stop` begins the end: reads are cancelled, inserts may finish; `close` frees the engine."""

    def __init__(
        self,
        engine: Engine,
        users: Users,
        *,
        default_database: str,
        limits: Limits,
        entry_point: AnalystAuthenticator | None = None,
    ) -> None:
        self._engine = engine
        self._users = users
        self._authenticator = entry_point
        self._default_database = default_database
        self._admission = Admission(limits.running, limits.waiting, WAIT_S)
        self._readers = Admission(limits.readonly_running, limits.waiting, WAIT_S)
        self._sessions = Sessions(engine)
        self._threads = ThreadPoolExecutor(limits.running, "engine")
        self._side_threads = ThreadPoolExecutor(2, "side")
        self._spool_threads = ThreadPoolExecutor(4, "spool")
        self._probe_thread = ThreadPoolExecutor(1, "probe")
        self._probe: asyncio.Future[str] | None = None
        self._running = RunningQueries()
        self._incomplete = IncompleteRequests(MAX_INCOMPLETE)
        places = AnalystSlots(limits.readonly_running, MAX_ANALYST_PLACES_OF_ACCOUNT, limits.waiting, WAIT_S)
        workers = Workers(engine.folder / "analysts", places, limits.analysts_memory_bytes)
        self._analysing = AnalystExecutor(engine, workers, self._running, default_database)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        reply = ReplyWriter(send, self._engine.version, self._engine.timezone, head_only=scope["method"] == "HEAD")
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
        if self._authenticator is not None:
            self._authenticator.close()
        self._engine.close()

    async def _ready(self, reply: ReplyWriter) -> None:
        ok = not self._admission.stopping and await self._answers()
        await reply.plain(200 if ok else 503, b"Ok.\n" if ok else b"Not ready.\n")

    async def _answers(self) -> bool:
        """Returns whether the engine answers a read: one that uses threads of its pool, on a separate thread here,
        since a busy engine is a ready one. No second probe is started while one hangs."""
        if self._probe is None or self._probe.done():
            loop = asyncio.get_running_loop()
            self._probe = loop.run_in_executor(self._probe_thread, self._engine.scalar, PROBE)
        try:
            async with asyncio.timeout(PROBE_S):
                return await asyncio.shield(self._probe) == PROBE_ANSWER
        except (ClickHouseError, TimeoutError):
            return False

    async def _interface(self, scope: Scope, receive: Receive, reply: ReplyWriter) -> None:
        body: StreamedBody | None = None
        try:
            request = read_request(scope)
            reply.query_id = request.query_id
            if request.may_only_read and not request.sql:
                await reply.plain(200, b"Ok.\n")
                return
            user = await self._user(request)
            _choose_coding(reply, request)
            decoder = content_encodings.decoder(
                request.headers.get("content-encoding", ""), native=request.flag("decompress")
            )
            body = StreamedBody(receive, decoder)
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
            log.warning("client_stalled", query_id=reply.query_id)
            # Closing would wait until the rest is read.
            scope.get("extensions", {}).get(ABORT, lambda: None)()
        except Exception as failure:
            log.exception("query_failed", query_id=reply.query_id)
            await self._fail(reply, body, from_engine(failure))

    async def _user(self, request: ClickHouseRequest) -> PortUser:
        try:
            return authenticate(self._users, request.headers, request.own)
        except ClickHouseError:
            analyst = await self._authenticator.user(request) if self._authenticator is not None else None
            if analyst is None:
                raise
            return analyst

    @asynccontextmanager
    async def _slot(self, user: PortUser, *, begun: bool = False) -> AsyncIterator[None]:
        async with AsyncExitStack() as slots:
            if user.readonly:
                await slots.enter_async_context(self._readers.slot())
            await slots.enter_async_context(self._admission.slot(begun=begun))
            yield

    def _incomplete_of(self, user: PortUser) -> AbstractContextManager[None]:
        most = MAX_INCOMPLETE_OF_READER if user.readonly else MAX_INCOMPLETE
        return self._incomplete.one(user.name, most)

    async def _with_form(self, request: ClickHouseRequest, body: StreamedBody, files: ExitStack) -> ClickHouseRequest:
        kind = request.headers["content-type"]
        return with_form(request, await read_form(body, kind, self._engine.incoming, files, self._spooling))

    async def _fail(self, reply: ReplyWriter, body: StreamedBody | None, failure: ClickHouseError) -> None:
        unread = body is not None and not body.complete
        if body is not None and unread and not reply.started:
            await body.drain()
        with suppress(TimeoutError):
            await reply.fail(failure, close=unread)

    async def _answer(
        self,
        request: ClickHouseRequest,
        user: PortUser,
        statement: ParsedStatement,
        body: StreamedBody,
        receive: Receive,
        reply: ReplyWriter,
    ) -> None:
        if user.analyst is not None and self._authenticator is not None:
            async with self._authenticator.authorize(user, user.analyst, request, statement) as authorized:
                await self._analysing.answer(authorized, receive, reply)
            return
        if not user.readonly and (account := request.headers.get(ON_BEHALF, "")):
            await self._analysing.answer(on_behalf(account, request, statement, user), receive, reply)
            return
        if statement.kind == "KILL" and (kill := read_kill(statement.head)) is not None:
            statement = await self._kill_named(kill, request, user, statement)
        if statement.input_format is None:
            async with self._slot(user):
                await self._read(request, user, statement, receive, reply)
            return
        async with self._query(request, user, statement) as (query, end):
            stats = await self._insert(query, user, body)
            await end()
            await reply.whole(b"", "", stats)

    async def _read(
        self,
        request: ClickHouseRequest,
        user: PortUser,
        statement: ParsedStatement,
        receive: Receive,
        reply: ReplyWriter,
    ) -> None:
        async with self._query(request, user, statement) as (query, end), self._watched(receive, query):
            result = await self._blocking(query.read)
            if result.more is None:
                await end()
                await reply.whole(result.first, result.output_format, result.stats())
            else:
                await self._stream(result, reply, end)

    async def _kill_named(
        self, kill: Kill, request: ClickHouseRequest, user: PortUser, statement: ParsedStatement
    ) -> ParsedStatement:
        """Stops the queries and returns the statement that reports it."""
        if request.may_only_read:
            raise error(Code.READONLY, "Cannot execute query in readonly mode: KILL QUERY needs POST")
        queries = self._running.named(kill.query_id, user)
        loop = asyncio.get_running_loop()
        for entry in queries:
            if entry.stop is not None:
                entry.stop()
            else:
                await loop.run_in_executor(self._side_threads, self._kill, entry.mark)
        status = "finished" if kill.waits and await self._running.gone(queries) else "waiting"
        return ParsedStatement("SELECT", report(queries, status), output_format=statement.output_format)

    async def _insert(self, query: UserQuery, user: PortUser, body: StreamedBody) -> Stats:
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
                        raise error(Code.QUERY_IS_TOO_LARGE, most)

            def store() -> Stats:
                file.write(waiting)
                file.flush()
                return query.insert(Path(file.name))

            async with self._slot(user, begun=True):
                return await self._blocking(store)

    async def _stream(
        self, result: query_execution.ResultReader, reply: ReplyWriter, end: Callable[[], Awaitable[None]]
    ) -> None:
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
        self, request: ClickHouseRequest, user: PortUser, statement: ParsedStatement
    ) -> AsyncIterator[tuple[UserQuery, Callable[[], Awaitable[None]]]]:
        """The query on a connection of its own or, with `session_id`, on its session's.

        A readonly user cannot change session state, so each of its queries gets a connection of its own. Also
        returns a function that ends the query, to be called before the last part of the response is sent: the client
        may send the session's next query at once. Until then `stop` and KILL QUERY find it.
        """
        session_id, limits = request.own.get("session_id", ""), READONLY_LIMITS
        database: str | None = self._default_database
        session: PinnedSession | None = None
        if session_id and not user.readonly:
            session = self._sessions.acquire(user.name, session_id, request.session_timeout_s)
            database, limits = None if session.started else database, {}
            session.started = True
        lease = Lease(self._engine, session)
        is_locked = session is not None
        query = UserQuery(request, user, statement, lease, database, limits)
        registration = ExitStack()

        async def end() -> None:
            nonlocal is_locked
            if lease.is_open:
                await self._blocking(lease.release)
            if is_locked:
                is_locked = False
                self._sessions.release(user.name, session_id)
            registration.close()

        with registration:
            registration.enter_context(self._registered(query))
            try:
                yield query, end
            finally:
                await end()

    @asynccontextmanager
    async def _watched(self, receive: Receive, query: UserQuery) -> AsyncIterator[None]:
        """Watches the client while a query runs: a read is cancelled when its client goes away."""
        kill = partial(self._side_threads.submit, self._kill, query.mark)
        async with watched(receive, kill) if query.is_read else nullcontext():
            yield

    def _registered(self, query: UserQuery) -> AbstractContextManager[None]:
        text = query.statement.head
        entry = Running(query.mark, query.request.query_id, query.user.name, text, query.is_read)
        return self._running.registered(entry)

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


def _choose_coding(reply: ReplyWriter, request: ClickHouseRequest) -> None:
    reply.coding = content_encodings.choose(request.accepted_coding)
    reply.native = request.flag("compress")


async def _statement(request: ClickHouseRequest, body: StreamedBody) -> ParsedStatement:
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
