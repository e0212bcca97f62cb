"""CSV files that people import: limits and form, the same for every kind of file. What its lines mean is the context's.
Pure."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass

from command_api.kernel.decision import invalid


@dataclass(frozen=True, slots=True)
class CsvFile:
    """`header`: names of the columns, lower case; `lines`: number in the file and fields, empty lines left out."""

    header: list[str]
    lines: list[tuple[int, list[str]]]

    def fields(self, line: list[str]) -> dict[str, str]:
        """The fields by column, without spaces around them. For a line as long as the header."""
        return {name: field.strip() for name, field in zip(self.header, line, strict=True)}


def read_csv(text: str, max_characters: int, separators: str = ",") -> CsvFile:
    """Raises `CommandRejected` for a text that is too long, no CSV, or empty. `separators`: of columns; the one that
    the first line has most often is the file's."""
    if len(text) > max_characters:
        raise invalid("file_too_long", f"A file has at most {max_characters:,} characters.", "csv")
    text = text.removeprefix("\ufeff")
    first = text.lstrip().splitlines()[:1] or [""]
    separator = max(separators, key=first[0].count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        lines = [(reader.line_num, line) for line in reader if any(field.strip() for field in line)]
    except csv.Error as error:
        raise invalid("bad_csv", f"Line {reader.line_num} is not CSV: {error}.", "csv") from error
    if not lines:
        raise invalid("empty_file", "The file is empty.", "csv")
    return CsvFile([name.strip().lower() for name in lines[0][1]], lines[1:])


def require_line_limit(file: CsvFile, max_lines: int, what: str) -> None:
    """Raises `CommandRejected` for more than `max_lines` of `what`."""
    if len(file.lines) > max_lines:
        raise invalid("too_many_lines", f"A file has at most {max_lines:,} {what}.", "csv")
