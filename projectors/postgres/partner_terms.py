"""`read.partner_terms`: every partner's terms over time: a conversion is paid by those of its click's time."""

from __future__ import annotations

from typing import Final

from projectors.engine.read_model import ReadModel, Rows
from projectors.postgres.readers import EVERYBODY
from schemas.events.partners import CommissionChanged, PartnerRegistered

PARTNER_TERMS: Final = ReadModel(
    name="partner_terms",
    version=2,
    columns=("partner_id uuid", "effective_at timestamptz not null", "terms jsonb not null"),
    key=("partner_id", "effective_at"),
    readers=EVERYBODY,
)


@PARTNER_TERMS.on(PartnerRegistered)
def registered(rows: Rows, event: PartnerRegistered) -> None:
    _take_effect(rows, event)


@PARTNER_TERMS.on(CommissionChanged)
def commission_changed(rows: Rows, event: CommissionChanged) -> None:
    _take_effect(rows, event)


def _take_effect(rows: Rows, event: PartnerRegistered | CommissionChanged) -> None:
    terms = event.terms.model_dump(mode="json")
    rows.put(partner_id=event.originator_id, effective_at=event.timestamp, terms=terms)
