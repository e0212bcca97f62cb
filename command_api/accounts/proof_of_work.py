"""Proof of work: what a try to sign in costs while somebody guesses at that account.

A refusal (429 `proof_of_work_needed`) carries a challenge: `{"challenge", "puzzles", "bits"}`. For each puzzle i from
0 the client finds a number n for which SHA-256 of `challenge:i:n` begins with `bits` zero bits, and sends the same
request again with the header `Proof-Of-Work: challenge;n0,n1,...`. Several small puzzles take a steadier time than a
large one.

A challenge is signed, not stored. It holds for one account's key and one address, for two minutes, and works once.
"""

from __future__ import annotations

import hmac
import os
import struct
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as NotBase64
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from typing import Final

from infra.identity import Pool
from infra.problems import Problem
from infra.sealing import derived_key
from infra.settings import Settings

HEADER: Final = "Proof-Of-Work"
PUZZLES: Final = 16
LEAST_BITS: Final = 10
MOST_BITS: Final = 14
"""16 puzzles of 14 bits are 262,000 hashes on average: less than a second in a browser."""
LIFE: Final = timedelta(minutes=2)
_NUMBER_DIGITS: Final = 10
_HEAD: Final = struct.Struct(">12sIB")
_MAC_BYTES: Final = 16
_USE: Final = (
    "INSERT INTO auth.rate_limit (bucket, tat) VALUES (%s, now() + %s) ON CONFLICT (bucket) DO NOTHING RETURNING 1"
)


@dataclass(frozen=True, slots=True)
class _Challenge:
    nonce: bytes
    expires: int
    bits: int


class ProofsOfWork:
    """Makes challenges and checks their solutions. Thread-safe."""

    def __init__(self, pool: Pool, settings: Settings) -> None:
        self._pool = pool
        self._key = derived_key(settings, "proof-of-work")

    def asked_for(self, scope: str, bits: int) -> Problem:
        """The refusal that asks for work of `bits`; `scope` is what the solution will count for."""
        expires = int(time.time() + LIFE.total_seconds())
        head = _HEAD.pack(os.urandom(12), expires, bits)
        challenge = urlsafe_b64encode(head + self._mac(head, scope)).decode()
        message = "Too many sign-in attempts for this account. Send the proof of work, or try again later."
        work = {"challenge": challenge, "puzzles": PUZZLES, "bits": bits}
        return Problem(429, "proof_of_work_needed", message, headers={"Retry-After": "60"}, more={"work": work})

    def is_done(self, scope: str, sent: str) -> bool:
        """Whether `sent` solves a challenge of this scope that was not used before; from now on it is."""
        challenge, _, numbers = sent.partition(";")
        found = self._opened(challenge, scope)
        if found is None or not _solves(challenge, numbers, found.bits):
            return False
        with self._pool.connection() as connection:
            return connection.execute(_USE, (f"work:{found.nonce.hex()}", LIFE)).fetchone() is not None

    def _opened(self, challenge: str, scope: str) -> _Challenge | None:
        try:
            raw = urlsafe_b64decode(challenge)
        except (NotBase64, ValueError):
            return None
        head, mac = raw[: _HEAD.size], raw[_HEAD.size :]
        if len(head) != _HEAD.size or not hmac.compare_digest(mac, self._mac(head, scope)):
            return None
        found = _Challenge(*_HEAD.unpack(head))
        return found if found.expires > time.time() else None

    def _mac(self, head: bytes, scope: str) -> bytes:
        return hmac.digest(self._key, head + scope.encode(), "sha256")[:_MAC_BYTES]


def _solves(challenge: str, text: str, bits: int) -> bool:
    numbers = text.split(",")
    return len(numbers) == PUZZLES and all(
        0 < len(number) <= _NUMBER_DIGITS and number.isascii() and number.isdecimal() and _is_zero(hashed, bits)
        for number, hashed in (
            (number, sha256(f"{challenge}:{index}:{number}".encode()).digest()) for index, number in enumerate(numbers)
        )
    )


def _is_zero(digest: bytes, bits: int) -> bool:
    return int.from_bytes(digest[:4], "big") >> (32 - bits) == 0
