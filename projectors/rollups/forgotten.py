"""Visitors who were forgotten: their rows without the person.

A generation of `events` knows the erasures that it was begun with, as it knows the traffic rules
(`projectors.rollups.event_rules`). A row of the person keeps what happened: its type, time, page, link, partner,
campaign, country, device and amounts. It loses what describes the person (`schemas.tracking.OF_PERSONS`), and its
visitor and session get pseudonyms that are keyed with the erasure's own salt: one for one, so that visitors and visits
are as many as before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Any, Final
from uuid import UUID

import orjson
from psycopg import Connection

from projectors.rollups.event_row import Row, decode_row
from schemas.click_id import event_id
from schemas.tracking import OF_PERSONS, ROUTED

_IDS: Final = "select id::text from read.visitor_erasures order by position"
_REFUSALS: Final = "select refusals from read.visitor_erasures where refusals <> '{}' order by position"
_ERASURES: Final = (
    "select website_id, erased_at, coalesce(e.last_text_key, 0), salt, visitors, sessions,"
    " clicks, conversions from read.visitor_erasures as e where id = any(%s::uuid[]) order by position"
)


@dataclass(frozen=True, slots=True)
class Erasure:
    """One person of one website. `until`: without a zone, as rows have it: UTC; `last_key`: the key of texts after
    which another one began (`infra.kernel.security.text_keys`), 0: it was of before there were any."""

    until: datetime
    last_key: int
    salt: bytes
    visitors: frozenset[int]
    sessions: frozenset[int]
    clicks: frozenset[UUID]
    conversions: frozenset[UUID]

    def concerns(self, row: Row, number: int) -> bool:
        """Returns whether the row is the person's: by its visitor or session until the erasure, by its click at any
        time. `number`: of the key that sealed its texts; it decides, since ingest takes a moment to have the next
        one."""
        is_theirs = row.visitor in self.visitors or row.session in self.sessions
        if is_theirs and (number <= self.last_key if number and self.last_key else row.received_at <= self.until):
            return True
        if row.type == "click" and row.event_id in self.clicks:
            return True  # its click id may be unreadable by now
        return bool(row.click_id) and event_id(row.click_id) in self.clicks

    def applied(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """The row without the person."""
        has_route = fields.get("origin") == ROUTED or fields["type"] == "conversion"
        emptied = OF_PERSONS - {"props"} if has_route else OF_PERSONS
        left = {name: value for name, value in fields.items() if name not in emptied}
        for name in ("visitor", "session"):
            if number := left.get(name):
                left[name] = self._number(number)
        if fields["type"] == "click":
            left["event_id"] = self._event_id(left["event_id"])
        return left

    def _number(self, pseudonym: int) -> int:
        hashed = blake2b(pseudonym.to_bytes(8, "big"), key=self.salt, digest_size=8)
        return int.from_bytes(hashed.digest(), "big")

    def _event_id(self, known: str) -> str:
        """The id of a click follows from its click id."""
        return str(UUID(bytes=blake2b(UUID(known).bytes, key=self.salt, digest_size=16).digest()))


Forgotten = Mapping[UUID, Sequence[Erasure]]
"""The erasures by website, the oldest first."""


def read_ids(connection: Connection[Any]) -> list[str]:
    """The erasures there are, oldest first."""
    return [erasure_id for (erasure_id,) in connection.execute(_IDS).fetchall()]


def read_forgotten(ids: Sequence[str], connection: Connection[Any]) -> Forgotten:
    """The erasures that a generation knows. Raises `LookupError` if one is missing: without it the person would be in
    the rows again."""
    rows = connection.execute(_ERASURES, (list(ids),)).fetchall() if ids else []
    if len(rows) != len(ids):
        raise LookupError(f"{len(ids)} erasures of visitors are known to this build, {len(rows)} are stored")
    by_website: dict[UUID, list[Erasure]] = {}
    for website_id, at, last_key, salt, visitors, sessions, clicks, conversions in rows:
        erasure = Erasure(
            at.astimezone(UTC).replace(tzinfo=None),
            last_key,
            bytes.fromhex(salt),
            frozenset(map(int, visitors)),
            frozenset(map(int, sessions)),
            frozenset(clicks),
            frozenset(conversions),
        )
        by_website.setdefault(website_id, []).append(erasure)
    return by_website


def without_person(value: bytes, row: Row, number: int, erasures: Sequence[Erasure]) -> bytes:
    """Returns the value of a record as it is left: of one that several erasures concern, each takes what the one before
    has left."""
    for erasure in erasures:
        if erasure.concerns(row, number):
            value = orjson.dumps(erasure.applied(orjson.loads(value)))
            row = decode_row(value)
    return value


def read_refusals(connection: Connection[Any]) -> list[str]:
    """Refused requests whose sample is erased."""
    return sorted({str(refusal) for (refusals,) in connection.execute(_REFUSALS).fetchall() for refusal in refusals})
