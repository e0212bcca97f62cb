"""The sentence that `read.activity` must hold for an event, said once more in the audit's own words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID, uuid5

from schemas.base import DomainEvent, Money
from schemas.currencies import MINOR_DIGITS
from schemas.events import accounts, conversions, links, operations, partners, websites


@dataclass(frozen=True, slots=True)
class Happening:
    """What is told of an event, and whom it concerns."""

    text: str
    website_id: UUID | None = None
    account_id: UUID | None = None

    @staticmethod
    def id_of(event: DomainEvent) -> UUID:
        return uuid5(event.originator_id, str(event.originator_version))


def happening(event: DomainEvent) -> Happening | None:
    """None for an event that is not told."""
    tell = _TOLD.get(type(event))
    return tell(event) if tell else None


def _of_account(text: str) -> Callable[[Any], Happening]:
    return lambda e: Happening(text, account_id=e.originator_id)


def _of_website(text: str) -> Callable[[Any], Happening]:
    return lambda e: Happening(text.format(e=e), website_id=e.originator_id)


def _of_nobody(text: str) -> Callable[[Any], Happening]:
    return lambda e: Happening(text.format(e=e))


def _of_conversion(text: str) -> Callable[[Any], Happening]:
    return lambda e: Happening(text.format(e=e), website_id=e.facts.website_id)


def _roles(event: accounts.RolesChanged) -> Happening:
    text = "An account's roles were set to: " + (", ".join(map(str, event.roles)) or "none")
    return Happening(text, account_id=event.originator_id)


def _connected(event: websites.WebsiteConnected) -> Happening:
    return Happening(f"Website {event.domain} was connected", event.originator_id, event.account_id)


def _recorded(event: conversions.ConversionRecorded) -> Happening:
    facts = event.facts
    is_sale = facts.kind == "sale"
    return Happening(
        f"A sale of {_shown(facts.amount)} was reported" if is_sale else "A lead was reported", facts.website_id
    )


def _reversed(event: conversions.ConversionReversed) -> Happening:
    how = "reversed" if event.whole else "partly reversed"
    return Happening(f"A {event.facts.kind} was {how} ({_shown(event.amount)})", event.facts.website_id)


def _verified(event: operations.ProjectionVerified) -> Happening:
    how = "is equal to" if event.is_equal else "differs from"
    rest = "" if event.is_equal else f" in {event.differences} rows"
    return Happening(f"Generation {event.generation} of projection {event.projection} {how} the live one{rest}")


def _shown(money: Money) -> str:
    """1234567 USD -> 12,345.67 USD."""
    digits = MINOR_DIGITS.get(money.currency, 2)
    whole, rest = divmod(abs(money.amount), 10**digits)
    sign = "-" if money.amount < 0 else ""
    return f"{sign}{whole:,}{f'.{rest:0{digits}d}' if digits else ''} {money.currency}"


_TOLD: Final[Mapping[type[DomainEvent], Callable[[Any], Happening]]] = {
    accounts.AccountRegistered: _of_account("A new account was registered"),
    accounts.RolesChanged: _roles,
    accounts.AccountDisabled: _of_account("An account was disabled"),
    accounts.AccountEnabled: _of_account("An account was enabled again"),
    accounts.AccountErased: _of_account("An account was erased"),
    websites.WebsiteConnected: _connected,
    websites.WebsiteDisconnected: _of_website("A website was removed"),
    websites.WebsiteKeyIssued: _of_website("A {e.kind.value} key was issued (…{e.last4})"),
    websites.WebsiteKeyRevoked: _of_website("A key was revoked"),
    partners.PartnerRegistered: _of_nobody("Partner {e.name} was added"),
    partners.CommissionChanged: _of_nobody("A partner's commission was changed"),
    partners.PartnerActivated: _of_nobody("A partner was activated"),
    partners.PartnerDeactivated: _of_nobody("A partner was deactivated"),
    partners.PartnerRemoved: _of_nobody("A partner was removed"),
    links.LinkCreated: lambda e: Happening(f"Link /go/{e.slug} was created", e.website_id),
    links.LinkDeleted: _of_nobody("A link was deleted"),
    conversions.ConversionRecorded: _recorded,
    conversions.ConversionAttributed: _of_conversion("The click of a waiting {e.facts.kind} was found"),
    conversions.ConversionApproved: _of_conversion("A {e.facts.kind} was approved"),
    conversions.ConversionRejected: _of_conversion("A {e.facts.kind} was rejected"),
    conversions.ConversionReversed: _reversed,
    conversions.ConversionReportConflicted: lambda e: Happening(
        "A conversion was reported again with another " + (*e.fields, "amount")[0].replace("_", " "), e.website_id
    ),
    conversions.ConversionReopened: _of_conversion("A {e.facts.kind} is pending again: {e.reason}"),
    conversions.ConversionAdjustmentProposed: lambda e: Happening(
        "A late click would have earned an approved conversion", e.website_id
    ),
    operations.ProjectionPaused: _of_nobody("Projection {e.projection} was paused"),
    operations.ProjectionResumed: _of_nobody("Projection {e.projection} was resumed"),
    operations.ProjectionRebuildRequested: _of_nobody("A rebuild of projection {e.projection} was started"),
    operations.ProjectionPromoted: _of_nobody("Generation {e.generation} of projection {e.projection} became live"),
    operations.ProjectionRolledBack: _of_nobody(
        "Projection {e.projection} was rolled back to generation {e.generation}"
    ),
    operations.ProjectionBuildCancelled: _of_nobody("The rebuild of projection {e.projection} was cancelled"),
    operations.ProjectionVerified: _verified,
    operations.ProjectionComparisonCancelled: _of_nobody("The comparison of projection {e.projection} was cancelled"),
    operations.DeadLetterRevealed: _of_nobody("The content of a dead letter of {e.projection} was looked at"),
    operations.DeadLetterRetried: _of_nobody("A dead letter of {e.projection} was retried"),
    operations.DeadLetterSkipped: _of_nobody("A dead letter of {e.projection} was skipped"),
    operations.ExchangeRateRecorded: _of_nobody("The rate {e.base}/{e.quote} of {e.on} was set to {e.rate}"),
}
