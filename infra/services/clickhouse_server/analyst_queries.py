"""Runs analysts' statements for the server: attaches tables, starts the process and streams the result to the
client."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from tempfile import NamedTemporaryFile
from typing import Final, ParamSpec, TypeVar

from infra.domain.sql_access import data_tables
from infra.domain.sql_access.data_tables import DataTable
from infra.domain.sql_access.limits import DELIVERED_S, RESULT_BYTES, SECONDS
from infra.kernel.http.request_limits import Receive
from infra.services.clickhouse_server import allow_list, attached_tables, formats, readonly
from infra.services.clickhouse_server.attached_tables import LiveTable
from infra.services.clickhouse_server.body import watched
from infra.services.clickhouse_server.engine import Engine, Stats
from infra.services.clickhouse_server.errors import Code, error
from infra.services.clickhouse_server.frames import DATA_BYTES, JobTable, StatementJob
from infra.services.clickhouse_server.reply import ReplyWriter
from infra.services.clickhouse_server.request import ClickHouseRequest
from infra.services.clickhouse_server.running_queries import Running, RunningQueries
from infra.services.clickhouse_server.sql import ParsedStatement
from infra.services.clickhouse_server.users import PortUser
from infra.services.clickhouse_server.workers import Run, Workers

P = ParamSpec("P")
T = TypeVar("T")

ON_BEHALF: Final = "x-althing-analyst"
"""Header by which a service runs a statement for an analyst's account. Accepted from full users only."""

TABLES_S: Final = 10.0
"""Timeout for the list of tables, reached only when the engine hangs."""


async def _nothing_more() -> None:
    """The end of a statement that is recorded elsewhere."""


@dataclass
class AnalystStatement:
    """A validated statement. `limits` cannot be changed by the request's settings; `data` are tables that it reads
    besides those of its request; single events of UTC days before `kept_from` have expired; `stats` are its costs so
    far. `end` is called once it runs no more, before the client has the last of its result."""

    account: str
    request: ClickHouseRequest
    statement: ParsedStatement
    user: PortUser
    limits: Mapping[str, str]
    statement_id: str = ""
    data: Sequence[DataTable] = ()
    kept_from: date | None = None
    stats: Stats = field(default_factory=Stats)
    end: Callable[[], Awaitable[None]] = _nothing_more

    @property
    def output_format(self) -> str:
        return self.statement.output_format or self.request.default_format or formats.DEFAULT


def on_behalf(account: str, request: ClickHouseRequest, statement: ParsedStatement, user: PortUser) -> AnalystStatement:
    """A statement from a service for an analyst: validated there, and its settings are the limits."""
    limits = {name: value for name, value in request.settings.items() if name != "readonly"}
    bare = replace(request, settings={}, sql=b"", given={})
    return AnalystStatement(account, bare, statement, user, limits)


