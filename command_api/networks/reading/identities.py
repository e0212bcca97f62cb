"""Makes ids of rows that have none: from what the row says, and how many equal ones stand before it in the file."""

from __future__ import annotations

from hashlib import blake2b
from typing import Final

from infra.domain.report_files.layouts import UnreadableReport

MAX_IDENTITIES: Final = 1_000_000
"""Distinct rows without an id, which are counted in memory."""


class Identities:
    """The ids of one file. The same file again gives the same ids."""

    def __init__(self) -> None:
        self._counts: dict[int, int] = {}

    def of(self, *parts: str) -> str:
        """The id of the next row that says this. Raises `UnreadableReport` (file_too_large)."""
        key = _digest("\x1f".join(parts))
        count = self._counts[key] = self._counts.get(key, 0) + 1
        if len(self._counts) > MAX_IDENTITIES:
            raise UnreadableReport("file_too_large", "The report has too many rows without an ID. Split it by month.")
        return blake2b("\x1f".join((*parts, str(count))).encode(), digest_size=16).hexdigest()


def _digest(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big")
