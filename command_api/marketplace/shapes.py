"""Bodies and answers of the marketplace's commands. Amounts are whole major units of US dollars, as people name prices;
answers give `edition` or `status`, everything else is read back by the GET calls."""

from __future__ import annotations

import re
from typing import Annotated, Final, Literal
from unicodedata import category
from uuid import UUID

from pydantic import AfterValidator, Field

from command_api.http import Answer, Body
from infra.hidden_signs import TURNING, checked_name
from schemas.events.deals import EscrowStatus, OfferStatus, Outcome
from schemas.events.marketplace import ListingStatus, Niche

MOST_TEXT: Final = 10_000
MOST_TITLE: Final = 120
MOST_URL: Final = 500
MOST_MONEY: Final = 10**12


_CONTROL: Final = re.compile(rf"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f{TURNING}]")
"""Among them those that turn the direction of the text that follows."""


def _plain(text: str) -> str:
    if _CONTROL.search(text):
        raise ValueError("A text holds no control characters")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _some(text: str) -> str:
    if all(category(sign)[0] in "CMZ" for sign in text):  # spaces, marks without a letter, and what nobody sees
        raise ValueError("Please write something")
    return text.strip()


Plain = Annotated[str, AfterValidator(_plain)]
Name = Annotated[Plain, AfterValidator(checked_name)]
Words = Annotated[Plain, Field(max_length=MOST_TEXT), AfterValidator(_some)]
Reason = Annotated[Plain, Field(max_length=2_000), AfterValidator(_some)]
Dollars = Annotated[int, Field(ge=0, le=MOST_MONEY)]
Price = Annotated[int, Field(ge=1, le=MOST_MONEY)]


class ListingFields(Body):
    """All of a listing as it is to be; a draft may leave anything out."""

    title: Name = Field(default="", max_length=MOST_TITLE)
    website_url: Name = Field(default="", max_length=MOST_URL)
    description: Plain = Field(default="", max_length=MOST_TEXT)
    niche: Niche | None = None
    asking_price: Dollars | None = None
    monthly_revenue: Dollars | None = None
    monthly_profit: Annotated[int, Field(ge=-MOST_MONEY, le=MOST_MONEY)] | None = None
    monthly_traffic: Annotated[int, Field(ge=0, le=10**12)] | None = None
    years_established: Annotated[float, Field(ge=0, le=100)] | None = None
    website_id: Annotated[UUID, Field(strict=False)] | None = None


class EditListing(ListingFields):
    """What is left out stays as it is; null and an empty text take away what was there."""

    edition: int = Field(ge=1, description="The one that you changed; 409 `changed_elsewhere` if there is a newer one")


class ListingState(Answer):
    id: UUID
    status: ListingStatus
    edition: int
    images: list[str]


class Reviewed(Body):
    edition: int = Field(ge=1, description="The one that you looked at")


class Because(Body):
    reason: Reason


class ImageOrder(Body):
    images: list[Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]] = Field(max_length=8)


class MakeOffer(Body):
    price: Price
    text: Plain = Field(default="", max_length=MOST_TEXT)


class AcceptOffer(Body):
    price: Price = Field(description="The one that you agree to; 409 `price_changed` if it is another now")


class Write(Body):
    text: Words


class Flag(Body):
    reason: Literal["spam", "abuse", "personal_data", "off_topic", "other"]


class Decide(Body):
    outcome: Outcome
    to_seller: Dollars | None = Field(default=None, description="Of a split; the rest goes back")
    reason: Reason


class OfferState(Answer):
    id: UUID
    status: OfferStatus
    escrow_id: UUID | None = None


class EscrowState(Answer):
    id: UUID
    status: EscrowStatus


class QuestionState(Answer):
    id: UUID


class SaveSearch(Body):
    search: Plain = Field(default="", max_length=200)
    niche: Niche | None = None
    min_price: Dollars | None = None
    max_price: Dollars | None = None
    verified: bool = False


class SavedSearchState(Answer):
    id: UUID
