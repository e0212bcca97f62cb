"""Reads the records of a JSON report one by one, wherever in its answer they are, with bounded memory.

`content` -> `encodings.decoded` -> this -> `json_layouts` -> `row_reader`. Numbers stay as they are written (`Exact`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from infra.domain.report_files.content import BoundedFile
from infra.domain.report_files.encodings import UNDECODED, decoded
from infra.domain.report_files.layouts import MAX_QUOTED, RejectedLine, UnreadableReport
from infra.domain.report_files.source import Exact, quoted

MAX_RECORD: Final = 1 << 20
MAX_DEPTH: Final = 4
"""How deep in the answer the list of records is searched."""
MAX_ENVELOPE: Final = 200
"""Values beside the records that are kept."""
_STEP: Final = 64
_BLANK: Final = " \t\r\n"
_ERRORS: Final = frozenset({"error", "errors", "fault", "exception"})
_DECODER: Final = json.JSONDecoder(parse_float=Exact, parse_int=Exact, parse_constant=lambda _: "", strict=False)


@dataclass(frozen=True, slots=True)
class JsonSource:
    """A JSON file: an array of objects, or an object with one somewhere in it, or a single object in its place."""

    content: BoundedFile
    encoding: str
    lists: frozenset[str] = frozenset({"orderData"})
    """Names whose value may be a single record instead of a list."""
    envelope: dict[str, str] = field(default_factory=dict)
    """Values beside the records, by their names, once `objects` has gone through."""

    def objects(self) -> Iterator[tuple[int, dict[str, Any]] | RejectedLine]:
        """Each record with its number. Raises `UnreadableReport`: broken_json, not_a_report."""
        return _Reader(decoded(self.content.chunks(), self.encoding), self).objects()


class _Reader:
    """The text, read on as far as it is needed."""

    def __init__(self, pieces: Iterator[str], source: JsonSource) -> None:
        self._pieces, self._source = pieces, source
        self._text, self._at = "", 0
        self._start, self._number = "", 0
        self._is_found = self._is_empty = self._has_error = False

    def objects(self) -> Iterator[tuple[int, dict[str, Any]] | RejectedLine]:
        first = self._peek()
        self._start = self._text[:400]
        if first == "[":
            yield from self._array()
        else:
            yield from self._object(0)
        if not self._is_found and (self._has_error or not self._is_empty):
            raise self._no_report()

    def _array(self) -> Iterator[tuple[int, dict[str, Any]] | RejectedLine]:
        self._at += 1
        self._is_found = True
        while (char := self._peek()) != "]":
            if char == ",":
                self._at += 1
                continue
            value = self._value()
            self._number += 1
            if isinstance(value, RejectedLine):
                yield value
            elif isinstance(value, dict):
                yield self._number, value
            else:
                text = quoted(str(value))
                yield RejectedLine(self._number, "not_a_row", "This entry is not a row of a report.", text)
        self._at += 1

    def _object(self, depth: int) -> Iterator[tuple[int, dict[str, Any]] | RejectedLine]:
        """Goes through an object to the lists of records in it; other values are kept."""
        self._at += 1
        while (char := self._peek()) not in ("}", ""):
            if char == ",":
                self._at += 1
                continue
            name = self._value()
            if isinstance(name, RejectedLine):
                return
            if not isinstance(name, str) or self._peek() != ":":
                raise self._broken()
            self._at += 1
            yield from self._member(name, depth)
        self._at += 1

    def _member(self, name: str, depth: int) -> Iterator[tuple[int, dict[str, Any]] | RejectedLine]:
        char = self._peek()
        is_error = name.casefold() in _ERRORS
        following = self._peek(1) if char == "[" and not is_error else ""
        if following == "{":
            yield from self._array()
        elif char == "{" and not is_error and depth < MAX_DEPTH and name not in self._source.lists:
            yield from self._object(depth + 1)
        else:
            value = self._value()
            self._is_empty |= following == "]"
            self._has_error |= is_error and bool(value)
            if name in self._source.lists and isinstance(value, dict):
                self._is_found, self._number = True, self._number + 1
                yield self._number, value
            elif isinstance(value, str) and len(self._source.envelope) < MAX_ENVELOPE:
                self._source.envelope[name] = value[:MAX_QUOTED]

    def _peek(self, offset: int = 0) -> str:
        """The next character that is no blank, behind `offset` others; empty: the end."""
        while True:
            rest = self._text[self._at + offset : self._at + offset + _STEP].lstrip(_BLANK)
            if rest:
                if not offset:
                    self._at += self._text[self._at : self._at + _STEP].index(rest[0])
                return rest[0]
            if self._at + offset + _STEP < len(self._text):
                self._at += _STEP
            elif not self._more():
                return ""

    def _value(self) -> Any:
        """The JSON value that begins here; a rejected line if the text ends within it. Raises `UnreadableReport`."""
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
            except RecursionError:
                raise self._broken() from None
            except ValueError as error:
                size = len(self._text) - self._at
                if size > MAX_RECORD or not self._is_cut(error):
                    raise self._broken() from None
                if self._grow(max(size, 1)):
                    continue
                return self._cut_off()
            if end == len(self._text) and not isinstance(value, dict | list) and self._grow(1):
                continue
            text = self._text[self._at : end]
            self._at = end
            if UNDECODED in text:
                message = "This record has characters that the file's encoding does not have."
                return RejectedLine(self._number + 1, "bad_encoding", message, quoted(text))
            return value

    def _is_cut(self, error: ValueError) -> bool:
        """Returns whether the text that is there may be the beginning of a value."""
        if not isinstance(error, json.JSONDecodeError):
            return False
        return error.msg.startswith("Unterminated") or error.pos >= len(self._text.rstrip()) - len('"\\uXXXX')

    def _grow(self, size: int) -> bool:
        """Reads on until `size` more characters are there; false: the text ends."""
        grown = 0
        while grown < size:
            had = len(self._text) - self._at
            if not self._more():
                return grown > 0
            grown += len(self._text) - had
        return True

    def _more(self) -> bool:
        piece = next(self._pieces, "")
        self._text, self._at = self._text[self._at :] + piece, 0
        return bool(piece)

    def _cut_off(self) -> RejectedLine:
        """The rejected line for the value within which the text ends. Raises `UnreadableReport` if it is no record."""
        if not self._is_found:
            raise self._broken()
        text = quoted(self._text[self._at :])
        self._text, self._at = "]", 0
        return RejectedLine(
            self._number + 1, "incomplete_line", "The file ends within this record. Download it again.", text
        )

    def _broken(self) -> UnreadableReport:
        if not self._is_found:
            return UnreadableReport("not_a_report", f"This is not valid JSON: {quoted(self._start)}")
        text = quoted(self._text[self._at : self._at + 80])
        return UnreadableReport("broken_json", f"The JSON is damaged after record {self._number}: {text}")

    def _no_report(self) -> UnreadableReport:
        return UnreadableReport("not_a_report", f"This file has no list of sales. It says: {quoted(self._start)}")
