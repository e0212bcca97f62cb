"""Runs one statement that returns a result (or nothing), on an engine thread; the caller sends what comes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from infra.services.clickhouse_server import formats, native_revision
from infra.services.clickhouse_server.engine import Connection, ResultStream, Stats
from infra.services.clickhouse_server.errors import Code, error
from infra.services.clickhouse_server.sql import ParsedStatement

MAX_WHOLE_RESULT_BYTES = 256 << 20


@dataclass
class ResultReader:
    """A result: its `first` part, and `more` if there are further ones."""

    output_format: str
    first: bytes
    stats: Callable[[], Stats]
    more: ResultStream | None = None
    _header: bytes = b""
    _convert: Callable[[bytes], bytes] | None = None

    def next(self) -> tuple[bytes, bool]:
        """The next part and whether it is the last. Blocks; raises what the engine raises in mid-stream."""
        assert self.more is not None  # noqa: S101 - the caller looked
        chunk, last = self.more.fetch()
        if self._header and chunk.startswith(self._header):
            chunk = chunk[len(self._header) :]
        return self._convert(chunk) if self._convert is not None else chunk, last

    def cancel(self) -> None:
        if self.more is not None:
            self.more.cancel()


def start(
    connection: Connection,
    statement: ParsedStatement,
    parameters: Mapping[str, str],
    default_format: str,
    *,
    whole: bool,
    revision: int = 0,
) -> ResultReader:
    """Runs `statement` up to its first result. `whole`: to its end (`wait_end_of_query`), bounded in size. `revision`:
    of the protocol that the client reads Native in."""
    name = statement.output_format or default_format
    cut = formats.header_cutter(name)
    convert = native_revision.converter(revision) if name.lower() == "native" else None
    stream = connection.stream(statement.head, name, parameters) if cut is not None else None
    if cut is None or stream is None:
        result, stats = connection.run(statement.head, name, parameters)
        _check_size(len(result))
        return ResultReader(name, convert(result) if convert is not None else result, lambda: stats)
    first, last = stream.fetch()
    header = first[: cut(first)] if first else b""
    first = convert(first) if convert is not None else first
    reading = ResultReader(name, first, stream.stats, stream, header, convert)
    if not last:
        second, last = reading.next()
        reading.first += second
    if last:
        reading.more = None
        return reading
    return _to_the_end(reading) if whole else reading


def _to_the_end(reading: ResultReader) -> ResultReader:
    parts = [reading.first]
    size = len(reading.first)
    last = False
    while not last:
        part, last = reading.next()
        size += len(part)
        _check_size(size)
        parts.append(part)
    return ResultReader(reading.output_format, b"".join(parts), reading.stats)


def _check_size(size: int) -> None:
    if size > MAX_WHOLE_RESULT_BYTES:
        most = f"A result that cannot be streamed may have at most {MAX_WHOLE_RESULT_BYTES:,} bytes"
        formats = "use a streaming format (Native, JSONEachRow, TSV, CSV, RowBinary) without wait_end_of_query"
        raise error(Code.MEMORY_LIMIT_EXCEEDED, f"{most}; {formats}")
