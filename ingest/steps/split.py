"""Finds the end of one element of a JSON array, when the array as a whole cannot be decoded: by brackets, commas and
strings alone. Runs of brackets and stretches of text are matched as one, and the work is bounded and handed out in
steps."""

from __future__ import annotations

import re
from collections.abc import Generator
from typing import Final

from ingest.errors import EventRejected, invalid
from schemas.tracking import Outcome

MAX_SIGNS: Final = 100_000
"""Brackets, commas and strings that are looked at in one body."""
_SIGNS_A_STEP: Final = 1_000
_REACH: Final = 64 * 1024
"""Bytes that are searched at once."""
_QUOTE, _COMMA, _BACKSLASH, _END = b'",\\]'
_OPENING: Final = frozenset(b"[{")


class Splitter:
    """Walks through one body."""

    def __init__(self, body: bytes) -> None:
        self._body = body
        self._signs = 0

    def end_of(self, start: int) -> Generator[None, None, int]:
        """Gives the place of the comma or bracket that ends the element which begins at `start`. Every step of the
        generator is short. Raises `EventRejected` when the body ends before, or holds more signs than `MAX_SIGNS`."""
        body, at, depth = self._body, start, 0
        while True:
            match = (_INSIDE if depth else _OUTSIDE).search(body, at, at + _REACH)
            if match is None:
                at += _REACH
                if at >= len(body):
                    raise unfinished()
                yield
                continue
            first, at = match.span()
            if self._count(1):
                yield
            sign = body[first]
            if depth and sign != _QUOTE:
                at = _RUNS[sign].match(body, first).end()  # type: ignore[union-attr]  # it begins with that sign
            if sign == _QUOTE:
                at = yield from self._end_of_text(at)
            elif sign in _OPENING:
                depth += at - first
            elif not depth:
                if sign in (_COMMA, _END):
                    return first
                raise unfinished()
            else:  # the run may close more than this element
                closed = at - first if at - first <= depth else depth
                at, depth = first + closed, depth - closed

    def _end_of_text(self, at: int) -> Generator[None, None, int]:
        body = self._body
        while True:
            match = _TEXT.match(body, at)
            if match is None or match.end() >= len(body):
                raise unfinished()
            if self._count((match.end() - at) >> 6):
                yield
            at = match.end()
            if body[at] == _QUOTE:
                return at + 1
            if body[at] == _BACKSLASH and at + 1 >= len(body):
                raise unfinished()

    def _count(self, signs: int) -> bool:
        """Returns whether a step is over. Raises `EventRejected` beyond the bound."""
        earlier = self._signs
        self._signs += signs
        if self._signs > MAX_SIGNS:
            raise EventRejected(
                Outcome.TOO_LARGE, "too_large", "The body is not JSON, and too long to look for its events.", status=413
            )
        return earlier // _SIGNS_A_STEP != self._signs // _SIGNS_A_STEP


def unfinished() -> EventRejected:
    return invalid("bad_json", "The body is not a JSON array: it does not end where it should.")


_OUTSIDE: Final = re.compile(rb'["\[\]{},]')
_INSIDE: Final = re.compile(rb'["\[\]{}]')
_OPENINGS: Final = re.compile(rb"[\[{]++")
_CLOSINGS: Final = re.compile(rb"[\]}]++")
_RUNS: Final = {ord("["): _OPENINGS, ord("{"): _OPENINGS, ord("]"): _CLOSINGS, ord("}"): _CLOSINGS}
_TEXT: Final = re.compile(rb'(?:[^"\\]++|\\.){0,4096}+', re.S)
