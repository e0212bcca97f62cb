"""`read.activity`: what happened lately, in words for people. Domains and slugs in it go with their account."""

from __future__ import annotations

from decimal import Decimal
from typing import Final
from uuid import UUID, uuid5

from projectors.engine.read_model import ReadModel, Rows
from projectors.postgres.readers import ADMINS
from schemas.base import DomainEvent, Money
from schemas.currencies import MINOR_DIGITS
from schemas.events.accounts import AccountDisabled, AccountEnabled, AccountErased, AccountRegistered, RolesChanged
from schemas.events.conversions import (
    ConversionAdjustmentProposed,
    ConversionApproved,
    ConversionAttributed,
    ConversionRecorded,
    ConversionRejected,
    ConversionReopened,
    ConversionReportConflicted,
    ConversionReversed,
)
from schemas.events.links import LinkCreated, LinkDeleted
from schemas.events.operations import (
    DeadLetterRetried,
    DeadLetterRevealed,
    DeadLetterSkipped,
    ExchangeRateRecorded,
    ProjectionBuildCancelled,
    ProjectionComparisonCancelled,
    ProjectionPaused,
    ProjectionPromoted,
    ProjectionRebuildRequested,
    ProjectionResumed,
    ProjectionRolledBack,
    ProjectionVerified,
)
from schemas.events.partners import (
    CommissionChanged,
    PartnerActivated,
    PartnerDeactivated,
    PartnerRegistered,
    PartnerRemoved,
)
from schemas.events.websites import WebsiteConnected, WebsiteDisconnected, WebsiteKeyIssued, WebsiteKeyRevoked

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
)


@ACTIVITY.on(AccountRegistered)
def account_registered(rows: Rows, event: AccountRegistered) -> None:
    _add(rows, event, "A new account was registered", account_id=event.originator_id)


@ACTIVITY.on(RolesChanged)
def roles_changed(rows: Rows, event: RolesChanged) -> None:
    roles = ", ".join(role.value for role in event.roles) or "none"
    _add(rows, event, f"An account's roles were set to: {roles}", account_id=event.originator_id)


@ACTIVITY.on(AccountDisabled)
def account_disabled(rows: Rows, event: AccountDisabled) -> None:
    _add(rows, event, "An account was disabled", account_id=event.originator_id)


@ACTIVITY.on(AccountEnabled)
def account_enabled(rows: Rows, event: AccountEnabled) -> None:
    _add(rows, event, "An account was enabled again", account_id=event.originator_id)


@ACTIVITY.on(AccountErased)
def account_erased(rows: Rows, event: AccountErased) -> None:
    _add(rows, event, "An account was erased", account_id=event.originator_id)


@ACTIVITY.on(WebsiteConnected)
def website_connected(rows: Rows, event: WebsiteConnected) -> None:
    _add(
        rows,
        event,
        f"Website {event.domain} was connected",
        website_id=event.originator_id,
        account_id=event.account_id,
    )


@ACTIVITY.on(WebsiteDisconnected)
def website_disconnected(rows: Rows, event: WebsiteDisconnected) -> None:
    _add(rows, event, "A website was removed", website_id=event.originator_id)
    if event.owner_erased:
        for kind, words in (("website.connected", "A website was connected"), ("link.created", "A link was created")):
            rows.update({"website_id": event.originator_id, "type": kind}, description=words)


@ACTIVITY.on(WebsiteKeyIssued)
def key_issued(rows: Rows, event: WebsiteKeyIssued) -> None:
    _add(rows, event, f"A {event.kind.value} key was issued (…{event.last4})", website_id=event.originator_id)


@ACTIVITY.on(WebsiteKeyRevoked)
def key_revoked(rows: Rows, event: WebsiteKeyRevoked) -> None:
    _add(rows, event, "A key was revoked", website_id=event.originator_id)


@ACTIVITY.on(PartnerRegistered)
def partner_registered(rows: Rows, event: PartnerRegistered) -> None:
    _add(rows, event, f"Partner {event.name} was added")


@ACTIVITY.on(CommissionChanged)
def commission_changed(rows: Rows, event: CommissionChanged) -> None:
    _add(rows, event, "A partner's commission was changed")


@ACTIVITY.on(PartnerActivated)
def partner_activated(rows: Rows, event: PartnerActivated) -> None:
    _add(rows, event, "A partner was activated")


@ACTIVITY.on(PartnerDeactivated)
def partner_deactivated(rows: Rows, event: PartnerDeactivated) -> None:
    _add(rows, event, "A partner was deactivated")


@ACTIVITY.on(PartnerRemoved)
def partner_removed(rows: Rows, event: PartnerRemoved) -> None:
    _add(rows, event, "A partner was removed")


@ACTIVITY.on(LinkCreated)
def link_created(rows: Rows, event: LinkCreated) -> None:
    _add(rows, event, f"Link /go/{event.slug} was created", website_id=event.website_id)


@ACTIVITY.on(LinkDeleted)
def link_deleted(rows: Rows, event: LinkDeleted) -> None:
    _add(rows, event, "A link was deleted")


