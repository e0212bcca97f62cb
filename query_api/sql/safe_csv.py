"""A statement's CSV, made safe to open in a spreadsheet while it streams by: paths and names come from visitors.

ClickHouse writes text in quotes, numbers and dates that are no text without. Each text is made plain as in the other
files (`query_api.kernel.csv`).
"""

from __future__ import annotations

import re
from typing import Final

from query_api.kernel.csv import plain

_TEXT: Final = re.compile(rb'"(?:[^"]++|"")*+"')
_MAY_BE_FORMULA: Final = re.compile(rb'["\r\n;\t][ "]*[\t\r\n=+\-@\xef]')


class PlainCsv:
    """Accepts the file in pieces, cut anywhere; `rest` returns the remainder at its end."""

    def __init__(self) -> None:
        self._held = b""
        self._is_inside = False

    def take(self, piece: bytes) -> bytes:
        """The safe part of the data so far: empty while the last text may be incomplete."""
        self._is_inside ^= piece.count(b'"') % 2 == 1
        self._held += piece
        if self._is_inside or piece.endswith(b'"'):  # a quote may be the first of two
            return b""
        return self.rest()

    def rest(self) -> bytes:
        data, self._held = self._held, b""
        return _TEXT.sub(_made_plain, data) if _MAY_BE_FORMULA.search(data) else data


def _made_plain(found: re.Match[bytes]) -> bytes:
    quoted = found.group()
    if not _MAY_BE_FORMULA.search(quoted):
        return quoted
    text = quoted[1:-1].decode("utf-8", "surrogateescape").replace('""', '"')
    return b'"' + plain(text).replace('"', '""').encode("utf-8", "surrogateescape") + b'"'
