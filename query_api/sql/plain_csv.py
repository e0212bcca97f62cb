"""A statement's CSV, made safe to open in a spreadsheet while it streams by: paths and names come from visitors.

ClickHouse writes text in quotes, numbers and dates that are no text without. Text that a spreadsheet would run as a
formula gets a leading apostrophe, as in the other files (`query_api.tabular`).
"""

from __future__ import annotations

import re
from typing import Final

_OPENS: Final = re.compile(rb'(?<=[,\n])"(?=[=+\-@\t\r\n]|\xef\xbc[\x9d\x8b\x8d\xa0])')
"""The quote before such a text. Inside a text every quote stands twice, so this is found where a cell begins only."""

_LOOKAHEAD: Final = 3


class PlainCsv:
    """Takes the file in pieces, cut anywhere; `rest` is what is left at its end."""

    def __init__(self) -> None:
        self._before, self._held = b"\n", b""

    def take(self, piece: bytes) -> bytes:
        data = self._held + piece
        at = data.rfind(b'"', max(0, len(data) - _LOOKAHEAD))  # what comes next may still matter
        data, self._held = (data[:at], data[at:]) if at >= 0 else (data, b"")
        if not data:
            return b""
        made = _OPENS.sub(b"\"'", self._before + data)[1:]
        self._before = data[-1:]
        return made

    def rest(self) -> bytes:
        return _OPENS.sub(b"\"'", self._before + self._held)[1:]
