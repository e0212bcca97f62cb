"""One run for statements that several requests ask at the same moment.

A dashboard asks its five calls at once, and they are cut from the same rows (`query_api.analytics.series`); several
people may watch one website. A request joins a statement that is already running if nothing was projected since that
one was started: what it reads is then at least as new as what the request waited for (`X-Wait-For`).
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from concurrent.futures import Future

import orjson

from query_api.columnar import Columnar, Query, Row
from query_api.waiting import Positions

Rows = list[Row]


class SharedReads:
    """Thread-safe."""

    def __init__(self, columnar: Columnar, positions: Positions) -> None:
        self._columnar, self._positions = columnar, positions
        self._running: dict[tuple[str, bytes], Future[Rows]] = {}
        self._version: int | None = None
        self._tables: Mapping[str, str] = {}
        self._lock = threading.Lock()

    def all(self, *queries: Query) -> list[Rows]:
        """The rows of each statement; they run at the same time. Raises `Problem` 503."""
        tables, version = self._positions.tables, self._positions.version
        if version is None:
            return self._columnar.all(*queries)
        with self._lock:
            if version != self._version or tables is not self._tables:
                # One answer never mixes generations: all that is shared was started over the same tables.
                self._running, self._version, self._tables = {}, version, tables
            joined = [self._join(query, tables) for query in queries]
        return self._columnar.finish(joined)

    def _join(self, query: Query, tables: Mapping[str, str]) -> Future[Rows]:
        key = query.sql, orjson.dumps(query.parameters, option=orjson.OPT_SORT_KEYS)
        found = self._running.get(key)
        if found is None or found.done():
            running = self._running
            found = running[key] = self._columnar.start(query, tables)
            found.add_done_callback(lambda _: running.pop(key, None))
        return found
