"""The same rows as comma-separated values, safe to open in a spreadsheet.

A spreadsheet may split a file at commas, semicolons or tabs, by its locale, and knows quotes only where a cell begins
for it. So a text is made plain where it begins, and after every character in it at which such a program may begin a
cell.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any, Final

from fastapi import Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel

_NUMBER: Final = re.compile(r"-[0-9]+(\.[0-9]+)?")
"""A negative amount is one: with an apostrophe before it no spreadsheet would add it up."""
_CHUNK: Final = 500
_SIGNS: Final = "=+\\-@＝＋－＠"
_BEGINS: Final = re.compile(rf"\A(?=[\t\r\n]| *[{_SIGNS}])")
_BEGINS_INSIDE: Final = re.compile(rf"(?<=[;\t\r\n])([ \"]*)(?=[{_SIGNS}])")
_FIRST: Final = frozenset(_SIGNS.replace("\\", ""))
_SEPARATORS: Final = re.compile(r"[;\t\r\n]")
_MEDIA_TYPE: Final = "text/csv; charset=utf-8"


def columns_of(row: type[BaseModel]) -> list[str]:
    """The public names of its fields."""
    return [field.serialization_alias or field.alias or name for name, field in row.model_fields.items()]


def csv_response(name: str, columns: Sequence[str], rows: Iterable[BaseModel]) -> Response:
    """`rows` as a file `name`.csv with these columns."""
    body = b"".join(_chunks(columns, rows))
    return Response(body, media_type=_MEDIA_TYPE, headers=_headers(name))


def csv_stream(name: str, columns: Sequence[str], rows: Iterable[BaseModel]) -> Response:
    """Returns the same as a stream, sent as it is read, however long it is."""
    lines = iter(rows)
    first = list(islice(lines, _CHUNK))  # what cannot be read at all is an error, not half a file
    return StreamingResponse(_chunks(columns, chain(first, lines)), media_type=_MEDIA_TYPE, headers=_headers(name))


def cell(value: Any) -> Any:
    """`value`, with text that a spreadsheet would run as a formula made plain."""
    if value is None:
        return ""
    if not isinstance(value, str) or _NUMBER.fullmatch(value):
        return value
    return plain(value)


def plain(text: str) -> str:
    """`text` with an apostrophe before whatever a spreadsheet would run as a formula."""
    if text.lstrip(" ")[:1] not in _FIRST and _SEPARATORS.search(text) is None:
        return text  # most are: one quick look
    return _BEGINS.sub("'", _BEGINS_INSIDE.sub(r"\1'", text))


def _chunks(columns: Sequence[str], rows: Iterable[BaseModel]) -> Iterator[bytes]:
    lines = iter(rows)
    body = io.StringIO()
    writer = csv.writer(body, lineterminator="\r\n")
    writer.writerow(columns)
    while True:
        chunk = list(islice(lines, _CHUNK))
        for row in chunk:
            values = row.model_dump(by_alias=True, mode="json")
            writer.writerow([cell(values[column]) for column in columns])
        yield body.getvalue().encode()
        if len(chunk) < _CHUNK:
            return
        body.seek(0)
        body.truncate()


def _headers(name: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{name}.csv"', "X-Content-Type-Options": "nosniff"}