@ACTIVITY.on(ConversionRecorded)
def conversion_recorded(rows: Rows, event: ConversionRecorded) -> None:
    facts = event.facts
    what = f"A {facts.kind} of {_money(facts.amount)} was reported" if facts.kind == "sale" else "A lead was reported"
    _add(rows, event, what, website_id=facts.website_id)


@ACTIVITY.on(ConversionAttributed)
def conversion_attributed(rows: Rows, event: ConversionAttributed) -> None:
    _add(rows, event, f"The click of a waiting {event.facts.kind} was found", website_id=event.facts.website_id)


@ACTIVITY.on(ConversionApproved)
def conversion_approved(rows: Rows, event: ConversionApproved) -> None:
    _add(rows, event, f"A {event.facts.kind} was approved", website_id=event.facts.website_id)


@ACTIVITY.on(ConversionRejected)
def conversion_rejected(rows: Rows, event: ConversionRejected) -> None:
    _add(rows, event, f"A {event.facts.kind} was rejected", website_id=event.facts.website_id)


@ACTIVITY.on(ConversionReversed)
def conversion_reversed(rows: Rows, event: ConversionReversed) -> None:
    part = "" if event.whole else "partly "
    what = f"A {event.facts.kind} was {part}reversed ({_money(event.amount)})"
    _add(rows, event, what, website_id=event.facts.website_id)


@ACTIVITY.on(ConversionReportConflicted)
def report_conflicted(rows: Rows, event: ConversionReportConflicted) -> None:
    _add(rows, event, f"A conversion was reported again with another {_field(event)}", website_id=event.website_id)


@ACTIVITY.on(ConversionReopened)
def conversion_reopened(rows: Rows, event: ConversionReopened) -> None:
    _add(rows, event, f"A {event.facts.kind} is pending again: {event.reason}", website_id=event.facts.website_id)


@ACTIVITY.on(ConversionAdjustmentProposed)
def adjustment_proposed(rows: Rows, event: ConversionAdjustmentProposed) -> None:
    _add(rows, event, "A late click would have earned an approved conversion", website_id=event.website_id)


def _field(event: ConversionReportConflicted) -> str:
    return event.fields[0].replace("_", " ") if event.fields else "amount"


@ACTIVITY.on(ProjectionPaused)
def projection_paused(rows: Rows, event: ProjectionPaused) -> None:
    _add(rows, event, f"Projection {event.projection} was paused")


@ACTIVITY.on(ProjectionResumed)
def projection_resumed(rows: Rows, event: ProjectionResumed) -> None:
    _add(rows, event, f"Projection {event.projection} was resumed")


@ACTIVITY.on(ProjectionRebuildRequested)
def rebuild_requested(rows: Rows, event: ProjectionRebuildRequested) -> None:
    _add(rows, event, f"A rebuild of projection {event.projection} was started")


@ACTIVITY.on(ProjectionPromoted)
def projection_promoted(rows: Rows, event: ProjectionPromoted) -> None:
    _add(rows, event, f"Generation {event.generation} of projection {event.projection} became live")


@ACTIVITY.on(ProjectionRolledBack)
def projection_rolled_back(rows: Rows, event: ProjectionRolledBack) -> None:
    _add(rows, event, f"Projection {event.projection} was rolled back to generation {event.generation}")


@ACTIVITY.on(ProjectionBuildCancelled)
def build_cancelled(rows: Rows, event: ProjectionBuildCancelled) -> None:
    _add(rows, event, f"The rebuild of projection {event.projection} was cancelled")


@ACTIVITY.on(ProjectionVerified)
def projection_verified(rows: Rows, event: ProjectionVerified) -> None:
    found = "is equal to the live one" if event.is_equal else f"differs from the live one in {event.differences} rows"
    _add(rows, event, f"Generation {event.generation} of projection {event.projection} {found}")


@ACTIVITY.on(ProjectionComparisonCancelled)
def comparison_cancelled(rows: Rows, event: ProjectionComparisonCancelled) -> None:
    _add(rows, event, f"The comparison of projection {event.projection} was cancelled")


@ACTIVITY.on(DeadLetterRevealed)
def dead_letter_revealed(rows: Rows, event: DeadLetterRevealed) -> None:
    _add(rows, event, f"The content of a dead letter of {event.projection} was looked at")


@ACTIVITY.on(DeadLetterRetried)
def dead_letter_retried(rows: Rows, event: DeadLetterRetried) -> None:
    _add(rows, event, f"A dead letter of {event.projection} was retried")


@ACTIVITY.on(DeadLetterSkipped)
def dead_letter_skipped(rows: Rows, event: DeadLetterSkipped) -> None:
    _add(rows, event, f"A dead letter of {event.projection} was skipped")


@ACTIVITY.on(ExchangeRateRecorded)
def exchange_rate_recorded(rows: Rows, event: ExchangeRateRecorded) -> None:
    _add(rows, event, f"The rate {event.base}/{event.quote} of {event.on.isoformat()} was set to {event.rate}")


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


def _money(money: Money) -> str:
    amount = Decimal(money.amount).scaleb(-MINOR_DIGITS.get(money.currency, 2))
    return f"{amount:,f} {money.currency}"
