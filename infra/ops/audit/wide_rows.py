"""Compares whole rows of ClickHouse `events` with the expected rows of their records in the log.

A row is compared by an MD5 of its text, computed by ClickHouse and by this module; columns are fetched only where
the hashes differ.
"""

# ruff: noqa: S608 - queries are made of this package's own names and of numbers

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from struct import Struct
from typing import Any, Final

from infra.kernel.clickhouse.reader import Reader
from schemas.tracking import CONVERSION_COLUMNS, EVENT_COLUMNS, FLAG, PLACE_COLUMNS, TEXT_KEY

_COLUMNS: Final = (
    *EVENT_COLUMNS,
    *CONVERSION_COLUMNS,
    *(column for column in PLACE_COLUMNS if column.name == TEXT_KEY),
)
_DEFAULTS: Final[Mapping[str, Any]] = {column.name: column.default for column in _COLUMNS if column.default is not None}
COLUMNS: Final = tuple(column.name for column in _COLUMNS)
"""Every column but the place in the log, by which rows are found."""

_HASH: Final = Struct("<Q16s")
_FLAGS: Final = frozenset(column.name for column in _COLUMNS if column.type == FLAG)
_LIVE_TABLE: Final = (
    "SELECT name FROM system.columns WHERE database = currentDatabase() AND table IN (SELECT extract(as_select,"
    " 'events__g[0-9]+') FROM system.tables WHERE database = currentDatabase() AND name = 'events')"
)
_TEXTS: Final = {name: f"toString({f'toUInt8({name})' if name in _FLAGS else name})" for name in COLUMNS}


class WideRows:
    """The rows of one partition of a topic before `end`, taken in order of their offsets."""

    def __init__(
        self, clickhouse: Reader, topic: str, partition: int, end: int, without_record: Callable[[int, int], None]
    ) -> None:
        """`without_record(offset, rows)` is called for rows at an offset without a record."""
        self._clickhouse, self._without_record = clickhouse, without_record
        self._names = _columns_of_live_table(clickhouse)
        self._place = f"_topic = '{topic}' AND _partition = {partition} AND _offset"
        text = "concat(" + ", '\\x1f', ".join(_TEXTS[name] for name in self._names) + ")"
        query = f"SELECT _offset, MD5({text}) FROM events WHERE {self._place} < {end} ORDER BY _offset"
        self._rows: Iterator[tuple[Any, ...]] = clickhouse.packed(query, _HASH)
        self._next = next(self._rows, None)

    def take(self, offset: int) -> list[bytes]:
        """The hashes of the rows at this offset."""
        while self._next is not None and self._next[0] < offset:
            passed = self._next[0]
            self._without_record(passed, len(self._taken(passed)))
        return self._taken(offset)

    def finish(self) -> None:
        while self._next is not None:
            passed = self._next[0]
            self._without_record(passed, len(self._taken(passed)))

    def difference(self, offset: int, fields: Mapping[str, Any]) -> str:
        """Returns what the rows at `offset` hold instead of `fields`."""
        return "; ".join(self.differences(offset, fields)) or "other content"

    def differences(self, offset: int, fields: Mapping[str, Any], without: Collection[str] = ()) -> list[str]:
        """The same, by column, of all columns but those `without`."""
        columns = ", ".join(f"{_TEXTS[name]} AS shown_{name}" for name in self._names)
        rows = self._clickhouse.rows(f"SELECT {columns} FROM events WHERE {self._place} = {offset}")
        expected = texts_of(fields, self._names)
        return [
            f"{name}: {row[f'shown_{name}']!r} instead of {expected[name]!r}"
            for row in rows
            for name in self._names
            if name not in without and row[f"shown_{name}"] != expected[name]
        ]

    def hash_of(self, fields: Mapping[str, Any]) -> bytes:
        """The hash of a row with these columns, the others at their defaults."""
        texts = texts_of(fields, self._names).values()
        return hashlib.md5("\x1f".join(texts).encode(), usedforsecurity=False).digest()

    def _taken(self, offset: int) -> list[bytes]:
        hashes: list[bytes] = []
        while self._next is not None and self._next[0] == offset:
            hashes.append(self._next[1])
            self._next = next(self._rows, None)
        return hashes


def _columns_of_live_table(clickhouse: Reader) -> tuple[str, ...]:
    """Every column but those newer than the table behind the view, which has them when its rebuild is live."""
    existing = {row["name"] for row in clickhouse.rows(_LIVE_TABLE)}
    version = max((column.since for column in _COLUMNS if column.name in existing), default=0)
    return tuple(column.name for column in _COLUMNS if column.name in existing or column.since <= version)


def texts_of(fields: Mapping[str, Any], names: Sequence[str]) -> dict[str, str]:
    """The columns `names` of a row as ClickHouse shows them."""
    whole = {**_DEFAULTS, **fields}
    return {name: str(int(whole[name]) if name in _FLAGS else whole[name]) for name in names}
