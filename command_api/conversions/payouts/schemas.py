"""Request and response models of the calls for payouts."""

from __future__ import annotations

from datetime import date
from typing import Annotated
from uuid import UUID

from pydantic import Field

from command_api.conversions.payouts import model
from command_api.conversions.payouts.model import MAX_ALLOCATIONS
from command_api.kernel.http import RequestModel
from schemas.http.conversions import Payout

Text = Annotated[str, Field(max_length=1000)]


class AmountInput(RequestModel):
    """Integer minor units and an ISO 4217 code."""

    amount: int
    currency: Annotated[str, Field(max_length=10)]


class AllocationInput(RequestModel):
    """A part of the payout, matched to a month by hand."""

    month: Annotated[str, Field(pattern=r"^\d{4}-(0[1-9]|1[0-2])$", description="YYYY-MM, when it became payable")]
    amount: Annotated[int, Field(gt=0, description="Minor units of the website's currency")]


class PayoutInput(RequestModel):
    """What a partner paid."""

    amount: AmountInput
    credited: Annotated[
        int | None, Field(description="What it settles, in the website's currency, if it was paid in another")
    ] = None
    paid_on: Annotated[date, Field(strict=False)]
    reference: Text | None = None
    allocations: Annotated[
        list[AllocationInput] | None,
        Field(max_length=MAX_ALLOCATIONS, description="None: the oldest open months first"),
    ] = None


class RecordPayout(PayoutInput):
    """A new payout."""

    website_id: Annotated[UUID, Field(strict=False)]
    partner_id: Annotated[UUID, Field(strict=False)]


class CorrectPayout(PayoutInput):
    """What counts from now on, and why."""

    reason: Text


class VoidPayout(RequestModel):
    """Why the payout is voided."""

    reason: Text


class UploadedFile(RequestModel):
    """Identifies an upload by its content."""

    sha256: str


class PayoutState(Payout):
    """The payout after the command."""

    voided: bool


def payout_state(payout: model.Payout) -> PayoutState:
    of_state = {name: getattr(payout, name) for name in ("id", "website_id", "partner_id", "voided")}
    return PayoutState.of(payout.facts, has_file=payout.file is not None, **of_state)
