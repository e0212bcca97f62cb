"""Costs: which amounts may be entered for which days and traffic of a website. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Any, Final
from uuid import UUID

from command_api.kernel.aggregates import first_event, next_event
from command_api.kernel.decision import CommandContext, invalid, not_found
from command_api.websites.model import Website, require_owned
from infra.domain.exchange_rates import convert
from infra.kernel.text.hidden_characters import HIDDEN
from schemas.base import Money
from schemas.currencies import MAX_AMOUNT
from schemas.days import FIRST_YEAR, LAST_YEAR
from schemas.events.costs import CostAdded, CostChanged, CostEntry, CostRemoved, CostRestored
from schemas.evolution import Evolution

MAX_DAYS: Final = 366
"""Days of one entry."""
TEXTS: Final = ("source", "campaign", "term", "content", "placement")


@dataclass(frozen=True, slots=True)
class CostAggregate:
    """State of one entry."""

    id: UUID
    version: int
    website_id: UUID
    entry: CostEntry
    removed: bool = False


@dataclass(frozen=True, slots=True)
class EnteredCost:
    """A cost as a person enters it. `target`: the traffic, by the names of `CostEntry`, without those for any."""

    first: date
    last: date
    amount: Money
    target: Mapping[str, Any]
    note: str = ""


def add(
    cost_id: UUID, website: Website | None, entered: EnteredCost, rate: str | None, context: CommandContext
) -> CostAdded:
    """Enters a cost. `rate`: how many major units of the website's currency one of the amount's is worth on the first
    day. Raises `CommandRejected`, `currency_unknown` where there is no rate and one is needed."""
    website = require_owned(website, context)
    return CostAdded(
        **first_event(cost_id, context), website_id=website.id, entry=_entry(entered, website.currency, rate)
    )


def change(
    cost: CostAggregate, website: Website, entered: EnteredCost, rate: str | None, context: CommandContext
) -> list[CostChanged]:
    """Changes the entry; returns no events if nothing is different. Raises as `add`."""
    entry = _entry(entered, website.currency, rate)
    if entry == cost.entry:
        return []
    return [CostChanged(**next_event(cost, context), website_id=cost.website_id, entry=entry, replaced=cost.entry)]


def remove(cost: CostAggregate, context: CommandContext) -> CostRemoved:
    return CostRemoved(**next_event(cost, context), website_id=cost.website_id, entry=cost.entry)


def restore(cost: CostAggregate, context: CommandContext) -> list[CostRestored]:
    """Restores a removed entry; returns no events if it was not removed."""
    if not cost.removed:
        return []
    return [CostRestored(**next_event(cost, context), website_id=cost.website_id, entry=cost.entry)]


def require_known(cost: CostAggregate | None, website: Website | None, context: CommandContext) -> CostAggregate:
    """Returns the entry, also a removed one. Raises `CommandRejected` (missing) unless the actor may act for the
    website's owner."""
    if cost is None:
        raise not_found("cost")
    require_owned(website, context, "cost")
    return cost


def require_active(cost: CostAggregate | None, website: Website | None, context: CommandContext) -> CostAggregate:
    """Returns the entry. Raises as `require_known`, and for a removed one."""
    cost = require_known(cost, website, context)
    if cost.removed:
        raise not_found("cost")
    return cost


def _entry(entered: EnteredCost, currency: str, rate: str | None) -> CostEntry:
    _check_days(entered.first, entered.last)
    _check_amount(entered)
    texts = {name: _text(name, entered.target.get(name, "")) for name in TEXTS}
    needs_rate = entered.amount.currency != currency
    if needs_rate and rate is None:
        raise invalid(
            "currency_unknown",
            f"There is no exchange rate from {entered.amount.currency} to {currency} for {entered.first.isoformat()}.",
            "amount",
        )
    return CostEntry(
        first=entered.first,
        last=entered.last,
        **texts,
        link_id=entered.target.get("link_id"),
        amount=entered.amount,
        worth=_worth(entered.amount, currency, rate) if needs_rate and rate is not None else entered.amount,
        rate=rate if needs_rate else None,
        note=" ".join(entered.note.split()),
    )


def _worth(amount: Money, currency: str, rate: str) -> Money:
    worth = convert(amount.amount, amount.currency, currency, Fraction(rate))
    if abs(worth) > MAX_AMOUNT:
        raise invalid(
            "amount_too_large", f"The amount may be at most {MAX_AMOUNT} minor units of {currency}.", "amount"
        )
    return Money(amount=worth, currency=currency)


def _check_days(first: date, last: date) -> None:
    if last < first:
        raise invalid("bad_period", "The last day must not be before the first.", "to")
    if first.year < FIRST_YEAR or last.year > LAST_YEAR:
        field = "from" if first.year < FIRST_YEAR else "to"
        raise invalid("bad_period", f"Dates must be from {FIRST_YEAR} to {LAST_YEAR}.", field)
    if (last - first).days >= MAX_DAYS:
        raise invalid("bad_period", f"One cost covers at most {MAX_DAYS} days. Enter a longer one in parts.", "to")


def _check_amount(entered: EnteredCost) -> None:
    amount = entered.amount
    if amount.amount == 0:
        raise invalid("no_amount", "Enter an amount.", "amount")
    if amount.amount < 0 and not entered.note.split():
        raise invalid("needs_note", "An amount below zero is a refund or a credit. Say in a note which one.", "note")


def _text(name: str, text: str) -> str:
    text = text.strip()
    if HIDDEN.search(text):
        raise invalid("bad_text", f"The {name} contains invisible characters.", name)
    return text


evolve: Final = (
    Evolution(CostAggregate)
    .begins(CostAdded)
    .follows(CostChanged)
    .follows(CostRemoved, removed=True)
    .follows(CostRestored, removed=False)
)
