"""An analyst's statement from the front's side: its tables, its process, its result on the way to the client."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import AsyncIterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from infra.analysts.limits import DELIVERED_S, RESULT_BYTES, SECONDS
from infra.clickhouse_front import allowed, attach, formats, readonly
from infra.clickhouse_front.attach import LiveTable
from infra.clickhouse_front.engine import Engine, Stats
from infra.clickhouse_front.errors import NETWORK_ERROR, TIMEOUT_EXCEEDED, TOO_MANY_ROWS_OR_BYTES, error
from infra.clickhouse_front.frames import DATA_BYTES, Job
from infra.clickhouse_front.reply import Reply
from infra.clickhouse_front.request import Request
from infra.clickhouse_front.running import Running, RunningQueries
from infra.clickhouse_front.sql import Statement
from infra.clickhouse_front.users import User
from infra.clickhouse_front.workers import Run, Workers
from infra.http_guard import Receive

ON_BEHALF: Final = "x-althing-analyst"
"""Header with which a service runs a statement as an analyst's: the account. Believed from full users only."""

TABLES_S: Final = 10.0
"""For the list of tables: longer takes only an engine that answers nothing."""


@dataclass(frozen=True)
class Asked:
    """A statement that the gate has let through. `limits` cannot be changed by what the request sets."""

    account: str
    request: Request
    statement: Statement
    user: User
    limits: Mapping[str, str]
    statement_id: str = ""

    @property
    def output_format(self) -> str:
        return self.statement.output_format or self.request.default_format or formats.DEFAULT


def on_behalf(account: str, request: Request, statement: Statement, user: User) -> Asked:
    """What a service asks for an analyst: it has been through the gate there, and its settings are the limits."""
    limits = {name: value for name, value in request.settings.items() if name != "readonly"}
    bare = Request("POST", "/", request.headers, request.own, {}, request.parameters, b"", request.query_id)
    return Asked(account, bare, statement, user, limits)


class Analysing:
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

    async def answer(self, asked: Asked, receive: Receive, reply: Reply) -> Stats:
        """Runs it and sends its result. When this ends, whatever ran is gone. Raises `ClickHouseError`."""
        allowed.check_output_format(asked.output_format)
        settings = readonly.settings_for(asked.request.settings, asked.limits)
        run = Run(float(settings.get("max_execution_time", SECONDS)))
        text, ids = asked.statement.head, (asked.request.query_id, asked.statement_id)
        entry = Running(uuid.uuid4().hex, ids[0], asked.user.name, text, is_read=True, also=ids[1], stop=run.kill)
        with self._running.entered(entry):
            async with _watched(receive, run):
                reply.tables_read_at = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
                job = await self._job(asked, settings)
                async with self._workers.running(asked.account, run, job):
                    head = await run.head()
                    first, stats = b"", None
                    while stats is None and len(first) < DATA_BYTES:
                        part, stats = await run.data()
                        first += part
                    if stats is None:
                        await reply.begin(head.output_format, asked.user.told(head.stats))
                        await reply.chunk(first)
                        stats = await _deliver(run, reply, len(first))
        if reply.started:
            await reply.end()
        else:
            await reply.whole(first, head.output_format, asked.user.told(stats))
        return stats

    async def _job(self, asked: Asked, settings: Mapping[str, str]) -> Job:
        sql = asked.statement.head.decode("utf-8", "surrogateescape")
        tables: list[LiveTable] = []
        if self._database in sql:
            loop = asyncio.get_running_loop()
            try:
                async with asyncio.timeout(TABLES_S):
                    tables = await loop.run_in_executor(self._threads, self._tables)
            except TimeoutError as failure:
                raise error(NETWORK_ERROR, "The engine does not answer just now; please try again") from failure
        found = attach.attachment(self._database, sql, tables)
        return Job(
            kind=asked.statement.kind,
            sql=sql,
            output_format=asked.output_format,
            database=asked.request.database or self._database,
            whole=asked.request.flag("wait_end_of_query"),
            parameters=asked.request.parameters,
            settings=settings,
            tables_in=self._database,
            is_checked=not asked.user.readonly,
            create=found.statements,
            paths=found.paths,
        )

    def _tables(self) -> list[LiveTable]:
        return attach.live_tables(self._engine, self._database)


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
            raise error(TOO_MANY_ROWS_OR_BYTES, f"Limit for result exceeded: it may have {most}")
        if time.monotonic() - started > DELIVERED_S:
            raise error(TIMEOUT_EXCEEDED, f"Timeout exceeded: a result is read within {DELIVERED_S} seconds")
        await reply.chunk(part)


@asynccontextmanager
async def _watched(receive: Receive, run: Run) -> AsyncIterator[None]:
    """Ends the statement when its client goes away."""

    async def watch() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        run.kill()

    watcher = asyncio.create_task(watch())
    try:
        yield
    finally:
        watcher.cancel()
