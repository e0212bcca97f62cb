"""Limits of claims: transactions that only the public site key reports.

Anybody can read that key in a page's source, so a single claim is bounded, and so are the claims of one click within an
hour. Checked before a claim is recorded; the counts are kept in the decision's transaction (`policy.claim_count`).
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from psycopg import Cursor

from command_api.conversions.money import converted
from command_api.decision import Refused
from command_api.leader import Connection
from command_api.store import Conflict
from command_api.websites.model import Website
from schemas.base import Money
from schemas.days import local_day
from schemas.events.conversions import Reported
from schemas.zones import ZoneInfo

if TYPE_CHECKING:
    from command_api.policies.reading import Reading

ALL_CLICKS: Final = ""
"""The row that counts the claims of a website whatever their click."""

ClaimCount = tuple[UUID, str, datetime]
"""Website, click id and hour (UTC) that a claim counts in."""


def check_claim(said: Reported, amount: Money, website: Website, reading: Reading, *, counts: bool = True) -> None:
    """Raises `Refused` (claim_too_large, too_many_claims, currency_unknown). `counts`: it is a further transaction."""
    if abs(_in_currency(amount, said, website, reading)) > website.max_claim_amount:
        message = (
            "This amount is above what the public site key may claim. Report the sale with a secret key,"
            " or raise the website's limit."
        )
        raise Refused("invalid", "claim_too_large", message, "amount")
    limit = website.max_claims_per_click
    if counts and reading.claims_of(website.id, said.click_id, hour_of(said.received_at)) >= limit:
        message = f"One click may claim {limit} conversions an hour with the public site key."
        raise Refused("invalid", "too_many_claims", message, "click_id")


def hour_of(moment: datetime) -> datetime:
    """The beginning of the hour (UTC)."""
    return moment.astimezone(UTC).replace(minute=0, second=0, microsecond=0)


def read_count(connection: Connection, count: ClaimCount) -> int:
    """How many claims are counted there."""
    row = connection.execute(
        "SELECT claims FROM policy.claim_count WHERE website_id = %s AND click_id = %s AND hour = %s", count
    ).fetchone()
    return int(row[0]) if row else 0


def count_claims(cursor: Cursor[dict[str, Any]], claims: Iterable[tuple[ClaimCount, int]]) -> None:
    """Counts recorded claims, each with its limit, in their transaction. Raises `Conflict` when another writer has
    reached the limit meanwhile: the reports are then decided again."""
    for (website_id, click_id, hour), limit in sorted(claims, key=lambda claim: (str(claim[0][0]), claim[0][1])):
        for name in (ALL_CLICKS, click_id):
            row = cursor.execute(_COUNT, (website_id, name, hour)).fetchone()
            assert row is not None  # noqa: S101 - the statement returns the row that it writes
            if name and row["claims"] > limit:
                raise Conflict("claim_count_pkey")


def _in_currency(amount: Money, said: Reported, website: Website, reading: Reading) -> int:
    rates = reading.rates((amount.currency,), website.currency, local_day(ZoneInfo(website.timezone), said.occurred_at))
    return converted(Fraction(amount.amount), amount.currency, website.currency, rates)[0].amount


_COUNT: Final = (
    "INSERT INTO policy.claim_count AS counted (website_id, click_id, hour, claims) VALUES (%s, %s, %s, 1)"
    " ON CONFLICT (website_id, click_id, hour) DO UPDATE SET claims = counted.claims + 1 RETURNING claims"
)
