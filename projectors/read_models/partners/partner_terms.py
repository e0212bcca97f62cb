"""`read.partner_terms`: every partner's terms over time, announced ones too: a conversion is paid by those of its
click's time. `account_id`: whose private partner it is."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from infra.kernel.postgres.rows import Rows
from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import unowned_or_own
from schemas.events.partners import CommissionChanged, PartnerRegistered, PartnerTransferred

PARTNER_TERMS: Final = ReadModel(
    name="partner_terms",
    version=3,
    columns=("partner_id uuid", "effective_at timestamptz not null", "terms jsonb not null", "account_id uuid"),
    key=("partner_id", "effective_at"),
    readers=unowned_or_own("account_id"),
)


@PARTNER_TERMS.on(PartnerRegistered)
def registered(rows: Rows, event: PartnerRegistered) -> None:
    _hold_from(rows, event.timestamp, event)


@PARTNER_TERMS.on(CommissionChanged)
def commission_changed(rows: Rows, event: CommissionChanged) -> None:
    """Terms that were announced for the same moment before give way."""
    _hold_from(rows, event.effective_at, event)


PARTNER_TERMS.follows(PartnerTransferred)


def _hold_from(rows: Rows, at: datetime, event: PartnerRegistered | CommissionChanged) -> None:
    terms = event.terms.model_dump(mode="json")
    rows.put(partner_id=event.originator_id, effective_at=at, terms=terms, account_id=event.account_id)
