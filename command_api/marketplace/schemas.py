"""Bodies and answers of the marketplace's commands. Amounts are whole major units of US dollars, as people name prices;
answers give `edition` or `status`, everything else is read back by the GET calls."""

from __future__ import annotations

from uuid import UUID

from pydantic import Field

from command_api.kernel.http import RequestModel
from command_api.marketplace.fields import MAX_TEXT_LENGTH, Dollars, Plain, Price, Reason, Words
from command_api.marketplace.offers import Deal, Offer
from command_api.marketplace.questions import FlagReason
from schemas.events.marketplace import (
    EscrowStatus,
    Niche,
    OfferStatus,
    TransferStatus,
)
from schemas.http.responses import ResponseModel


class MakeOffer(RequestModel):
    """An offer or counter-offer in whole US dollars, with an optional message."""

    price: Price
    text: Plain = Field(default="", max_length=MAX_TEXT_LENGTH)


class AcceptOffer(RequestModel):
    """Accepts an offer at the named price, in whole US dollars."""

    price: Price = Field(description="The one that you agree to; 409 `price_changed` if it is another now")
    without_escrow: bool = Field(
        default=False, description="You agree that nothing is held in escrow; 409 `direct_deal` if this is needed"
    )


class Write(RequestModel):
    """The text of a message, dispute, question or answer."""

    text: Words


class FlagQuestion(RequestModel):
    """Why the content is reported to the admins."""

    reason: FlagReason


class DirectDeals(RequestModel):
    """Whether deals without escrow are allowed where there is no escrow provider."""

    direct_deals: bool


class DirectDealsState(ResponseModel):
    """Whether deals without escrow are allowed now."""

    direct_deals: bool


class CloseDeal(RequestModel):
    """An admin's record of how a disputed direct deal ended. It moves no money."""

    is_sold: bool
    reason: Reason


class OfferState(ResponseModel):
    """The offer after the change. `escrowId` is set once it was accepted."""

    id: UUID
    status: OfferStatus
    escrow_id: UUID | None = None


class EscrowState(ResponseModel):
    """The escrow or direct deal after the change."""

    id: UUID
    status: EscrowStatus


class TransferState(ResponseModel):
    """The transfer of the sold website after the change."""

    id: UUID = Field(description="Of the offer")
    status: TransferStatus | None
    website_id: UUID | None


class QuestionState(ResponseModel):
    """The question that was created or changed."""

    id: UUID


class SaveSearch(RequestModel):
    """Criteria for new listings, all of which must match. Prices are whole US dollars."""

    search: Plain = Field(default="", max_length=200)
    niche: Niche | None = None
    min_price: Dollars | None = None
    max_price: Dollars | None = None
    verified: bool = False


class SavedSearchState(ResponseModel):
    """The saved search that was created."""

    id: UUID


def offer_state(offer: Offer) -> OfferState:
    return OfferState(id=offer.id, status=offer.status, escrow_id=offer.escrow_id)


def escrow_state(deal: Deal) -> EscrowState:
    return EscrowState(id=deal.id, status=deal.status)
