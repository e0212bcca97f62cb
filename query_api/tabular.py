"""The same rows as comma-separated values, safe to open in a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any, Final

from fastapi import Response
from pydantic import BaseModel

_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def csv_response(name: str, columns: Sequence[str], rows: Iterable[BaseModel]) -> Response:
    """`rows` as a file `name`.csv with these columns."""
    body = io.StringIO()
    writer = csv.writer(body, lineterminator="\r\n")
    writer.writerow(columns)
    for row in rows:
        values = row.model_dump(by_alias=True, mode="json")
        writer.writerow([cell(values[column]) for column in columns])
    return Response(
        body.getvalue().encode(),
        media_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}.csv"', "X-Content-Type-Options": "nosniff"},
    )


def cell(value: Any) -> Any:
    """`value`, with text that a spreadsheet would run as a formula made plain by a leading apostrophe."""
    if value is None:
        return ""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
