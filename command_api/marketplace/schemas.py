"""Bodies and answers of the marketplace's commands. Amounts are whole major units of US dollars, as people name prices;
answers give `edition` or `status`, everything else is read back by the GET calls."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime
from typing import Annotated, Final, Literal
from unicodedata import category
from uuid import UUID

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from command_api.kernel.http import RequestModel
from command_api.marketplace.claims import ListingClaims
from command_api.marketplace.direct_deals import DirectDeal
from command_api.marketplace.escrow import Escrow
from command_api.marketplace.listings import CURRENCY, Listing
from command_api.marketplace.offers import Offer
from command_api.marketplace.questions import FlagReason
from infra.kernel.text.hidden_characters import DIRECTION_MARKS, checked_name
from schemas.base import Money
from schemas.currencies import digits
from schemas.events.marketplace import (
    EscrowStatus,
    ListingFigures,
    ListingStatus,
    Niche,
    OfferStatus,
    Outcome,
    TransferStatus,
)
from schemas.http.responses import ResponseModel

MAX_TEXT_LENGTH: Final = 10_000
MAX_TITLE_LENGTH: Final = 120
MAX_URL_LENGTH: Final = 500
MAX_MONEY: Final = 10**12


_CONTROL: Final = re.compile(rf"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f{DIRECTION_MARKS}]")
"""Among them those that turn the direction of the text that follows."""


def _plain(text: str) -> str:
    if _CONTROL.search(text):
        raise ValueError("Text must not contain control characters")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _not_blank(text: str) -> str:
    if all(category(sign)[0] in "CMZ" for sign in text):  # spaces, marks without a letter, and what nobody sees
        raise ValueError("Please enter a text")
    return text.strip()


Plain = Annotated[str, AfterValidator(_plain)]
Name = Annotated[Plain, AfterValidator(checked_name)]
Words = Annotated[Plain, Field(max_length=MAX_TEXT_LENGTH), AfterValidator(_not_blank)]
Reason = Annotated[Plain, Field(max_length=2_000), AfterValidator(_not_blank)]
Dollars = Annotated[int, Field(ge=0, le=MAX_MONEY)]
Price = Annotated[int, Field(ge=1, le=MAX_MONEY)]


class ListingFields(RequestModel):
    """All of a listing as it is to be; a draft may leave anything out."""

    title: Name = Field(default="", max_length=MAX_TITLE_LENGTH)
    website_url: Name = Field(default="", max_length=MAX_URL_LENGTH)
    description: Plain = Field(default="", max_length=MAX_TEXT_LENGTH)
    niche: Niche | None = None
    asking_price: Dollars | None = None
    monthly_revenue: Dollars | None = None
    monthly_profit: Annotated[int, Field(ge=-MAX_MONEY, le=MAX_MONEY)] | None = None
    monthly_traffic: Annotated[int, Field(ge=0, le=10**12)] | None = None
    years_established: Annotated[float, Field(ge=0, le=100)] | None = None
    website_id: Annotated[UUID, Field(strict=False)] | None = None


class EditListing(ListingFields):
    """Omitted fields stay unchanged; null and an empty text delete the stored value."""

    edition: int = Field(ge=1, description="The one that you changed; 409 `changed_elsewhere` if there is a newer one")


class ListingState(ResponseModel):
    """The listing after the change. The next edit must name this `edition`."""

    id: UUID
    status: ListingStatus
    edition: int
    images: list[str]


class Reviewed(RequestModel):
    """The edition that was reviewed; 409 `changed_elsewhere` if the seller has changed the listing since."""

    edition: int = Field(ge=1, description="The edition that you reviewed")


class Because(RequestModel):
    """Why the admin decides so."""

    reason: Reason


class ImageOrder(RequestModel):
    """Hashes of the listing's images in their new order. An image that is left out is removed."""

    images: list[Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]] = Field(max_length=8)


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


class Decide(RequestModel):
    """An admin's decision of a dispute. Amounts are whole US dollars."""

    outcome: Outcome
    to_seller: Dollars | None = Field(default=None, description="Of a split; the rest goes back")
    reason: Reason


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


class ReviewToken(RequestModel):
    """The token of a link to a review."""

    token: str = Field(min_length=20, max_length=200)


class ReviewInvite(ResponseModel):
    """The link for the reviewer. It is shown once."""

    id: UUID
    url: str
    expires_at: datetime


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


class MessageType(BaseModel):
    """The field that every message of the escrow provider has."""

    model_config = ConfigDict(frozen=True)

    type: str


class TransactionData(BaseModel):
    """Status of a transaction; unknown fields are ignored."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True)

    id: str = Field(max_length=200)
    reference: UUID
    amount: int = Field(ge=0, le=2**53)
    currency: str = Field(pattern="^[A-Z]{3}$")
    to_seller: int = 0
    to_buyer: int = 0


class TransactionMessage(MessageType):
    """A message that changes an escrow; every other type is acknowledged and ignored."""

    type: Literal["transaction.funded", "transaction.settled"]
    data: TransactionData


def money(dollars: int) -> Money:
    """Whole major units as money."""
    return Money(amount=dollars * 10 ** digits(CURRENCY), currency=CURRENCY)


def claims_of(fields: ListingFields) -> ListingClaims:
    return ListingClaims(
        title=" ".join(fields.title.split()),
        website_url=fields.website_url.strip(),
        description=fields.description.strip(),
        figures=ListingFigures(
            niche=fields.niche,
            asking_price=_money(fields.asking_price),
            monthly_revenue=_money(fields.monthly_revenue),
            monthly_profit=_money(fields.monthly_profit),
            monthly_traffic=fields.monthly_traffic,
            years_established=round(fields.years_established, 1) if fields.years_established is not None else None,
            website_id=fields.website_id,
        ),
    )


def claims_after(claims: ListingClaims, fields: EditListing) -> ListingClaims:
    """The claims with those that the request names, also to empty them."""
    named, changed = fields.model_fields_set, claims_of(fields)
    texts = {name: getattr(changed, name) for name in ("title", "website_url", "description") if name in named}
    figures = {name: getattr(changed.figures, name) for name in named & set(ListingFigures.model_fields)}
    return replace(claims, **texts, figures=claims.figures.model_copy(update=figures))


def listing_state(listing: Listing) -> ListingState:
    return ListingState(id=listing.id, status=listing.status, edition=listing.edition, images=list(listing.images))


def offer_state(offer: Offer) -> OfferState:
    return OfferState(id=offer.id, status=offer.status, escrow_id=offer.escrow_id)


def escrow_state(escrow: Escrow | DirectDeal) -> EscrowState:
    return EscrowState(id=escrow.id, status=escrow.status)


def _money(dollars: int | None) -> Money | None:
    return money(dollars) if dollars is not None else None
