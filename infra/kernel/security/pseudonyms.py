"""Pseudonyms of what a website calls its people: keyed hashes, which nobody can make or guess without the master key.

Ingest makes them of every event; what is stored of a person is found again by making them of the same id.
"""

from __future__ import annotations

import hmac
from hashlib import blake2b, sha256

from infra.kernel.config.settings import Settings
from infra.kernel.security.encryption import derived_key


class Pseudonyms:
    """`website`: the bytes of the website's id, so that an id of two websites has two pseudonyms."""

    def __init__(self, key: bytes, customer_key: bytes) -> None:
        self._visitors = keyed(key, b"visitor")
        self._sessions = keyed(key, b"session")
        self._customer_key = customer_key

    @classmethod
    def of(cls, settings: Settings) -> Pseudonyms:
        """Creates pseudonyms with the keys of this installation."""
        return Pseudonyms(derived_key(settings, "visitor"), derived_key(settings, "customer"))

    def visitor(self, website: bytes, visitor_id: str) -> int:
        """The visitor that the website calls `visitor_id`: 64 bits."""
        return number(self._visitors, website + visitor_id.encode())

    def session(self, website: bytes, session_id: str) -> int:
        """The session that the website calls `session_id`: 64 bits."""
        return number(self._sessions, website + session_id.encode())

    def customer(self, website: bytes, customer_id: str) -> str:
        """The buyer that the website calls `customer_id`: 32 hexadecimal digits."""
        return hmac.new(self._customer_key, website + customer_id.encode(), sha256).hexdigest()[:32]


def keyed(key: bytes, purpose: bytes) -> blake2b:
    """A hash that has taken its key in, to be copied: that takes half of the time."""
    return blake2b(digest_size=8, key=key, person=purpose)


def number(keyed_hash: blake2b, message: bytes) -> int:
    """The hash of `message` as a number of 64 bits."""
    hashed = keyed_hash.copy()
    hashed.update(message)
    return int.from_bytes(hashed.digest(), "big")
