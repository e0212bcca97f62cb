"""The engine's ClickHouse client: statements, rows, and idempotent inserts.

An insert carries a token; the server drops a block whose token it has seen, in the raw table and in every table that a
materialized view feeds. So an insert whose response was lost can be repeated.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, Protocol

import urllib3
from clickhouse_connect.driver.client import Client

from infra.kernel.clickhouse.client import ClickHouseError, address, client, insert_rows
from infra.kernel.config.settings import Settings, SettingsError

ANSWER_TIMEOUT_S: Final = 60
PING_TIMEOUT_S: Final = 0.8
BACKFILL_TIMEOUT_S: Final = 3600

INSERT_SETTINGS: Final[Mapping[str, Any]] = {
    "insert_deduplicate": 1,
    "date_time_input_format": "basic",
    "input_format_parallel_parsing": 0,
    "max_partitions_per_insert_block": 0,
    "input_format_skip_unknown_fields": 1,
}
"""One insert is one block: parsed whole before a row is written, in as many months as it likes. The checks of the rows
refuse unknown fields; the live table of an earlier version may lack a new column until its rebuild is done."""

SINGLE_BLOCK: Final[Mapping[str, Any]] = {
    "max_threads": 1,
    "max_insert_threads": 1,
    "min_insert_block_size_rows": 1_000_000_000,
    "min_insert_block_size_bytes": 0,
    "deduplicate_blocks_in_dependent_materialized_views": 1,
    "insert_deduplicate": 1,
    "max_partitions_per_insert_block": 0,
    "max_execution_time": BACKFILL_TIMEOUT_S,
}
"""`INSERT SELECT` in one block with a fixed order, so that a token makes it repeatable."""

_DATA_ERRORS: Final = frozenset(
    {6, 26, 27, 32, 33, 34, 38, 41, 53, 69, 70, 72, 117, 130, 131, 190, 321, 349, 376, 407, 441, 457, 467, 675, 691}
)
"""Codes that blame the rows: parsing, types, ranges. Everything else may pass when it is tried again."""


class InsertRejected(Exception):
    """ClickHouse cannot take these rows, however often they are sent."""


class Unavailable(Exception):
    """ClickHouse did not answer, or not well; nothing is known about the statement. Try again."""


class ClickHouse(Protocol):
    """The methods of ClickHouse that the engine needs. Thread-safe. Methods raise `Unavailable`, `insert` also
    `InsertRejected`."""

    cluster: str | None
    """Its name, where tables are distributed over one."""

    def run(self, statement: str, settings: Mapping[str, Any] | None = None) -> None:
        """Runs a statement without result."""
        ...

    def rows(self, query: str, parameters: Mapping[str, Any] | None = None) -> Sequence[Sequence[Any]]:
        """The rows of a query; `parameters` are bound by the server (`{name:Type}`)."""
        ...

    def insert(self, table: str, lines: bytes, token: str) -> None:
        """Inserts JSON lines once, however often it is called with this token."""
        ...

    def ready(self) -> bool:
        """Returns whether the server answers now."""
        ...


class HttpClickHouse:
    """`ClickHouse` over HTTP; one client per thread."""

    def __init__(self, settings: Settings, *, answer_timeout_s: int = ANSWER_TIMEOUT_S) -> None:
        if settings.clickhouse_url is None:
            raise SettingsError("CLICKHOUSE_URL is not set and no stack runs here; start one with `althing up`.")
        self._settings, self._answer_timeout_s = settings, answer_timeout_s
        self.cluster = settings.clickhouse_cluster
        self._distributed = {"distributed_foreground_insert": 1} if self.cluster else {}
        """`INSERT` and `INSERT SELECT` return when the shards have the rows, in one block each, under the token."""
        self._local = threading.local()
        self._ping_url = f"{address(settings.clickhouse_url)}/ping"
        self._pings = urllib3.PoolManager(num_pools=1, maxsize=2, retries=False)

    def run(self, statement: str, settings: Mapping[str, Any] | None = None) -> None:
        """Runs a statement without result. A failure drops this thread's client: the next call reconnects."""
        with self._client() as client:
            client.command(statement, settings={**self._distributed, **(settings or {})})

    def rows(self, query: str, parameters: Mapping[str, Any] | None = None) -> Sequence[Sequence[Any]]:
        """Returns the whole result; the server binds `parameters` (`{name:Type}`)."""
        with self._client() as client:
            rows: Sequence[Sequence[Any]] = client.query(query, parameters=dict(parameters or {})).result_rows
        return rows

    def insert(self, table: str, lines: bytes, token: str) -> None:
        """Inserts once per token. Raises `InsertRejected` only for error codes that blame the rows."""
        with self._client(blames=_DATA_ERRORS) as client:
            insert_rows(client, table, lines, token, settings={**INSERT_SETTINGS, **self._distributed})

    def ready(self) -> bool:
        """Sends a ping over a connection of its own; waits `PING_TIMEOUT_S` at most."""
        # Without a client: each caller has a new thread, and creating a client takes three statements, or as long as a
        # server hangs.
        try:
            return self._pings.request("GET", self._ping_url, timeout=PING_TIMEOUT_S).status == 200
        except (urllib3.exceptions.HTTPError, OSError):
            return False

    @contextmanager
    def _client(self, blames: Collection[int] = ()) -> Iterator[Client]:
        """Yields this thread's client. Raises `InsertRejected` for the error codes `blames`, else `Unavailable`."""
        try:
            current: Client | None = getattr(self._local, "client", None)
            if current is None:
                current = self._local.client = client(self._settings, read_timeout_s=self._answer_timeout_s)
            yield current
        except (ClickHouseError, urllib3.exceptions.HTTPError, OSError) as error:
            text = f"{type(error).__name__}: {error}"[:2000]
            if getattr(error, "code", None) in blames:
                raise InsertRejected(text) from error
            self._local.client = None
            raise Unavailable(text) from error
