"""`read.payouts`: what partners paid, as it counts now; `read.payout_steps`: every event of each payout."""

from __future__ import annotations

from typing import Any, Final

from infra.kernel.postgres.rows import Rows
from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import OWN_WEBSITES
from schemas.events.conversions import (
    PayoutCorrected,
    PayoutFacts,
    PayoutFileAttached,
    PayoutFileRemoved,
    PayoutRecorded,
    PayoutVoided,
)

PAYOUTS: Final = ReadModel(
    name="payouts",
    version=1,
    columns=(
        "id uuid",
        "website_id uuid not null",
        "partner_id uuid not null",
        # As it was paid.
        "amount bigint not null",
        "currency text not null",
        # What it settles, in the website's currency.
        "credited bigint not null",
        "credited_currency text not null",
        "paid_on date not null",
        "reference text not null",
        # Minor units by month (YYYY-MM) that a person matched; empty: the oldest open months first.
        "allocations jsonb not null",
        "recorded_at timestamptz not null",
        "recorded_by uuid",
        "corrected_at timestamptz",
        "voided_at timestamptz",
        # Of the last correction, or of the voiding.
        "reason text not null default ''",
        "file jsonb",
    ),
    key=("id",),
    fixed=(
        "website_id",
        "partner_id",
    ),
    readers=OWN_WEBSITES,
    indexes=("website_id, paid_on desc, id", "website_id, partner_id"),
)
PAYOUT_STEPS: Final = ReadModel(
    name="payout_steps",
    version=1,
    columns=(
        "payout_id uuid",
        "version int",
        "website_id uuid not null",
        "name text not null",
        "at timestamptz not null",
        "actor_id uuid",
        "position bigint not null",
        "detail jsonb not null",
    ),
    key=("payout_id", "version"),
    readers=OWN_WEBSITES,
    indexes=("website_id, position",),
)
_HEAD: Final = {"originator_id", "originator_version", "timestamp", "actor_id", "website_id"}


PAYOUTS.begins(PayoutRecorded, lambda event: _facts(event.facts), at="recorded_at", takes={"recorded_by": "actor_id"})
PAYOUTS.follows(PayoutCorrected, lambda event: _facts(event.facts), at="corrected_at")
PAYOUTS.follows(PayoutVoided, at="voided_at")
PAYOUTS.follows(PayoutFileAttached)
PAYOUTS.follows(PayoutFileRemoved, file=None)


@PAYOUT_STEPS.on(PayoutRecorded, PayoutCorrected, PayoutVoided, PayoutFileAttached, PayoutFileRemoved)
def stepped(
    rows: Rows, event: PayoutRecorded | PayoutCorrected | PayoutVoided | PayoutFileAttached | PayoutFileRemoved
) -> None:
    rows.put(
        payout_id=event.originator_id,
        version=event.originator_version,
        website_id=event.website_id,
        name=event.NAME,
        at=event.timestamp,
        actor_id=event.actor_id,
        position=rows.position,
        detail=event.model_dump(mode="json", exclude=_HEAD),
    )


def _facts(facts: PayoutFacts) -> dict[str, Any]:
    return {
        "amount": facts.amount.amount,
        "currency": facts.amount.currency,
        "credited": facts.credited.amount,
        "credited_currency": facts.credited.currency,
        "paid_on": facts.paid_on,
        "reference": facts.reference,
        "allocations": {one.month: one.amount for one in facts.allocations},
    }
