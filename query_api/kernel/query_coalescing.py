"""Query coalescing: concurrent requests for the same statement share one run.

A dashboard sends its five calls at once, and they are computed from the same rows;
several people may watch one website. A request joins a statement that is already running if nothing was projected since
that one was started: what it reads is then at least as new as what the request waited for (`X-Wait-For`).

A statement without waiting requests is cancelled before it starts: while ClickHouse hangs, requests time out within
seconds, and their statements would delay those of later requests.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass

import orjson

from query_api.kernel.clickhouse_reader import ClickHouseReader, Query, Row
from query_api.kernel.own_writes import wait_for_tables_of
from query_api.kernel.read_your_writes import ProjectionPositions

Rows = list[Row]


@dataclass(slots=True)
class _Shared:
    """A statement that runs or is queued, and how many requests wait for it."""

    rows: Future[Rows]
    waiting: int = 0


class QueryCoalescer:
    """Thread-safe."""

    def __init__(self, clickhouse: ClickHouseReader, positions: ProjectionPositions) -> None:
        self._columnar, self._positions = clickhouse, positions
        self._running: dict[tuple[str, bytes], _Shared] = {}
        self._version: int | None = None
        self._tables: Mapping[str, str] = {}
        self._lock = threading.Lock()

    def all(self, *queries: Query) -> list[Rows]:
        """The rows of each statement; they run at the same time. Raises `Problem` 503."""
        wait_for_tables_of(*(query.sql for query in queries))
        tables, version = self._positions.tables, self._positions.version
        if version is None:
            return self._columnar.all(*queries)
        with self._lock:
            if version != self._version or tables is not self._tables:
                # One answer never mixes generations: all that is shared was started over the same tables.
                self._running, self._version, self._tables = {}, version, tables
            joined = [self._join(query, tables) for query in queries]
        given_up = True
        try:
            rows = self._columnar.finish([each.rows for each in joined])
            given_up = False
        finally:
            with self._lock:
                for each in joined:
                    each.waiting -= 1
                    if given_up and not each.waiting:
                        each.rows.cancel()
        return rows

    def _join(self, query: Query, tables: Mapping[str, str]) -> _Shared:
        key = query.sql, orjson.dumps(query.parameters, option=orjson.OPT_SORT_KEYS)
        shared = self._running.get(key)
        if shared is None or shared.rows.done():
            running = self._running
            shared = running[key] = _Shared(self._columnar.start(query, tables))
            shared.rows.add_done_callback(lambda _: running.pop(key, None))
        shared.waiting += 1
        return shared
