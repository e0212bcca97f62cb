"""Request and response models of listings."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import Field

from command_api.kernel.http import RequestModel
from command_api.marketplace.fields import (
    MAX_MONEY,
    MAX_TEXT_LENGTH,
    MAX_TITLE_LENGTH,
    MAX_URL_LENGTH,
    Dollars,
    Name,
    Plain,
    Reason,
)
from command_api.marketplace.listings.details import ListingDetails
from command_api.marketplace.listings.model import CURRENCY, Listing
from schemas.base import Money
from schemas.currencies import digits
from schemas.events.marketplace import (
    ListingFigures,
    ListingStatus,
    Niche,
)
from schemas.http.responses import ResponseModel


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


class ReviewToken(RequestModel):
    """The token of a link to a review."""

    token: str = Field(min_length=20, max_length=200)


class ReviewInvite(ResponseModel):
    """The link for the reviewer. It is shown once."""

    id: UUID
    url: str
    expires_at: datetime


def money(dollars: int) -> Money:
    """Converts whole major units to money."""
    return Money(amount=dollars * 10 ** digits(CURRENCY), currency=CURRENCY)


def details_of(fields: ListingFields) -> ListingDetails:
    return ListingDetails(
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


def edited(details: ListingDetails, fields: EditListing) -> ListingDetails:
    """The details with those that the request names, also to empty them."""
    named, changed = fields.model_fields_set, details_of(fields)
    texts = {name: getattr(changed, name) for name in ("title", "website_url", "description") if name in named}
    figures = {name: getattr(changed.figures, name) for name in named & set(ListingFigures.model_fields)}
    return replace(details, **texts, figures=details.figures.model_copy(update=figures))


def listing_state(listing: Listing) -> ListingState:
    return ListingState(id=listing.id, status=listing.status, edition=listing.edition, images=list(listing.images))


def _money(dollars: int | None) -> Money | None:
    return money(dollars) if dollars is not None else None
