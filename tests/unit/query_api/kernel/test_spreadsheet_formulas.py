"""No file holds a cell that a spreadsheet runs, at whatever character it splits the lines."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import BaseModel

from query_api.kernel.csv import csv_response
from query_api.sql.safe_csv import PlainCsv

FORMULA = re.compile(r"[ ]*[=+\-@＝＋－＠]")
NUMBER = re.compile(r"-[0-9]+(\.[0-9]+)?(,.*)?", re.S)
"""A number, also where the file is split at another character than the comma behind it: no formula goes on so."""
CELLS = st.lists(
    st.tuples(*[st.text(alphabet="=+-@＝;,\t\r\n\"' a1é", max_size=12)] * 3), min_size=1, max_size=4
)  # fmt: skip


class Line(BaseModel):
    a: str
    b: str
    n: int
    c: str


def as_a_spreadsheet_splits(text: str, separator: str) -> Iterator[str]:
    for line in csv.reader(io.StringIO(text, newline=""), delimiter=separator):
        yield from line


def formulas(text: str) -> list[tuple[str, str]]:
    return [
        (separator, found)
        for separator in (",", ";", "\t")
        for found in as_a_spreadsheet_splits(text, separator)
        if FORMULA.match(found) and not NUMBER.fullmatch(found)
    ]


@given(CELLS)
@example([("a;=cmd", 'x;"=cmd"', "y\n=cmd")])
@example([('x"', ";=1", '\t ""=1')])
@example([("-1", "", "")])
def test_no_separator_makes_a_formula_of_a_text(cells: list[tuple[str, str, str]]) -> None:
    rows = [Line(a=a, b=b, n=-5, c=c) for a, b, c in cells]
    assert formulas(bytes(csv_response("x", list(Line.model_fields), rows).body).decode()) == []
    written = "".join(",".join('"' + cell.replace('"', '""') + '"' for cell in row) + ",-5\n" for row in cells).encode()
    for size in (1, 7, len(written)):
        streaming = PlainCsv()
        made = b"".join(streaming.take(written[at : at + size]) for at in range(0, len(written), size))
        text = (made + streaming.rest()).decode()
        assert formulas(text) == []
        assert len(list(csv.reader(io.StringIO(text, newline="")))) == len(cells)


@pytest.mark.parametrize("text", ["a; b", "https://x.example/?q=1;w=2", "1-2", "ä@b.example", "=".join("ab")])
def test_what_is_no_formula_stays_as_it_is(text: str) -> None:
    body = bytes(csv_response("x", list(Line.model_fields), [Line(a=text, b="", n=0, c="")]).body).decode()
    assert next(csv.DictReader(io.StringIO(body)))["a"] == text
