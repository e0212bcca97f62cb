"""Recomputes what rows are left of visitors who were forgotten: as the decided events say, not as a table has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from typing import Any, Final
from uuid import UUID

import psycopg

from infra.ops.audit.report import AuditReport, DefectKind
from schemas.tracking import SUBS, TEXT_KEY

Fields = dict[str, Any]
_CHECK: Final = "forgotten visitors"
_EMPTY: Final = ("click_id", "ad_ids", "props", "title", "city", "region", *SUBS)
_PARAMETERS: Final = "SELECT progress -> 'parameters' FROM engine.build WHERE name = %s AND generation = %s"
_STORED: Final = (
    "SELECT id::text, website_id::text, erased_at, coalesce(e.last_text_key, 0), salt,"
    " visitors, sessions, clicks, conversions FROM read.visitor_erasures AS e ORDER BY position"
)
_LIVE_REFUSALS: Final = (
    "SELECT b.progress -> 'parameters' FROM engine.build AS b JOIN engine.projection AS p"
    " ON p.name = b.name AND p.live_generation = b.generation WHERE b.name = 'refusals'"
)


@dataclass(frozen=True, slots=True)
class ForgottenPerson:
    """One person of one website. `numbers`: pseudonyms by column, with what was received until then; `last_key`: with
    what was sealed by this key of texts or one before, 0: there was none."""

    website_id: str
    until: datetime
    last_key: int
    salt: bytes
    numbers: Mapping[str, frozenset[int]]
    clicks: frozenset[UUID]
    conversions: frozenset[str]

    def concerns(self, fields: Fields) -> bool:
        if fields["type"] == "conversion":
            return str(fields["conversion_id"]) in self.conversions
        if fields["type"] == "click" and UUID(fields["event_id"]) in self.clicks:
            return True
        if fields.get("click_id") and _click(fields["click_id"]) in self.clicks:
            return True
        is_theirs = any(fields.get(name, 0) in numbers for name, numbers in self.numbers.items())
        key = fields.get(TEXT_KEY, 0)
        if key and self.last_key:
            return is_theirs and key <= self.last_key
        return is_theirs and datetime.fromisoformat(fields["received_at"] + "+00:00") <= self.until


class ForgottenVisitors:
    """The forgotten visitors that a generation of `events` was built without, the oldest first."""

    def __init__(self, erasures: Sequence[ForgottenPerson]) -> None:
        self._erasures = erasures

    @classmethod
    def of(cls, postgres: psycopg.Connection[Any], generation: int, report: AuditReport) -> ForgottenVisitors:
        """Reads the forgotten visitors of a generation, as they are stored."""
        row = postgres.execute(_PARAMETERS, ("events", generation)).fetchone()
        erasure_ids = [each["erasure"] for each in (row[0] if row is not None else None) or [] if "erasure" in each]
        stored = {row[0]: row[1:] for row in postgres.execute(_STORED)} if erasure_ids else {}
        for erasure_id in erasure_ids:
            report.checked["visitors whom events follow as forgotten"] += 1
            if erasure_id not in stored:
                report.found(DefectKind.WRONG, _CHECK, f"events follows erasure {erasure_id}, which does not exist")
        return cls([_erasure(*stored[erasure_id]) for erasure_id in erasure_ids if erasure_id in stored])

    def applied(self, fields: Fields) -> Fields:
        """A record's fields as a row must have them."""
        for erasure in self._erasures:
            if erasure.website_id == str(fields["website_id"]) and erasure.concerns(fields):
                fields = _left(fields, erasure.salt)
        return fields


def _erasure(
    website_id: str,
    until: datetime,
    last_key: int,
    salt: str,
    visitors: Sequence[int],
    sessions: Sequence[int],
    clicks: Sequence[UUID],
    conversions: Sequence[UUID],
) -> ForgottenPerson:
    numbers = {"visitor": frozenset(map(int, visitors)), "session": frozenset(map(int, sessions))}
    conversion_ids = frozenset(map(str, conversions))
    return ForgottenPerson(website_id, until, last_key, bytes.fromhex(salt), numbers, frozenset(clicks), conversion_ids)


def erased_samples(postgres: psycopg.Connection[Any]) -> frozenset[str]:
    """Refusals whose sample the live table must not have."""
    row = postgres.execute(_LIVE_REFUSALS).fetchone()
    return frozenset((row[0] if row is not None else None) or [])


def _left(fields: Fields, salt: bytes) -> Fields:
    left = {**fields, **dict.fromkeys(_EMPTY, "")}
    if fields.get("origin") == "redirect" or fields["type"] == "conversion":
        left["props"] = fields.get("props", "")  # the route of the link
    for name in ("visitor", "session"):
        if fields.get(name):
            digest = blake2b(int(fields[name]).to_bytes(8, "big"), key=salt, digest_size=8).digest()
            left[name] = int.from_bytes(digest, "big")
    if fields["type"] == "click":
        left["event_id"] = str(UUID(bytes=blake2b(UUID(fields["event_id"]).bytes, key=salt, digest_size=16).digest()))
    return left


def _click(click_id: str) -> UUID:
    digest = bytearray(blake2b(click_id.encode(), digest_size=16).digest())
    digest[6], digest[8] = digest[6] & 0x0F | 0x80, digest[8] & 0x3F | 0x80
    return UUID(bytes=bytes(digest))
