"""The keys under which the claims of a website are counted: their click and their hour. Pure."""

from __future__ import annotations

from datetime import UTC, datetime
from hashlib import blake2b
from typing import Final
from uuid import UUID

ALL_CLICKS: Final = ""
"""The row that counts the claims of a website whatever their click."""

ClaimCount = tuple[UUID, str, datetime]
"""Website, click id and hour (UTC) that a claim counts in. It is stored under a pseudonym of the click id
(`claimed_click`): limits hold for a visitor who was erased, too, and the id is not there."""


def claimed_click(website_id: UUID, text: str) -> str:
    """The pseudonym under which claims of a click are counted: 32 hexadecimal digits. A click id is signed, so nobody
    makes its pseudonym, or guesses the id from it, without having the id. `ALL_CLICKS` stays."""
    if not text:
        return ALL_CLICKS
    return blake2b(text.encode(), key=website_id.bytes, person=b"claimed_click", digest_size=16).hexdigest()


def hour_of(moment: datetime) -> datetime:
    """The beginning of the hour (UTC)."""
    return moment.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