class AnalystExecutor:
    """Lives in the event loop's thread; reads the list of tables on threads of its own."""

    def __init__(self, engine: Engine, workers: Workers, running: RunningQueries, database: str) -> None:
        self._engine = engine
        self._workers = workers
        self._running = running
        self._database = database
        self._threads = ThreadPoolExecutor(2, "tables")

    def stop(self) -> None:
        self._workers.stop()

    def close(self) -> None:
        self._workers.kill_all()
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def answer(self, analyst_statement: AnalystStatement, receive: Receive, reply: ReplyWriter) -> None:
        """Runs it and sends its result. When this ends, whatever ran is gone. Raises `ClickHouseError`."""
        allow_list.check_format(analyst_statement.output_format, allow_list.OUTPUT_FORMATS)
        settings = readonly.settings_for(
            analyst_statement.request.settings, analyst_statement.limits, self._engine.settings
        )
        run = Run(float(settings.get("max_execution_time", SECONDS)))
        entry = Running(
            mark=uuid.uuid4().hex,
            query_id=analyst_statement.request.query_id,
            user=analyst_statement.user.name,
            text=analyst_statement.statement.head,
            is_read=True,
            also=analyst_statement.statement_id,
            stop=run.kill,
        )
        with self._running.registered(entry):
            async with watched(receive, run.kill):
                reply.events_kept_from = str(analyst_statement.kept_from or "")
                reply.tables_read_at = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
                with ExitStack() as files:
                    job = await self._job(analyst_statement, settings, files)
                    rest, output_format, stats = await self._run(analyst_statement, run, job, reply)
        analyst_statement.stats = stats
        await analyst_statement.end()
        if reply.started:
            await reply.chunk(rest)
            await reply.end()
        else:
            await reply.whole(rest, output_format, analyst_statement.user.visible_stats(stats))

    async def _run(
        self, analyst_statement: AnalystStatement, run: Run, job: StatementJob, reply: ReplyWriter
    ) -> tuple[bytes, str, Stats]:
        """A short result with its format and costs; of a long one the last part: the others have been sent then."""
        user = analyst_statement.user
        async with self._workers.running(analyst_statement.account, run, job):
            head = await run.head()
            first, stats = b"", None
            while stats is None and len(first) < DATA_BYTES:
                part, stats = await run.data()
                first += part
            if stats is None:
                await reply.begin(head.output_format, user.visible_stats(head.stats))
                first, stats = await _deliver(run, reply, first)
        return first, head.output_format, stats

    async def _job(
        self, analyst_statement: AnalystStatement, settings: Mapping[str, str], files: ExitStack
    ) -> StatementJob:
        """Returns the job for a process; its files last as long as `files`."""
        sql = analyst_statement.statement.head.decode("utf-8", "surrogateescape")
        tables: list[LiveTable] = []
        if self._database in sql:
            tables = await self._blocking(attached_tables.live_tables, self._engine, self._database)
        brought = (
            JobTable(one.name, str(one.file), one.input_format, one.structure)
            for one in analyst_statement.request.external
        )
        written = await self._blocking(self._written, analyst_statement.data, files)
        attached = attached_tables.attachment(self._database, sql, tables)
        return StatementJob(
            kind=analyst_statement.statement.kind,
            sql=sql,
            output_format=analyst_statement.output_format,
            database=analyst_statement.request.database or self._database,
            whole=analyst_statement.request.flag("wait_end_of_query"),
            parameters=analyst_statement.request.parameters,
            settings=settings,
            tables_in=self._database,
            is_checked=not analyst_statement.user.readonly,
            protocol_revision=analyst_statement.request.protocol_revision,
            create=attached.statements,
            paths=attached.paths,
            external=(*brought, *written),
        )

    def _written(self, data: Sequence[DataTable], files: ExitStack) -> list[JobTable]:
        tables = []
        for one in data:
            file = NamedTemporaryFile(dir=self._engine.incoming, prefix="rows")  # noqa: SIM115 - `files` closes it
            files.enter_context(file)
            file.write(one.content())
            file.flush()
            tables.append(JobTable(one.name, file.name, data_tables.FORMAT, one.structure))
        return tables

    async def _blocking(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        try:
            async with asyncio.timeout(TABLES_S):
                return await asyncio.wrap_future(self._threads.submit(call, *args, **kwargs))
        except TimeoutError as failure:
            raise error(Code.NETWORK_ERROR, "The engine does not answer just now; please try again") from failure


async def _deliver(run: Run, reply: ReplyWriter, last: bytes) -> tuple[bytes, Stats]:
    """Passes a result on but for its last part, within the bounds of its size and of the time until it has been read.
    `last` is what has come of it."""
    started, size = time.monotonic(), len(last)
    while True:
        part, stats = await run.data()
        if stats is not None:
            return last, stats
        size += len(part)
        if size > RESULT_BYTES:
            most = f"at most {RESULT_BYTES:,} bytes"
            raise error(Code.TOO_MANY_ROWS_OR_BYTES, f"Limit for result exceeded: it may have {most}")
        if time.monotonic() - started > DELIVERED_S:
            raise error(Code.TIMEOUT_EXCEEDED, f"Timeout exceeded: a result is read within {DELIVERED_S} seconds")
        await reply.chunk(last)
        last = part
