"""Ids that we make ourselves: UUID version 7 (RFC 9562), which sort by the time they were made."""

from __future__ import annotations

import os
from time import time_ns
from uuid import UUID

_VERSION = 7 << 76
_VARIANT = 2 << 62
_RAND_A = 0xFFF
_RAND_B = (1 << 62) - 1


def uuid7(milliseconds: int | None = None) -> UUID:
    """A new id, made now or at `milliseconds` since 1970; 74 bits of it are random."""
    return UUID(int=_number(milliseconds))


def uuid7_text(milliseconds: int | None = None) -> str:
    """The same as text: three times as fast, for where millions are made."""
    digits = f"{_number(milliseconds):032x}"
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def _number(milliseconds: int | None) -> int:
    at = time_ns() // 1_000_000 if milliseconds is None else milliseconds
    random = int.from_bytes(os.urandom(10), "big")
    return at << 80 | _VERSION | (random >> 64 & _RAND_A) << 64 | _VARIANT | random & _RAND_B
