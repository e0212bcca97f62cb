"""Payout aggregate: what a partner paid a website. Nothing is edited: a further event corrects or voids it. Pure.

Which months a payout settles is not decided here: those that a person names, else the oldest open ones, by the rules of
`infra.domain.payout_matching`, as of the moment of the question.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final
from uuid import UUID

from command_api.kernel.aggregates import first_event, next_event
from command_api.kernel.decision import CommandContext, conflict, invalid, not_found
from command_api.websites.model import Website
from schemas.base import DomainEvent, Money
from schemas.currencies import MAX_AMOUNT, MINOR_DIGITS
from schemas.days import FIRST_DAY
from schemas.events import conversions
from schemas.events.conversions import PayoutAllocation, PayoutFacts, PayoutFile
from schemas.evolution import Evolution

MAX_REFERENCE: Final = 200
MAX_ALLOCATIONS: Final = 60


@dataclass(frozen=True, slots=True)
class Payout:
    """State of one payout."""

    id: UUID
    version: int
    website_id: UUID
    partner_id: UUID
    facts: PayoutFacts
    voided: bool = False
    file: PayoutFile | None = None


def facts_of(
    website: Website,
    amount: int,
    currency: str,
    credited: int | None,
    paid_on: date,
    reference: str,
    allocations: Sequence[PayoutAllocation],
    context: CommandContext,
) -> PayoutFacts:
    """Checks and returns the facts. `credited`: what it settles in the website's currency; needed if it was paid in
    another."""
    if currency not in MINOR_DIGITS:
        raise invalid("unknown_currency", f"{currency[:10]} is not an ISO 4217 currency.", "amount")
    if credited is None and currency != website.currency:
        message = f"Enter what the payout is worth in {website.currency}, the website's currency."
        raise invalid("credited_missing", message, "credited")
    if credited is not None and currency == website.currency and credited != amount:
        raise invalid("credited_differs", "A payout in the website's currency settles its own amount.", "credited")
    settles = amount if credited is None else credited
    for field, value in (("amount", amount), ("credited", settles)):
        if not 1 <= value <= MAX_AMOUNT:
            raise invalid("bad_amount", f"An amount must be from 1 to {MAX_AMOUNT} minor units.", field)
    # A day ahead: somewhere it is tomorrow already.
    if not FIRST_DAY <= paid_on <= context.at.date() + timedelta(days=1):
        raise invalid("bad_date", "The date of a payout must not be in the future.", "paidOn")
    if len(reference.strip()) > MAX_REFERENCE:
        raise invalid("bad_reference", f"A reference has at most {MAX_REFERENCE} characters.", "reference")
    _check_allocations(allocations, settles)
    return PayoutFacts(
        amount=Money(amount=amount, currency=currency),
        credited=Money(amount=settles, currency=website.currency),
        paid_on=paid_on,
        reference=reference.strip(),
        allocations=tuple(allocations),
    )


def record(
    payout_id: UUID, website_id: UUID, partner_id: UUID, facts: PayoutFacts, context: CommandContext
) -> list[DomainEvent]:
    head = first_event(payout_id, context)
    return [conversions.PayoutRecorded(**head, website_id=website_id, partner_id=partner_id, facts=facts)]


def correct(payout: Payout, facts: PayoutFacts, reason: str, context: CommandContext) -> list[DomainEvent]:
    """Replaces the facts. Raises `CommandRejected` (voided, bad_reason)."""
    _require_counting(payout)
    if facts == payout.facts:
        return []
    place = {"website_id": payout.website_id, "partner_id": payout.partner_id}
    head = next_event(payout, context)
    return [conversions.PayoutCorrected(**head, **place, facts=facts, reason=_checked_reason(reason))]


def void(payout: Payout, reason: str, context: CommandContext) -> list[DomainEvent]:
    if payout.voided:
        return []
    place = {"website_id": payout.website_id, "partner_id": payout.partner_id}
    return [conversions.PayoutVoided(**next_event(payout, context), **place, reason=_checked_reason(reason))]


def attach(payout: Payout, file: PayoutFile, context: CommandContext) -> list[DomainEvent]:
    _require_counting(payout)
    if payout.file is not None and payout.file.sha256 == file.sha256:
        return []
    return [conversions.PayoutFileAttached(**next_event(payout, context), website_id=payout.website_id, file=file)]


def remove_file(payout: Payout, context: CommandContext) -> list[DomainEvent]:
    """Removes the file, also of a voided payout, when the website is transferred to another account."""
    if payout.file is None:
        return []
    return [conversions.PayoutFileRemoved(**next_event(payout, context), website_id=payout.website_id)]


def require_owned(payout: Payout | None, website: Website | None, context: CommandContext) -> Payout:
    """The payout, if its website's owner (or an admin) asks. Raises `CommandRejected` (missing)."""
    if payout is None or website is None or website.disconnected or not context.may_act_for(website.account_id):
        raise not_found("payout")
    return payout


evolve: Final = (
    Evolution(Payout)
    .begins(conversions.PayoutRecorded)
    .follows(conversions.PayoutCorrected, but=("website_id", "partner_id"))
    .follows(conversions.PayoutVoided, but=("website_id", "partner_id"), voided=True)
    .follows(conversions.PayoutFileAttached, but="website_id")
    .follows(conversions.PayoutFileRemoved, but="website_id", file=None)
)


def _check_allocations(allocations: Sequence[PayoutAllocation], settles: int) -> None:
    if len(allocations) > MAX_ALLOCATIONS:
        raise invalid("too_many_months", f"A payout is matched to at most {MAX_ALLOCATIONS} months.", "allocations")
    if len({one.month for one in allocations}) != len(allocations):
        raise invalid("month_twice", "List each month only once.", "allocations")
    if sum(one.amount for one in allocations) > settles:
        raise invalid("too_much_matched", "The months add up to more than the payout.", "allocations")


def _require_counting(payout: Payout) -> None:
    if payout.voided:
        raise conflict("voided", "This payout was voided.")


def _checked_reason(reason: str) -> str:
    if not 1 <= len(reason.strip()) <= 500:
        raise invalid("bad_reason", "Please give a reason of at most 500 characters.", "reason")
    return reason.strip()
