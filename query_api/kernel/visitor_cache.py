"""Visitors of large ranges: the part before the last bucket is merged once and cached.

To count the distinct visitors of 90 days of a large website, ClickHouse merges the states of 8,640 quarters of an hour,
which takes most of the time of a dashboard. But the past rarely changes. A `CachedVisitorQuery` is answered by one
statement over the whole range, or from the cached past and a statement over the last bucket that has the states of the
past in its text (as parameters they would make its address too long for some proxies).

The cached past is only used if the table's parts that hold rows of the past are still the same ones, which a statement
beside that over the last bucket reads. Parts never change; what changes the rows, also a merge, makes others. A server
that was killed may give the name of a part that it lost to another one, so nothing is used beyond its restart.
"""

from __future__ import annotations

import re
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Final

import orjson

from query_api.kernel.clickhouse_reader import Query, Row
from query_api.kernel.own_writes import wait_for_tables_of
from query_api.kernel.query_coalescing import QueryCoalescer, Rows
from query_api.kernel.read_your_writes import ProjectionPositions

TABLE: Final = "visitors_15m"
WHOLE: Final = 0
"""`edge` in the row that WITH ROLLUP adds: no range reaches back to 1970-01-01."""
OF_PAST: Final = 1
"""`edge` of the row that the states of the past come from."""
CLICKERS: Final = "{clickers}"
VISITORS: Final = "{visitors}"
"""The placeholder for the states of the past, as text."""
LARGE: Final = 50_000
"""Visitors of all buckets together from which on merging them takes longer than the two statements in place of it."""
MAX_CACHED: Final = 256
"""Ranges. One takes up to 40 kB: two states of 3 kB as text, and the rows of a hundred buckets."""
CHANGED_S: Final = 60.0
"""No past is cached for so long after it has changed, or was empty: it may be an import."""
RESTARTED_S: Final = 2
"""The server gives its time and its uptime in whole seconds."""


@dataclass(frozen=True, slots=True)
class CachedVisitorQuery(Query):
    """Rows with at least `edge`, `unique_clickers` and `unique_visitors`: of each bucket and of the whole range.

    `past` gives them of all buckets before the last one; its row of the whole also has the states (`clickers`,
    `visitors`, hexadecimal), the `parts` that were read, and the server's time and uptime (`at`, `up`, seconds).
    `parts` gives these three alone. `last` gives all other rows: those of the last bucket and of the whole range, from
    the states in place of `CLICKERS` and `VISITORS`. Without `last`, the past is everything.
    """

    past: Query
    parts: Query
    last: Query | None = None


@dataclass(frozen=True, slots=True)
class _Past:
    """The rows of `CachedVisitorQuery.past`."""

    rows: Rows
    whole: Row

    def holds(self, now: Row) -> bool:
        """Returns whether the table has the same rows of the past, by the row of `CachedVisitorQuery.parts`."""
        has_run_since = now["up"] - (now["at"] - self.whole["at"]) >= RESTARTED_S
        return bool(now["parts"] == self.whole["parts"]) and has_run_since

    def last(self, query: CachedVisitorQuery) -> list[Query]:
        """The statement over the last bucket, if there is one."""
        if query.last is None:
            return []
        sql = query.last.sql.replace(CLICKERS, _text(self.whole["clickers"]))
        return [Query(sql.replace(VISITORS, _text(self.whole["visitors"])), query.last.parameters)]

    def with_last(self, last: Sequence[Rows]) -> Rows:
        """The rows of the whole range."""
        if not last:
            return [*self.rows, self.whole]
        [rows] = last
        return [*self.rows, *(row for row in rows if row["edge"] != OF_PAST)]


@dataclass(frozen=True, slots=True)
class _CacheEntry:
    """An entry of a large range. Without `past` it is read at the next request `after` that time (`time.monotonic`)."""

    past: _Past | None
    after: float


_HEXADECIMAL: Final = re.compile("[0-9A-F]*")
_Key = tuple[str, str, bytes]
_Answer = Generator[list[Query], list[Rows], Rows]


class VisitorCache:
    """Caches the past of statements about visitors. Thread-safe; passes other statements on to the coalescer."""

    def __init__(
        self,
        coalescer: QueryCoalescer,
        positions: ProjectionPositions,
        large: int = LARGE,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._coalescer, self._positions = coalescer, positions
        self._large, self._clock = large, clock
        self._entries: OrderedDict[_Key, _CacheEntry] = OrderedDict()
        self._lock = threading.Lock()

    def all(self, *queries: Query) -> list[Rows]:
        """The rows of each statement; they run at the same time. Raises `Problem` 503."""
        wait_for_tables_of(*(query.sql for query in queries))
        answers = {number: self._answer(query) for number, query in enumerate(queries)}
        pending = {number: next(answer) for number, answer in answers.items()}
        rows: dict[int, Rows] = {}
        while pending:
            results = iter(self._coalescer.all(*(query for each in pending.values() for query in each)))
            asked, pending = pending, {}
            for number, statements in asked.items():
                try:
                    pending[number] = answers[number].send([next(results) for _ in statements])
                except StopIteration as done:
                    rows[number] = done.value
        return [rows[number] for number in range(len(queries))]

    def _answer(self, query: Query) -> _Answer:
        """Yields the statements that are needed next and takes their rows; returns the rows of `query`."""
        table = self._table()
        if not isinstance(query, CachedVisitorQuery) or table is None:
            [rows] = yield [query]
            return rows
        key = table, query.past.sql, orjson.dumps(query.past.parameters, option=orjson.OPT_SORT_KEYS)
        entry = self._found(key)
        if entry is not None and entry.past is not None:
            [[now], *last] = yield [query.parts, *entry.past.last(query)]
            if entry.past.holds(now) and self._table() == table:
                return entry.past.with_last(last)
        elif entry is not None and self._clock() >= entry.after:
            [read] = yield [query.past]
            past = _past(read)
            if past is not None and self._table() == table:
                self._store(key, _CacheEntry(past, 0.0))
                last = (yield past.last(query)) if query.last is not None else []
                if self._table() == table:
                    return past.with_last(last)
        [rows] = yield [query]
        if entry is None and sum(row["unique_visitors"] for row in rows if row["edge"] != WHOLE) >= self._large:
            self._store(key, _CacheEntry(None, self._clock()))
        elif entry is not None and self._clock() >= entry.after:
            self._store(key, _CacheEntry(None, self._clock() + CHANGED_S))
        return rows

    def _table(self) -> str | None:
        """The live table; statements of an answer began over it if it still is afterwards. Parts of two tables may have
        the same names."""
        return self._positions.tables.get(TABLE)

    def _found(self, key: _Key) -> _CacheEntry | None:
        with self._lock:
            if key in self._entries:
                self._entries.move_to_end(key)
            return self._entries.get(key)

    def _store(self, key: _Key, entry: _CacheEntry) -> None:
        with self._lock:
            self._entries[key] = entry
            self._entries.move_to_end(key)
            while len(self._entries) > MAX_CACHED:
                self._entries.popitem(last=False)


def _text(state: str) -> str:
    """Returns a state as a string in SQL. Raises `ValueError` if it is not hexadecimal."""
    if not _HEXADECIMAL.fullmatch(state):
        raise ValueError("ClickHouse gave a state that is not hexadecimal")
    return f"'{state}'"


def _past(rows: Rows) -> _Past | None:
    """Returns the past of these rows; none if there was nothing."""
    whole = next((row for row in rows if row["edge"] == WHOLE), None)
    return None if whole is None else _Past([row for row in rows if row is not whole], whole)
