"""Rows of ClickHouse `events`, whole: each against what its record in the log must have become.

A row is compared by an MD5 of its text, which ClickHouse works out on its side and this module on the other; only where
they differ are the columns fetched.
"""

# ruff: noqa: S608 - queries are made of this package's own names and of numbers

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from struct import Struct
from typing import Any, Final

from infra.auditing.clickhouse import Reader
from schemas.tracking import NO_ID, TrackedEvent

_DECIDED: Final[Mapping[str, Any]] = {
    "conversion_id": NO_ID,
    "event_name": "",
    "d_pending": 0,
    "d_approved": 0,
    "d_rejected": 0,
    "d_reversed": 0,
    "c_pending": 0,
    "c_approved": 0,
    "c_reversed": 0,
}
_DEFAULTS: Final[Mapping[str, Any]] = {
    **{name: field.default for name, field in TrackedEvent.model_fields.items() if not field.is_required()},
    **_DECIDED,
}
COLUMNS: Final = (*TrackedEvent.model_fields, *_DECIDED)
"""Every column but the place in the log, by which rows are found."""

_HASH: Final = Struct("<Q16s")
_TEXTS: Final = {name: f"toString({'toUInt8(is_bot)' if name == 'is_bot' else name})" for name in COLUMNS}


class WideRows:
    """The rows of one partition of a topic before `end`, taken in order of their offsets."""

    def __init__(
        self, clickhouse: Reader, topic: str, partition: int, end: int, without_record: Callable[[int, int], None]
    ) -> None:
        """`without_record(offset, rows)` is told of rows at an offset that was passed over."""
        self._clickhouse, self._without_record = clickhouse, without_record
        self._place = f"_topic = '{topic}' AND _partition = {partition} AND _offset"
        text = "concat(" + ", '\\x1f', ".join(_TEXTS.values()) + ")"
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
        """What the rows at `offset` hold instead of `fields`."""
        shown = ", ".join(f"{text} AS shown_{name}" for name, text in _TEXTS.items())
        rows = self._clickhouse.rows(f"SELECT {shown} FROM events WHERE {self._place} = {offset}")
        expected = _texts(fields)
        found = [
            f"{name}: {row[f'shown_{name}']!r} instead of {expected[name]!r}"
            for row in rows
            for name in COLUMNS
            if row[f"shown_{name}"] != expected[name]
        ]
        return "; ".join(found) or "other content"

    def _taken(self, offset: int) -> list[bytes]:
        found: list[bytes] = []
        while self._next is not None and self._next[0] == offset:
            found.append(self._next[1])
            self._next = next(self._rows, None)
        return found


def hash_of(fields: Mapping[str, Any]) -> bytes:
    """The hash of a row with these columns, the others at their defaults."""
    return hashlib.md5("\x1f".join(_texts(fields).values()).encode(), usedforsecurity=False).digest()


def _texts(fields: Mapping[str, Any]) -> dict[str, str]:
    whole = {**_DEFAULTS, **fields}
    whole["is_bot"] = int(whole["is_bot"])
    return {name: str(whole[name]) for name in COLUMNS}
