"""A request's `multipart/form-data` body: plain fields, and files that become temporary tables (`external.py`).

Clients send one when a query's parameters would not fit into the address, or to bring data along with a query.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO, TYPE_CHECKING

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header

from infra.services.clickhouse_server.body import MAX_STATEMENT_BYTES, StreamedBody
from infra.services.clickhouse_server.errors import Code, error

if TYPE_CHECKING:
    from python_multipart.multipart import MultipartCallbacks

MAX_FIELDS = 1000
MAX_FIELDS_BYTES = 2 * MAX_STATEMENT_BYTES
MAX_FILES = 16
MAX_FILES_BYTES = 256 << 20
_FEED_BYTES = 1 << 20
_NAME = re.compile(r"[A-Za-z_]\w{0,127}", re.ASCII)

Blocking = Callable[[Callable[[bytes], object], bytes], Awaitable[object]]


@dataclass(frozen=True)
class Form:
    """`fields` as if they stood in the query string; `files` by name. See `read_form` for how long they live. Several
    fields `query` are parts of one, as in ClickHouse, which bounds the length of each field."""

    fields: dict[str, str]
    files: dict[str, Path]


async def read_form(
    body: StreamedBody, content_type: str, directory: Path, keep: ExitStack, blocking: Blocking
) -> Form:
    """Reads the body to its end; its files are written into `directory` and removed when `keep` closes.

    Raises `ClickHouseError` 36 for what is no such form and 425 for one that is too large. `blocking` runs a call on a
    thread.
    """
    boundary = parse_options_header(content_type)[1].get(b"boundary", b"")
    if not boundary:
        raise error(Code.BAD_ARGUMENTS, "multipart/form-data has no boundary")
    reader = _FormReader(directory, keep)
    waiting = bytearray()
    try:
        parser = MultipartParser(boundary, reader.callbacks())

        async def feed() -> None:
            data = bytes(waiting)
            waiting.clear()
            await blocking(parser.write, data)

        async for piece in body.pieces():
            waiting += piece
            if len(waiting) >= _FEED_BYTES:
                await feed()
        await feed()
        parser.finalize()
    except FormParserError as failure:
        raise error(Code.BAD_ARGUMENTS, f"The multipart/form-data body cannot be read: {failure}") from failure
    return reader.form()


class _FormReader:
    """The parser's callbacks: a part with a file name goes into a file, any other into memory; both are bounded."""

    def __init__(self, directory: Path, keep: ExitStack) -> None:
        self._directory = directory
        self._keep = keep
        self._fields: dict[str, bytearray] = {}
        self._files: dict[str, IO[bytes]] = {}
        self._header = bytearray()
        self._value = bytearray()
        self._disposition = b""
        self._write: Callable[[bytes], object] = bytes
        self._fields_bytes = self._files_bytes = 0
        self._in_file = self._ended = False

    def callbacks(self) -> MultipartCallbacks:
        return {
            "on_part_begin": self._part_begins,
            "on_header_field": self._header_name,
            "on_header_value": self._header_value,
            "on_header_end": self._header_ends,
            "on_headers_finished": self._headers_end,
            "on_part_data": self._data,
            "on_end": self._end,
        }

    def form(self) -> Form:
        if not self._ended:
            raise error(Code.BAD_ARGUMENTS, "The multipart/form-data body ends too early")
        for file in self._files.values():
            file.flush()
        return Form(
            {name: bytes(value).decode("utf-8", "surrogateescape") for name, value in self._fields.items()},
            {name: Path(file.name) for name, file in self._files.items()},
        )

    def _part_begins(self) -> None:
        self._disposition = b""

    def _header_name(self, data: bytes, start: int, end: int) -> None:
        self._header += data[start:end]

    def _header_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def _header_ends(self) -> None:
        if self._header.lower() == b"content-disposition":
            self._disposition = bytes(self._value)
        self._header.clear()
        self._value.clear()

    def _headers_end(self) -> None:
        kind, options = parse_options_header(self._disposition)
        if kind != b"form-data" or b"name" not in options:
            raise error(Code.BAD_ARGUMENTS, "A part of the multipart/form-data body has no name")
        name = options[b"name"].decode("utf-8", "replace")
        is_more_of_query = name == "query" and name in self._fields and b"filename" not in options
        if (name in self._fields or name in self._files) and not is_more_of_query:
            raise error(Code.BAD_ARGUMENTS, f"The form's field {name[:100]} comes twice")
        self._in_file = b"filename" in options
        if is_more_of_query:
            self._write = self._fields[name].extend
        else:
            self._write = self._new_file(name) if self._in_file else self._new_field(name)

    def _new_field(self, name: str) -> Callable[[bytes], object]:
        if len(self._fields) >= MAX_FIELDS:
            raise error(Code.BAD_ARGUMENTS, f"A form may have at most {MAX_FIELDS} fields")
        self._fields[name] = bytearray()
        return self._fields[name].extend

    def _new_file(self, name: str) -> Callable[[bytes], object]:
        if not _NAME.fullmatch(name):
            raise error(Code.BAD_ARGUMENTS, f"An external table cannot be called '{name[:100]}'")
        if len(self._files) >= MAX_FILES:
            raise error(Code.BAD_ARGUMENTS, f"A query may bring at most {MAX_FILES} external tables")
        file = NamedTemporaryFile(dir=self._directory, prefix="external")  # noqa: SIM115 - `keep` closes it
        self._keep.enter_context(file)
        self._files[name] = file
        return file.write

    def _data(self, data: bytes, start: int, end: int) -> None:
        if self._in_file:
            self._files_bytes += end - start
        else:
            self._fields_bytes += end - start
        if self._files_bytes > MAX_FILES_BYTES:
            raise error(Code.QUERY_IS_TOO_LARGE, f"External tables may have at most {MAX_FILES_BYTES:,} bytes in all")
        if self._fields_bytes > MAX_FIELDS_BYTES:
            raise error(Code.QUERY_IS_TOO_LARGE, f"A form's fields may have at most {MAX_FIELDS_BYTES:,} bytes in all")
        self._write(data[start:end])

    def _end(self) -> None:
        self._ended = True
