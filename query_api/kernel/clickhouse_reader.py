"""Reading ClickHouse: a few statements at once, and a clear word within two seconds when it does not answer.

Statements name their tables by `live_table`. The server binds that to the table of the generation that is live; the
stable view of the same name stands in while that is not known, and costs a planning of its own.

Statements run on a bounded set of threads over one pool of connections. A statement may take its time as long as the
server is alive: a request that waits longer than a moment sends a ping; without an answer to it, or to any other
request in the meantime, the request fails (`Problem` 503) instead of hanging.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import unquote, urlsplit

import structlog
import urllib3
from clickhouse_connect.driver.client import Client

from infra.kernel.clickhouse.client import ClickHouseError, address
from infra.kernel.clickhouse.client import client as connect
from infra.kernel.config.settings import Settings, SettingsError
from infra.kernel.http.problems import Problem
from infra.kernel.http.worker_slots import release_worker_slot
from query_api.kernel.own_writes import wait_for_tables_of

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)

Row = Mapping[str, Any]

THREADS: Final = 12
ANSWER_TIMEOUT_S: Final = 12
PATIENCE_S: Final = 0.6
"""After this long without an answer the server must answer a ping."""

BRIEFLY_S: Final = 0.05
"""Most answers are there by then."""

PING_TIMEOUT_S: Final = 1.2
"""As long as fits into two seconds with the wait before: a crowded server must not look like one that hangs."""

_LIMITS: Final = {
    "max_execution_time": ANSWER_TIMEOUT_S - 2,
    "max_threads": 2,
    "readonly": 2,
    "local_filesystem_read_method": "pread",
}
"""`pread`: a report reads a little of each of many columns; with a thread for each read it takes a third longer."""
_ROLLUP: Final = "_15m"
_LIMITS_OF_ROLLUPS: Final = {**_LIMITS, "optimize_move_to_prewhere": 0}
"""The primary key finds the rows of a rollup: to read its columns before the others takes a sixth longer."""
_OUR_FAULT: Final = frozenset({10, 36, 42, 43, 44, 46, 47, 53, 62, 179, 184, 207, 215, 352, 386, 456, 457})
"""Codes of ClickHouse that blame the statement: a fault of the program (500), not of the server (503)."""

_TABLE: Final = re.compile(r"\{(\w+):Identifier\}")
_READ: Final = b"SELECT count() FROM numbers(1)"
_READ_TIMEOUT: Final = urllib3.Timeout(connect=PING_TIMEOUT_S, read=2.0)
_PING: Final = urllib3.Timeout(connect=PING_TIMEOUT_S, read=PING_TIMEOUT_S)


@dataclass(frozen=True, slots=True)
class Query:
    """A statement of this service; its values are bound on the server (`{name:Type}`)."""

    sql: str
    parameters: Mapping[str, Any]


def live_table(name: str) -> str:
    """Returns the text to write behind FROM for the table that has this stable name."""
    return f"{{{name}:Identifier}}"


class ClickHouseReader:
    """Reads from ClickHouse. Thread-safe. Every method raises `Problem` 503 when ClickHouse does not answer."""

    def __init__(self, settings: Settings, tables: Callable[[], Mapping[str, str]]) -> None:
        if settings.clickhouse_url is None:
            raise SettingsError("CLICKHOUSE_URL is not set and no stack runs here; start one with `althing up`.")
        self._settings = settings
        self._tables = tables
        self._ping_url = f"{address(settings.clickhouse_url)}/ping"
        self._read_url = f"{address(settings.clickhouse_url)}/"
        parts = urlsplit(settings.clickhouse_url)
        named = f"{unquote(parts.username or 'default')}:{unquote(parts.password or '')}"
        self._credentials = urllib3.make_headers(basic_auth=named)
        self._connections = urllib3.PoolManager(num_pools=2, maxsize=THREADS, block=False, retries=False)
        self._threads = ThreadPoolExecutor(THREADS, "clickhouse")
        self._connecting = threading.Lock()
        self._client: Client | None = None
        self._answered_at = 0.0

    def rows(self, query: Query) -> list[Row]:
        """The rows of one statement."""
        [rows] = self.all(query)
        return rows

    def all(self, *queries: Query) -> list[list[Row]]:
        """The rows of each statement; they run at the same time."""
        wait_for_tables_of(*(query.sql for query in queries))
        tables = self._tables()  # once: statements of one answer must not read different generations
        running = [self.start(query, tables) for query in queries]
        try:
            return self.finish(running)
        finally:
            for future in running:
                future.cancel()

    def start(self, query: Query, tables: Mapping[str, str]) -> Future[list[Row]]:
        """Begins a statement over these tables; `finish` waits for it."""
        return self._threads.submit(self._run, query, tables)

    def finish(self, running: Sequence[Future[list[Row]]]) -> list[list[Row]]:
        """The rows of statements that were started."""
        try:
            self._wait(running)
            return [future.result(timeout=0) for future in running]
        except (ClickHouseError, urllib3.exceptions.HTTPError, OSError) as error:
            if getattr(error, "code", None) in _OUR_FAULT:
                raise
            raise self._failed(error) from error

    def ready(self) -> bool:
        """Returns whether the server answers a ping now."""
        try:
            answers = self._connections.request("GET", self._ping_url, timeout=_PING, retries=False).status == 200
        except (urllib3.exceptions.HTTPError, OSError):
            return False
        if answers:
            self._answered_at = time.monotonic()
        return answers

    def answers(self) -> bool:
        """Returns whether the server answers a read now: a ping is answered also by one whose reads all hang."""
        try:
            response = self._connections.request(
                "POST", self._read_url, body=_READ, headers=self._credentials, timeout=_READ_TIMEOUT, retries=False
            )
        except (urllib3.exceptions.HTTPError, OSError):
            return False
        return response.status == 200 and response.data == b"1\n"

    def close(self) -> None:
        """Cancels statements that have not begun; does not wait for running ones."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._connections.clear()

    def _wait(self, running: Sequence[Future[list[Row]]]) -> None:
        deadline = time.monotonic() + ANSWER_TIMEOUT_S
        if not wait_for(running, BRIEFLY_S, FIRST_EXCEPTION).not_done:
            return
        with release_worker_slot():  # requests that need only Postgres proceed
            while wait_for(running, PATIENCE_S, FIRST_EXCEPTION).not_done:
                if any(future.done() and future.exception() for future in running):
                    return
                if time.monotonic() > deadline:
                    raise OSError("no answer in time")
                if not self._is_alive():
                    raise OSError("no answer to a ping")

    def _is_alive(self) -> bool:
        """Returns whether the server answers a ping or, in the meantime, another request."""
        asked_at = time.monotonic()
        return self.ready() or self._answered_at >= asked_at

    def _run(self, query: Query, tables: Mapping[str, str]) -> list[Row]:
        named = {name: tables.get(name, name) for name in _TABLE.findall(query.sql)}
        limits = _LIMITS_OF_ROLLUPS if named and all(name.endswith(_ROLLUP) for name in named) else _LIMITS
        result = self._connected().query(query.sql, parameters={**query.parameters, **named}, settings=limits)
        self._answered_at = time.monotonic()
        names = result.column_names
        return [dict(zip(names, row, strict=True)) for row in result.result_rows]

    def _connected(self) -> Client:
        client = self._client
        if client is None:
            with self._connecting:
                client = self._client
                if client is None:
                    client = connect(self._settings, read_timeout_s=ANSWER_TIMEOUT_S)
                    self._client = client
        return client

    def _failed(self, error: Exception) -> Problem:
        log.warning("clickhouse_unavailable", error=error)
        message = "The analytics store is unavailable. Please try again in a moment."
        return Problem(503, "analytics_unavailable", message, headers={"Retry-After": "2"})
