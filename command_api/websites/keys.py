"""A website's keys: prefix, 240 random bits and a checksum, so that scanners find leaked ones and typing errors show.

`pk_` site key, `sk_` secret key, `pb_` postback token, then 40 base-62 digits, then 6 of the CRC-32 of all before.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from hashlib import sha256
from typing import Final
from uuid import UUID
from zlib import crc32

from schemas.events.websites import KeyKind
from schemas.uuid7 import uuid7

PREFIXES: Final = {KeyKind.SITE: "pk_", KeyKind.SECRET: "sk_", KeyKind.POSTBACK: "pb_"}
RANDOM_DIGITS: Final = 40
CHECK_DIGITS: Final = 6
_DIGITS: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key at the only moment at which it is known whole."""

    id: UUID
    kind: KeyKind
    text: str
    name: str = ""

    @property
    def hash(self) -> str:
        return sha256(self.text.encode()).hexdigest()


def new_key(kind: KeyKind, name: str = "") -> NewKey:
    head = PREFIXES[kind] + "".join(secrets.choice(_DIGITS) for _ in range(RANDOM_DIGITS))
    return NewKey(uuid7(), kind, head + checksum(head), name)


def checksum(head: str) -> str:
    """The last digits of the key that begins with `head`."""
    number, digits = crc32(head.encode()), ""
    for _ in range(CHECK_DIGITS):
        number, value = divmod(number, 62)
        digits = _DIGITS[value] + digits
    return digits
