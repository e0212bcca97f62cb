"""`read.statement_months`: what was booked with each partner in each month (UTC): statements open with their sum.

A booking is what a conversion's step adds to the earned commission, or takes off it, on the day of the step. So that a
statement reads its own month alone, whatever came before is one row a month here.
"""

from __future__ import annotations

from datetime import UTC
from typing import Final
from uuid import uuid5

from infra.kernel.postgres.rows import Rows
from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import OWN_WEBSITES
from schemas.events import conversions

Booking = (
    conversions.ConversionAttributed
    | conversions.ConversionApproved
    | conversions.ConversionRejected
    | conversions.ConversionReversed
    | conversions.ConversionReopened
    | conversions.ConversionWithdrawn
    | conversions.ConversionRestated
)

STATEMENT_MONTHS: Final = ReadModel(
    name="statement_months",
    version=2,
    columns=(
        # Derived from the four columns that follow.
        "id uuid",
        "website_id uuid not null",
        "partner_id uuid not null",
        "currency text not null",
        # The first day of the month.
        "month date not null",
        # Minor units; no number of sales is too many for a numeric.
        "earned numeric not null default 0",
    ),
    key=("id",),
    readers=OWN_WEBSITES,
    indexes=("website_id, month",),
)


def _book(rows: Rows, event: Booking) -> None:
    click, earned = event.facts.attribution, event.change.commission_approved
    if click is None or not earned:
        return
    month, currency = event.timestamp.astimezone(UTC).date().replace(day=1), event.change.currency
    row_id = uuid5(event.facts.website_id, f"{click.partner_id}\n{currency}\n{month}")
    rows.put(id=row_id, website_id=event.facts.website_id, partner_id=click.partner_id, currency=currency, month=month)
    rows.add({"id": row_id}, earned=earned)


STATEMENT_MONTHS.on(conversions.ConversionAttributed)(_book)
STATEMENT_MONTHS.on(conversions.ConversionApproved)(_book)
STATEMENT_MONTHS.on(conversions.ConversionRejected)(_book)
STATEMENT_MONTHS.on(conversions.ConversionReversed)(_book)
STATEMENT_MONTHS.on(conversions.ConversionReopened)(_book)
STATEMENT_MONTHS.on(conversions.ConversionWithdrawn)(_book)
STATEMENT_MONTHS.on(conversions.ConversionRestated)(_book)
