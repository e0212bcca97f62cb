"""Ids that we make ourselves: UUID version 7 (RFC 9562), which sort by the time they were made."""

from __future__ import annotations

import os
from time import time_ns
from uuid import UUID

_VERSION = 7 << 76
_VARIANT = 2 << 62
_RAND_A = 0xFFF
_RAND_B = (1 << 62) - 1
_ID_BYTES = 10
_AT_ONCE = 512
_random: list[bytes] = []


def uuid7(milliseconds: int | None = None) -> UUID:
    """A new id, made now or at `milliseconds` since 1970; 74 bits of it are random."""
    return UUID(int=_number(milliseconds))


def uuid7_text(milliseconds: int | None = None) -> str:
    """The same as text: three times as fast, for where millions are made."""
    digits = f"{_number(milliseconds):032x}"
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def _number(milliseconds: int | None) -> int:
    at = time_ns() // 1_000_000 if milliseconds is None else milliseconds
    random = int.from_bytes(_random_bytes(), "big")
    return at << 80 | _VERSION | (random >> 64 & _RAND_A) << 64 | _VARIANT | random & _RAND_B


def _random_bytes() -> bytes:
    """Random bytes for one id. Fetched for many ids at once: a system call lets go of the interpreter lock, and busy
    threads would queue for it at every id. Taking from a list is atomic, so no two ids share theirs."""
    try:
        return _random.pop()
    except IndexError:
        fresh = os.urandom(_ID_BYTES * _AT_ONCE)
        _random.extend(fresh[start : start + _ID_BYTES] for start in range(0, len(fresh), _ID_BYTES))
        return os.urandom(_ID_BYTES)


os.register_at_fork(after_in_child=_random.clear)
