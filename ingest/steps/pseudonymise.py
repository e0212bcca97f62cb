"""Step pseudonymise: visitor and session become keyed hashes. Address, user agent and the site's own ids end here.

Where the site names its visitor, the hash is stable; else it is made of address and user agent with a salt that
changes every day and is deleted after 48 hours: nobody, we included, can tell tomorrow who it was. What is sent later
than that is hashed with the newest salt and the day on which it happened.
"""

from __future__ import annotations

import hmac
import os
from collections.abc import Mapping
from datetime import date
from hashlib import blake2b, sha256
from typing import Final

from ingest.clock import DAY_MS
from ingest.refused import invalid
from ingest.rows import Row, SentEvent
from ingest.visit import Visit

MAX_ID: Final = 255
_EPOCH: Final = date(1970, 1, 1).toordinal()


class Salts:
    """The salts by day. Where there is none for a day the newest known one is used: counting does not stop when
    Postgres is away at midnight, and backfills of long ago are counted; before the first one is known a passing one."""

    def __init__(self) -> None:
        self._by_day: dict[int, bytes] = {}
        self._last = os.urandom(32)

    def replace(self, salts: Mapping[date, bytes]) -> None:
        self._by_day = {day.toordinal() - _EPOCH: bytes(salt) for day, salt in salts.items()}
        if self._by_day:
            self._last = self._by_day[max(self._by_day)]

    def of(self, milliseconds: int) -> bytes:
        """The salt for an event of that moment."""
        return self._by_day.get(milliseconds // DAY_MS, self._last)

    def is_of_its_day(self, milliseconds: int) -> bool:
        """Whether that moment's day has a salt of its own, so that the salt alone tells days apart."""
        return milliseconds // DAY_MS in self._by_day


class Hasher:
    """Makes the hashes; `key` is derived from the master key."""

    def __init__(self, key: bytes, customer_key: bytes, salts: Salts) -> None:
        self._visitors = _keyed(key, b"visitor")
        self._sessions = _keyed(key, b"session")
        self._customer_key = customer_key
        self._salts = salts
        self._last: tuple[Visit | None, bytes, int, int] = (None, b"", 0, 0)
        """The last passing visitor: visit, salt, day and number. Events of one request share it."""

    def pseudonymise(self, visit: Visit, sent: SentEvent, row: Row, occurred: int) -> None:
        """Sets visitor and session. Raises `Refused` (bad_visitor_id, bad_session_id)."""
        if sent.visitor_id is not None and sent.visitor_id != "":
            row.visitor = self.named_visitor(visit.website.id_bytes, str(sent.visitor_id))
        else:
            row.visitor = self.passing_visitor(visit, occurred)
        if sent.session_id is not None and sent.session_id != "":
            text = str(sent.session_id)
            if len(text) > MAX_ID:
                raise invalid("bad_session_id", f"session_id may have {MAX_ID} characters")
            row.session = _number(self._sessions, visit.website.id_bytes + text.encode())

    def named_visitor(self, website: bytes, visitor_id: str) -> int:
        """The visitor that the website calls `visitor_id`."""
        if len(visitor_id) > MAX_ID:
            raise invalid("bad_visitor_id", f"visitor_id may have {MAX_ID} characters")
        return _number(self._visitors, website + visitor_id.encode())

    def passing_visitor(self, visit: Visit, occurred: int) -> int:
        """The visitor by address and user agent, for one day."""
        salt, day = self._salts.of(occurred), occurred // DAY_MS
        last_visit, last_salt, last_day, number = self._last
        if visit is last_visit and salt is last_salt and day == last_day:
            return number
        client = visit.client
        told_day = "" if self._salts.is_of_its_day(occurred) else f"\n{day}"
        message = f"{client.address}\n{client.agent_text}{told_day}".encode("utf-8", "replace")
        number = _number(_keyed(salt, b"passing"), visit.website.id_bytes + message)
        self._last = visit, salt, day, number
        return number

    def customer(self, website: bytes, customer_id: str) -> str:
        """The buyer's pseudonym within the website: 32 hexadecimal digits."""
        return hmac.new(self._customer_key, website + customer_id.encode(), sha256).hexdigest()[:32]


def _keyed(key: bytes, purpose: bytes) -> blake2b:
    """A hash that has taken its key in, to be copied: that takes half of the time."""
    return blake2b(digest_size=8, key=key, person=purpose)


def _number(keyed: blake2b, message: bytes) -> int:
    hashed = keyed.copy()
    hashed.update(message)
    return int.from_bytes(hashed.digest(), "big")
