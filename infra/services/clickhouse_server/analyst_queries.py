"""Runs analysts' statements for the server: attaches tables, starts the process and streams the result to the
client."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

from infra.domain.sql_access.limits import DELIVERED_S, RESULT_BYTES, SECONDS
from infra.kernel.http.request_limits import Receive
from infra.services.clickhouse_server import allow_list, attached_tables, formats, readonly
from infra.services.clickhouse_server.attached_tables import LiveTable
from infra.services.clickhouse_server.body import watched
from infra.services.clickhouse_server.engine import Engine, Stats
from infra.services.clickhouse_server.errors import Code, error
from infra.services.clickhouse_server.frames import DATA_BYTES, Job
from infra.services.clickhouse_server.reply import Reply
from infra.services.clickhouse_server.request import Request
from infra.services.clickhouse_server.running_queries import Running, RunningQueries
from infra.services.clickhouse_server.sql import Statement
from infra.services.clickhouse_server.users import User
from infra.services.clickhouse_server.workers import Run, Workers

ON_BEHALF: Final = "x-althing-analyst"
"""Header by which a service runs a statement for an analyst's account. Accepted from full users only."""

TABLES_S: Final = 10.0
"""Timeout for the list of tables, reached only when the engine hangs."""


@dataclass
class AnalystStatement:
    """A validated statement. `limits` cannot be changed by the request's settings; `stats` are its costs so far."""

    account: str
    request: Request
    statement: Statement
    user: User
    limits: Mapping[str, str]
    statement_id: str = ""
    stats: Stats = field(default_factory=Stats)

    @property
    def output_format(self) -> str:
        return self.statement.output_format or self.request.default_format or formats.DEFAULT


def on_behalf(account: str, request: Request, statement: Statement, user: User) -> AnalystStatement:
    """A statement from a service for an analyst: validated there, and its settings are the limits."""
    limits = {name: value for name, value in request.settings.items() if name != "readonly"}
    bare = Request("POST", request.headers, request.own, {}, request.parameters, b"", request.query_id)
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

    async def answer(self, analyst_statement: AnalystStatement, receive: Receive, reply: Reply) -> None:
        """Runs it and sends its result. When this ends, whatever ran is gone. Raises `ClickHouseError`."""
        allow_list.check_format(analyst_statement.output_format, allow_list.OUTPUT_FORMATS)
        settings = readonly.settings_for(analyst_statement.request.settings, analyst_statement.limits)
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
                reply.tables_read_at = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
                job = await self._job(analyst_statement, settings)
                async with self._workers.running(analyst_statement.account, run, job):
                    head = await run.head()
                    first, stats = b"", None
                    while stats is None and len(first) < DATA_BYTES:
                        part, stats = await run.data()
                        first += part
                    if stats is None:
                        await reply.begin(head.output_format, analyst_statement.user.visible_stats(head.stats))
                        await reply.chunk(first)
                        stats = await _deliver(run, reply, len(first))
        if reply.started:
            await reply.end()
        else:
            await reply.whole(first, head.output_format, analyst_statement.user.visible_stats(stats))
        analyst_statement.stats = stats

    async def _job(self, analyst_statement: AnalystStatement, settings: Mapping[str, str]) -> Job:
        sql = analyst_statement.statement.head.decode("utf-8", "surrogateescape")
        tables: list[LiveTable] = []
        if self._database in sql:
            reading = self._threads.submit(attached_tables.live_tables, self._engine, self._database)
            try:
                async with asyncio.timeout(TABLES_S):
                    tables = await asyncio.wrap_future(reading)
            except TimeoutError as failure:
                raise error(Code.NETWORK_ERROR, "The engine does not answer just now; please try again") from failure
        found = attached_tables.attachment(self._database, sql, tables)
        return Job(
            kind=analyst_statement.statement.kind,
            sql=sql,
            output_format=analyst_statement.output_format,
            database=analyst_statement.request.database or self._database,
            whole=analyst_statement.request.flag("wait_end_of_query"),
            parameters=analyst_statement.request.parameters,
            settings=settings,
            tables_in=self._database,
            is_checked=not analyst_statement.user.readonly,
            create=found.statements,
            paths=found.paths,
        )


async def _deliver(run: Run, reply: Reply, size: int) -> Stats:
    """Passes the rest of a result on, within the bounds of its size and of the time until it has been read."""
    started = time.monotonic()
    while True:
        part, stats = await run.data()
        if stats is not None:
            return stats
        size += len(part)
        if size > RESULT_BYTES:
            most = f"at most {RESULT_BYTES:,} bytes"
            raise error(Code.TOO_MANY_ROWS_OR_BYTES, f"Limit for result exceeded: it may have {most}")
        if time.monotonic() - started > DELIVERED_S:
            raise error(Code.TIMEOUT_EXCEEDED, f"Timeout exceeded: a result is read within {DELIVERED_S} seconds")
        await reply.chunk(part)
