"""Splits a text file into records by separator and quote, line by line, with bounded memory.

`content` -> `encodings.decoded` -> this -> `row_reader`. A quote that is never closed costs its own line only.
"""

from __future__ import annotations

import csv
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from infra.domain.report_files.content import BoundedFile
from infra.domain.report_files.encodings import UNDECODED, decoded
from infra.domain.report_files.layouts import RejectedLine
from infra.domain.report_files.source import FileRecord, quoted

MAX_LINE: Final = 1 << 20
MAX_RECORD_LINES: Final = 50
"""Lines of one record whose quoted text has line breaks."""


class PhysicalLine(NamedTuple):
    """One line of the file. `is_cut`: longer than `MAX_LINE`, its beginning only. `is_ended`: a line break follows."""

    number: int
    text: str
    is_cut: bool
    is_ended: bool


@dataclass(frozen=True, slots=True)
class TextSource:
    """A delimited text file. `width`: fields of its header, once it is known."""

    content: BoundedFile
    encoding: str
    separator: str
    quote: str
    width: int = 0

    def records(self) -> Iterator[FileRecord | RejectedLine]:
        yield from _Splitter(self.separator, self.quote, self.width).split(self.lines())

    def lines(self) -> Iterator[PhysicalLine]:
        return physical_lines(decoded(self.content.chunks(), self.encoding))


def split_lines(lines: Iterable[PhysicalLine], separator: str, quote: str) -> Iterator[FileRecord | RejectedLine]:
    """The records of the first lines, of which no header is known."""
    return _Splitter(separator, quote, 0).split(iter(lines))


def physical_lines(pieces: Iterable[str]) -> Iterator[PhysicalLine]:
    """The lines of a text, ended by `\\n`, `\\r\\n` or, in a file without the first, `\\r`."""
    number, rest, is_cut, ending = 0, "", False, ""
    for piece in pieces:
        ending = ending or ("\r" if "\r" in piece and "\n" not in piece else "\n")
        parts = piece.split(ending)
        parts[0] = rest + parts[0] if not is_cut else rest
        rest = parts.pop()
        for part in parts:
            number += 1
            yield PhysicalLine(number, part.removesuffix("\r"), is_cut, True)
            is_cut = False
        if len(rest) > MAX_LINE:
            rest, is_cut = rest[:MAX_LINE], True
    if rest:
        yield PhysicalLine(number + 1, rest.removesuffix("\r"), is_cut, False)


class _Splitter:
    """Lines to records. Lines that a quote had taken in are read again once it proves to be unclosed."""

    def __init__(self, separator: str, quote: str, width: int) -> None:
        self._separator, self._quote, self._width = separator, quote, width
        self._again: deque[PhysicalLine] = deque()

    def split(self, lines: Iterator[PhysicalLine]) -> Iterator[FileRecord | RejectedLine]:
        separator, quote, width = self._separator, self._quote, self._width
        while (line := self._next(lines)) is not None:
            text = line.text
            if line.is_cut or "\0" in text or UNDECODED in text:
                yield _unreadable(line)
            elif quote and quote in text:
                yield from self._quoted(line, lines)
            elif text and not text.isspace():
                cells = text.split(separator)
                if not line.is_ended and len(cells) < width:
                    yield _incomplete(line)
                else:
                    yield FileRecord(line.number, cells)

    def _next(self, lines: Iterator[PhysicalLine]) -> PhysicalLine | None:
        return self._again.popleft() if self._again else next(lines, None)

    def _quoted(self, line: PhysicalLine, lines: Iterator[PhysicalLine]) -> Iterator[FileRecord | RejectedLine]:
        taken = [line]
        if not self._is_open(line.text):
            yield self._record(taken)
            return
        while (following := self._next(lines)) is not None:
            taken.append(following)
            if self._looks_whole(following) or len(taken) > MAX_RECORD_LINES:
                break
            text = "\n".join(each.text for each in taken)
            if len(text) > MAX_LINE:
                break
            if not self._is_open(text):
                record = self._record(taken)
                if isinstance(record, FileRecord) and self._width and len(record.cells) != self._width:
                    break
                yield record
                return
        yield self._unclosed(taken)

    def _unclosed(self, taken: list[PhysicalLine]) -> RejectedLine:
        self._again.extendleft(reversed(taken[1:]))
        line = taken[0]
        if len(taken) == 1 and not line.is_ended and len(self._cells(taken)) < self._width:
            return _incomplete(line)
        return RejectedLine(line.number, "unclosed_quote", "A quote in this line is never closed.", quoted(line.text))

    def _looks_whole(self, line: PhysicalLine) -> bool:
        """Returns whether a line within quotes is a record of its own."""
        return self._width > 2 and line.text.count(self._separator) + 1 == self._width

    def _record(self, taken: list[PhysicalLine]) -> FileRecord | RejectedLine:
        line = taken[0]
        if any(each.is_cut or "\0" in each.text or UNDECODED in each.text for each in taken):
            return _unreadable(line)
        try:
            cells = self._cells(taken)
        except csv.Error:
            return RejectedLine(line.number, "bad_line", "This line cannot be split into fields.", quoted(line.text))
        if not taken[-1].is_ended and len(cells) < self._width:
            return _incomplete(line)
        return FileRecord(line.number, cells)

    def _cells(self, taken: list[PhysicalLine]) -> list[str]:
        texts = [each.text for each in taken]
        joined = [f"{text}\n" for text in texts[:-1]] + texts[-1:]
        return next(csv.reader(joined, delimiter=self._separator, quotechar=self._quote), [])

    def _is_open(self, text: str) -> bool:
        """Returns whether a quote that begins a field is not closed at the end of `text`."""
        quote, separator = self._quote, self._separator
        if text.count(quote) % 2 == 0:
            return False
        at = 0
        while 0 <= at < len(text):
            if text[at] == quote:
                at = self._closing(text, at + 1)
                if at < 0:
                    return True
            at = text.find(separator, at) + 1 or -1
        return False

    def _closing(self, text: str, at: int) -> int:
        """The place behind the quote that closes a field; -1: none does."""
        quote = self._quote
        while (end := text.find(quote, at)) >= 0:
            if text[end + 1 : end + 2] != quote:
                return end + 1
            at = end + 2
        return -1


def _unreadable(line: PhysicalLine) -> RejectedLine:
    if line.is_cut:
        return RejectedLine(line.number, "line_too_long", "This line is too long to be a row.", quoted(line.text))
    if "\0" in line.text:
        return RejectedLine(line.number, "nul_byte", "This line has binary data in it.", quoted(line.text))
    message = "This line has characters that the file's encoding does not have."
    return RejectedLine(line.number, "bad_encoding", message, quoted(line.text))


def _incomplete(line: PhysicalLine) -> RejectedLine:
    message = "The last line of the file is cut off. Download the file again."
    return RejectedLine(line.number, "incomplete_line", message, quoted(line.text))
