"""`read.activity`: what happened lately, in words for people. Domains and slugs in it go with their account."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Final
from uuid import UUID, uuid5

from infra.kernel.postgres.event_table import E
from infra.kernel.postgres.rows import Row, Rows
from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import ADMINS
from schemas.base import DomainEvent, Money
from schemas.currencies import MINOR_DIGITS
from schemas.events import conversions, operations, partners
from schemas.events.accounts import AccountDisabled, AccountEnabled, AccountErased, AccountRegistered, RolesChanged
from schemas.events.links import LinkCreated, LinkDeleted
from schemas.events.websites import (
    WebsiteConnected,
    WebsiteDisconnected,
    WebsiteKeyIssued,
    WebsiteKeyRevoked,
    WebsiteTransferred,
)

ACTIVITY: Final = ReadModel(
    name="activity",
    version=1,
    columns=(
        "id uuid",
        "type text not null",
        "description text not null",
        "at timestamptz not null",
        "website_id uuid",
        "account_id uuid",
        "aggregate_id uuid not null",
        "position bigint not null",
    ),
    key=("id",),
    readers=ADMINS,
    indexes=("position desc", "website_id, position desc"),
    personal=("description",),
)


def _shows(event_class: type[E], text: str | Callable[[E], str], about: Callable[[E], Row] = lambda _: {}) -> None:
    """Adds an entry with `text` on `event_class`. `about`: its website, and its account if not the one that acted."""

    @ACTIVITY.on(event_class)
    def add(rows: Rows, event: E) -> None:
        _add(rows, event, text if isinstance(text, str) else text(event), **about(event))


def _add(
    rows: Rows, event: DomainEvent, description: str, *, website_id: UUID | None = None, account_id: UUID | None = None
) -> None:
    rows.put(
        id=uuid5(event.originator_id, str(event.originator_version)),
        type=event.NAME,
        description=description,
        at=event.timestamp,
        website_id=website_id,
        account_id=account_id or event.actor_id,
        aggregate_id=event.originator_id,
        position=rows.position,
    )


def _account(event: DomainEvent) -> Row:
    return {"account_id": event.originator_id}


def _website(event: DomainEvent) -> Row:
    return {"website_id": event.originator_id}


def _its_website(
    event: LinkCreated | conversions.ConversionReportConflicted | conversions.ConversionAdjustmentProposed,
) -> Row:
    return {"website_id": event.website_id}


def _website_of_sale(event: conversions.ConversionStep) -> Row:
    return {"website_id": event.facts.website_id}


_shows(AccountRegistered, "A new account was registered", _account)
_shows(
    RolesChanged,
    lambda event: f"An account's roles were set to: {', '.join(role.value for role in event.roles) or 'none'}",
    _account,
)
_shows(AccountDisabled, "An account was disabled", _account)
_shows(AccountEnabled, "An account was enabled again", _account)
_shows(AccountErased, "An account was erased", _account)
_shows(
    WebsiteConnected,
    lambda event: f"Website {event.domain} was connected",
    lambda event: {**_website(event), "account_id": event.account_id},
)
_shows(WebsiteKeyIssued, lambda event: f"A {event.kind.value} key was issued (…{event.last4})", _website)
_shows(WebsiteKeyRevoked, "A key was revoked", _website)
_shows(
    partners.PartnerRegistered,
    lambda event: "A private partner was added" if event.account_id else f"Partner {event.name} was added",
)
_shows(partners.CommissionChanged, "A partner's commission was changed")
_shows(partners.PartnerActivated, "A partner was activated")
_shows(partners.PartnerDeactivated, "A partner was deactivated")
_shows(partners.PartnerRemoved, "A partner was removed")
_shows(LinkCreated, lambda event: f"Link /go/{event.slug} was created", _its_website)
_shows(LinkDeleted, "A link was deleted")
_shows(
    conversions.ConversionRecorded,
    lambda event: (
        f"A sale of {_money(event.facts.amount)} was reported" if event.facts.kind == "sale" else "A lead was reported"
    ),
    _website_of_sale,
)
_shows(
    conversions.ConversionAttributed,
    lambda event: f"The click of a waiting {event.facts.kind} was found",
    _website_of_sale,
)
_shows(conversions.ConversionApproved, lambda event: f"A {event.facts.kind} was approved", _website_of_sale)
_shows(conversions.ConversionRejected, lambda event: f"A {event.facts.kind} was rejected", _website_of_sale)
_shows(
    conversions.ConversionReversed,
    lambda event: f"A {event.facts.kind} was {'' if event.whole else 'partly '}reversed ({_money(event.amount)})",
    _website_of_sale,
)
_shows(
    conversions.ConversionReportConflicted,
    lambda event: f"A conversion was reported again with another {_field(event)}",
    _its_website,
)
_shows(
    conversions.ConversionReopened,
    lambda event: f"A {event.facts.kind} is pending again: {event.reason}",
    _website_of_sale,
)
_shows(conversions.ConversionAdjustmentProposed, "A late click would have earned an approved conversion", _its_website)
_shows(operations.ProjectionPaused, lambda event: f"Projection {event.projection} was paused")
_shows(operations.ProjectionResumed, lambda event: f"Projection {event.projection} was resumed")
_shows(operations.ProjectionRebuildRequested, lambda event: f"A rebuild of projection {event.projection} was started")
_shows(
    operations.ProjectionPromoted,
    lambda event: f"Generation {event.generation} of projection {event.projection} became live",
)
_shows(
    operations.ProjectionRolledBack,
    lambda event: f"Projection {event.projection} was rolled back to generation {event.generation}",
)
_shows(operations.ProjectionBuildCancelled, lambda event: f"The rebuild of projection {event.projection} was cancelled")
_shows(
    operations.ProjectionComparisonCancelled,
    lambda event: f"The comparison of projection {event.projection} was cancelled",
)
_shows(operations.DeadLetterRevealed, lambda event: f"The content of a dead letter of {event.projection} was looked at")
_shows(operations.DeadLetterRetried, lambda event: f"A dead letter of {event.projection} was retried")
_shows(operations.DeadLetterSkipped, lambda event: f"A dead letter of {event.projection} was skipped")


@ACTIVITY.on(operations.ExchangeRateRecorded)
def exchange_rate_recorded(rows: Rows, event: operations.ExchangeRateRecorded) -> None:
    """A rate of a person. The reference rates of a day would hide everything else."""
    if event.source is not operations.RateSource.ECB:
        _add(rows, event, f"The rate {event.base}/{event.quote} of {event.on.isoformat()} was set to {event.rate}")


@ACTIVITY.on(WebsiteDisconnected)
def website_disconnected(rows: Rows, event: WebsiteDisconnected) -> None:
    _add(rows, event, "A website was removed", website_id=event.originator_id)
    if event.owner_erased:
        for kind, words in (("website.connected", "A website was connected"), ("link.created", "A link was created")):
            rows.update({"website_id": event.originator_id, "type": kind}, description=words)


@ACTIVITY.on(WebsiteTransferred)
def website_transferred(rows: Rows, event: WebsiteTransferred) -> None:
    """The name in the seller's entry goes: it would be erased with the seller, and is the buyer's now."""
    _add(rows, event, "A sold website moved to its buyer", website_id=event.originator_id)
    connected = {"website_id": event.originator_id, "type": "website.connected"}
    rows.update(connected, description="A website was connected")


@ACTIVITY.on(operations.ProjectionVerified)
def projection_verified(rows: Rows, event: operations.ProjectionVerified) -> None:
    verdict = "is equal to the live one" if event.is_equal else f"differs from the live one in {event.differences} rows"
    _add(rows, event, f"Generation {event.generation} of projection {event.projection} {verdict}")


def _field(event: conversions.ConversionReportConflicted) -> str:
    return event.fields[0].replace("_", " ") if event.fields else "amount"


def _money(money: Money) -> str:
    amount = Decimal(money.amount).scaleb(-MINOR_DIGITS.get(money.currency, 2))
    return f"{amount:,f} {money.currency}"
