"""Step pseudonymise: visitor and session become keyed hashes. Address, user agent and the site's own ids end here.

Where the site names its visitor, the hash is stable; else it is made of address and user agent with a salt that
changes every day and is deleted after 48 hours: nobody, we included, can tell tomorrow who it was. What is sent later
than that is hashed with the newest salt and the day on which it happened.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import date
from typing import Final

from infra.kernel.security.pseudonyms import Pseudonyms, keyed, number
from ingest.clock import DAY_MS
from ingest.errors import invalid
from ingest.event import SiteEvent
from ingest.visitors.request_context import RequestContext

MAX_ID: Final = 255
_EPOCH: Final = date(1970, 1, 1).toordinal()


def pseudonymise(event: SiteEvent, *, hasher: Hasher) -> None:
    """Sets visitor and session. Raises `EventRejected` (bad_visitor_id, bad_session_id)."""
    sent, request = event.sent, event.request
    if sent.visitor_id is not None and sent.visitor_id != "":
        event.row.visitor = hasher.named_visitor_id(request.website.id_bytes, str(sent.visitor_id))
    else:
        event.row.visitor = hasher.daily_visitor_id(request, event.occurred)
    if sent.session_id is not None and sent.session_id != "":
        event.row.session = hasher.session_id(request.website.id_bytes, str(sent.session_id))


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

    def has_salt_for(self, milliseconds: int) -> bool:
        """Returns whether that moment's day has a salt of its own, so that the salt alone distinguishes days."""
        return milliseconds // DAY_MS in self._by_day


class Hasher(Pseudonyms):
    """Makes the hashes; `key` is derived from the master key."""

    def __init__(self, key: bytes, customer_key: bytes, salts: Salts) -> None:
        super().__init__(key, customer_key)
        self._salts = salts
        self._last: tuple[RequestContext | None, bytes, int, int] = (None, b"", 0, 0)
        """The last passing visitor: request, salt, day and number. Events of one request share it."""
        self._salted = keyed(b"", b"passing")
        """The hash with the salt of `_last`."""

    def session_id(self, website: bytes, session_id: str) -> int:
        """The session that the website calls `session_id`. Raises `EventRejected` (bad_session_id)."""
        if len(session_id) > MAX_ID:
            raise invalid("bad_session_id", f"session_id may have {MAX_ID} characters")
        return self.session(website, session_id)

    def named_visitor_id(self, website: bytes, visitor_id: str) -> int:
        """The visitor that the website calls `visitor_id`. Raises `EventRejected` (bad_visitor_id)."""
        if len(visitor_id) > MAX_ID:
            raise invalid("bad_visitor_id", f"visitor_id may have {MAX_ID} characters")
        return self.visitor(website, visitor_id)

    def daily_visitor_id(self, request: RequestContext, occurred: int) -> int:
        """The visitor by address and user agent, for one day."""
        salt, day = self._salts.of(occurred), occurred // DAY_MS
        last_request, last_salt, last_day, visitor = self._last
        if request is last_request and salt is last_salt and day == last_day:
            return visitor
        client = request.client
        day_suffix = "" if self._salts.has_salt_for(occurred) else f"\n{day}"
        message = f"{client.address}\n{client.agent_text}{day_suffix}".encode("utf-8", "replace")
        if salt is not last_salt:
            self._salted = keyed(salt, b"passing")
        visitor = number(self._salted, request.website.id_bytes + message)
        self._last = request, salt, day, visitor
        return visitor
