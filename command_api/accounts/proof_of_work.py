"""Proof of work: the cost of a sign-in while an attacker guesses the password of that account.

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
from datetime import timedelta
from hashlib import sha256
from typing import Final

from command_api.kernel.container import Container
from infra.kernel.http.problems import Problem
from infra.kernel.security.encryption import derived_key

HEADER: Final = "Proof-Of-Work"
PUZZLES: Final = 16
MIN_BITS: Final = 10
MAX_BITS: Final = 14
"""16 puzzles of 14 bits are 262,000 hashes on average: less than a second in a browser."""
LIFE: Final = timedelta(minutes=2)
_NUMBER_DIGITS: Final = 10
_HEAD: Final = struct.Struct(">12sIB")
_MAC_BYTES: Final = 16
_USE: Final = "INSERT INTO kernel.rate_limit (bucket, tat) VALUES (%s, now() + %s) ON CONFLICT (bucket) DO NOTHING"


class ProofsOfWork:
    """Creates challenges and verifies solutions. Thread-safe."""

    def __init__(self, container: Container) -> None:
        self._container = container
        self._key = derived_key(container.settings, "proof-of-work")

    def challenge(self, scope: str, bits: int) -> Problem:
        """Returns the problem with a challenge of `bits`; the solution is valid for `scope`."""
        expires = int(time.time() + LIFE.total_seconds())
        head = _HEAD.pack(os.urandom(12), expires, bits)
        challenge = urlsafe_b64encode(head + self._mac(head, scope)).decode()
        message = "Too many sign-in attempts for this account. Send the proof of work, or try again later."
        work = {"challenge": challenge, "puzzles": PUZZLES, "bits": bits}
        return Problem(429, "proof_of_work_needed", message, headers={"Retry-After": "60"}, more={"work": work})

    def is_solved(self, scope: str, sent: str) -> bool:
        """Returns whether `sent` solves an unused challenge of this scope; consumes the challenge."""
        challenge, _, numbers = sent.partition(";")
        nonce, bits = self._opened(challenge, scope)
        if not nonce or not _solves(challenge, numbers, bits):
            return False
        return self._container.execute(_USE, f"work:{nonce.hex()}", LIFE) == 1

    def _opened(self, challenge: str, scope: str) -> tuple[bytes, int]:
        """Returns the nonce and the bits; no nonce without a valid challenge."""
        try:
            raw = urlsafe_b64decode(challenge)
        except (NotBase64, ValueError):
            return b"", 0
        head, mac = raw[: _HEAD.size], raw[_HEAD.size :]
        if len(head) != _HEAD.size or not hmac.compare_digest(mac, self._mac(head, scope)):
            return b"", 0
        nonce, expires, bits = _HEAD.unpack(head)
        return (nonce, bits) if expires > time.time() else (b"", 0)

    def _mac(self, head: bytes, scope: str) -> bytes:
        return hmac.digest(self._key, head + scope.encode(), "sha256")[:_MAC_BYTES]


def _solves(challenge: str, text: str, bits: int) -> bool:
    numbers = text.split(",")
    return len(numbers) == PUZZLES and all(
        0 < len(number) <= _NUMBER_DIGITS
        and number.isascii()
        and number.isdecimal()
        and _is_zero(sha256(f"{challenge}:{index}:{number}".encode()).digest(), bits)
        for index, number in enumerate(numbers)
    )


def _is_zero(digest: bytes, bits: int) -> bool:
    return int.from_bytes(digest[:4], "big") >> (32 - bits) == 0
