"""Runs one statement that returns a result (or nothing), on an engine thread; the caller sends what comes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from infra.clickhouse_front import formats
from infra.clickhouse_front.engine import Connection, ResultStream, Stats
from infra.clickhouse_front.errors import MEMORY_LIMIT_EXCEEDED, error
from infra.clickhouse_front.sql import Statement

MAX_WHOLE_RESULT_BYTES = 256 << 20


@dataclass
class Reading:
    """A result: its `first` part, and `more` if there are further ones."""

    output_format: str
    first: bytes
    stats: Callable[[], Stats]
    more: ResultStream | None = None
    _cut: Callable[[bytes], int] | None = None
    _header: bytes = b""

    def next(self) -> tuple[bytes, bool]:
        """The next part and whether it is the last. Blocks; raises what the engine raises in mid-stream."""
        assert self.more is not None  # noqa: S101 - the caller looked
        chunk, last = self.more.fetch()
        if self._header and chunk.startswith(self._header):
            chunk = chunk[len(self._header) :]
        return chunk, last

    def cancel(self) -> None:
        if self.more is not None:
            self.more.cancel()


def start(
    connection: Connection, statement: Statement, parameters: Mapping[str, str], default_format: str, *, whole: bool
) -> Reading:
    """Runs `statement` up to its first result. `whole`: to its end (`wait_end_of_query`), bounded in size."""
    name = statement.output_format or default_format
    cut = formats.header_cutter(name)
    stream = connection.stream(statement.head, name, parameters) if cut is not None else None
    if cut is None or stream is None:
        result, stats = connection.run(statement.head, name, parameters)
        return Reading(name, _bounded(result), lambda: stats)
    first, last = stream.fetch()
    reading = Reading(name, first, stream.stats, None if last else stream, cut, first[: cut(first)] if first else b"")
    if last:
        return reading
    second, last = reading.next()
    reading.first += second
    if last:
        reading.more = None
    return _to_the_end(reading) if whole and not last else reading


def _to_the_end(reading: Reading) -> Reading:
    parts = [reading.first]
    size = len(reading.first)
    last = False
    while not last:
        part, last = reading.next()
        size += len(part)
        if size > MAX_WHOLE_RESULT_BYTES:
            raise _too_large()
        parts.append(part)
    return Reading(reading.output_format, b"".join(parts), reading.stats)


def _bounded(result: bytes) -> bytes:
    if len(result) > MAX_WHOLE_RESULT_BYTES:
        raise _too_large()
    return result


def _too_large() -> Exception:
    return error(
        MEMORY_LIMIT_EXCEEDED,
        f"A result that cannot be streamed may have at most {MAX_WHOLE_RESULT_BYTES:,} bytes; use a streaming format "
        "(Native, JSONEachRow, TSV, CSV, RowBinary) without wait_end_of_query",
    )
