"""Websites for sale: listings, what is asked about them, who watches them and who wants to hear of new ones.

What happens between a buyer and a seller is in `deals`.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import ClassVar, Literal, get_args
from uuid import UUID

from pydantic import Field

from schemas.base import DomainEvent, Frozen, Money, MoneySum, Personal

Niche = Literal["vpn", "hosting", "software", "finance", "health", "education", "ecommerce"]
NICHES: tuple[Niche, ...] = get_args(Niche)
ListingStatus = Literal[
    "draft",
    "in_review",
    "active",
    "under_offer",
    "in_escrow",
    "sold",
    "rejected",
    "suspended",
    "withdrawn",
    "expired",
]


class ListingFigures(Frozen):
    """What a seller claims, apart from texts. A draft may leave out anything."""

    niche: Niche | None = None
    asking_price: Money | None = None
    monthly_revenue: Money | None = None
    monthly_profit: Money | None = None
    monthly_traffic: int | None = Field(default=None, ge=0, le=2**53, description="Visitors a month")
    years_established: float | None = Field(default=None, ge=0, le=100)
    website_id: UUID | None = Field(default=None, description="The seller's website here that is for sale")


class MeasuredMonth(Frozen):
    """One whole month of a website, as measured here."""

    month: date = Field(description="Its first day")
    visitors: int = Field(description="The sum of the days' distinct visitors")
    pageviews: int
    revenue: MoneySum = Field(description="Commission of its conversions, in the website's currency")


class MeasuredShare(Frozen):
    """How much of what the log holds about the last twelve whole months was measured as it happened."""

    months: int = Field(ge=0, le=12, description="Months with measured page views")
    months_in_log: int = Field(ge=0, le=12, description="Months with page views of any origin")
    traffic: float = Field(ge=0, le=100, description="Percent of the page views")
    revenue: float | None = Field(ge=0, le=100, description="Percent of the commission; none: there is no commission")


class ListingDrafted(DomainEvent):
    """Somebody began to write a listing."""

    NAME: ClassVar[str] = "listing.drafted"
    SUBJECT: ClassVar[str] = "seller_id"
    seller_id: UUID
    title: Personal[str]
    website_url: Personal[str]
    description: Personal[str]
    figures: ListingFigures


class ListingEdited(DomainEvent):
    """The seller changed it; holds all of it as it is now."""

    NAME: ClassVar[str] = "listing.edited"
    SUBJECT: ClassVar[str] = "seller_id"
    seller_id: UUID
    title: Personal[str]
    website_url: Personal[str]
    description: Personal[str]
    figures: ListingFigures


class ListingImagesChanged(DomainEvent):
    """It has these images, in this order, named by the hash of what they hold."""

    NAME: ClassVar[str] = "listing.images_changed"
    images: list[str] = Field(max_length=8)


class ListingSubmitted(DomainEvent):
    """It waits for an admin to look at it; until then nobody else sees it."""

    NAME: ClassVar[str] = "listing.submitted"


class ListingApproved(DomainEvent):
    """An admin let it go live."""

    NAME: ClassVar[str] = "listing.approved"
    seller_id: UUID
    expires_at: datetime


class ListingRejected(DomainEvent):
    """An admin sent it back; the seller may change it and try again."""

    NAME: ClassVar[str] = "listing.rejected"
    SUBJECT: ClassVar[str] = "seller_id"
    seller_id: UUID | None = Field(default=None, description="None: from before the reason was encrypted")
    reason: Personal[str] = Field(max_length=2_000)


class ListingSuspended(DomainEvent):
    """An admin took it offline."""

    NAME: ClassVar[str] = "listing.suspended"
    SUBJECT: ClassVar[str] = "seller_id"
    seller_id: UUID | None = Field(default=None, description="None: from before the reason was encrypted")
    reason: Personal[str] = Field(max_length=2_000)


class ListingResumed(DomainEvent):
    """An admin put it online again."""

    NAME: ClassVar[str] = "listing.resumed"


class ListingWithdrawn(DomainEvent):
    """The seller took it back."""

    NAME: ClassVar[str] = "listing.withdrawn"


class ListingExpired(DomainEvent):
    """It was online for as long as a listing is; the seller may submit it anew."""

    NAME: ClassVar[str] = "listing.expired"


class ListingReserved(DomainEvent):
    """The seller accepted an offer, or a buyer the seller's: no other can be accepted now."""

    NAME: ClassVar[str] = "listing.reserved"
    offer_id: UUID
    buyer_id: UUID


class ListingFreed(DomainEvent):
    """The deal came to nothing; it is for sale again."""

    NAME: ClassVar[str] = "listing.freed"
    offer_id: UUID


class ListingInEscrow(DomainEvent):
    """The buyer's money lies with the escrow provider."""

    NAME: ClassVar[str] = "listing.in_escrow"
    offer_id: UUID


class ListingSold(DomainEvent):
    """The seller has the money."""

    NAME: ClassVar[str] = "listing.sold"
    seller_id: UUID
    offer_id: UUID


class ListingVerificationAsked(DomainEvent):
    """The seller wants the claims compared with what was measured here."""

    NAME: ClassVar[str] = "listing.verification_asked"


class ListingVerified(DomainEvent):
    """The website's own log was read: what it really had, month by month, at most twelve."""

    NAME: ClassVar[str] = "listing.verified"
    website_id: UUID
    as_of: datetime
    months: list[MeasuredMonth] = Field(max_length=12)
    monthly_traffic: int = Field(description="Visitors a month, on the average of these months")
    monthly_revenue: MoneySum | None = Field(description="In the listing's currency; none: there is no exchange rate")
    traffic_difference: float | None = Field(description="Claim above (+) or below (-) the measured, percent")
    revenue_difference: float | None = Field(description="Claim above (+) or below (-) the measured, percent")
    domain_proven: bool = Field(
        default=False, description="The domain's DNS record was found; false: from before that was asked for"
    )
    share: MeasuredShare | None = Field(default=None, description="None: from before it was counted")


class ListingNotVerified(DomainEvent):
    """Nothing can be said of the claims: the website is gone, is another's, its domain is not proven, or it was not
    measured for a whole month."""

    NAME: ClassVar[str] = "listing.not_verified"
    reason: Literal["no_website", "no_whole_month", "domain_not_proven"]


class QuestionAsked(DomainEvent):
    """A member asked about a listing, for everybody to see."""

    NAME: ClassVar[str] = "listing_question.asked"
    SUBJECT: ClassVar[str] = "author_id"
    listing_id: UUID
    seller_id: UUID
    author_id: UUID
    text: Personal[str]


class QuestionAnswered(DomainEvent):
    """The seller answered; a later answer replaces the one before."""

    NAME: ClassVar[str] = "listing_question.answered"
    SUBJECT: ClassVar[str] = "author_id"
    author_id: UUID
    text: Personal[str]


class QuestionFlagged(DomainEvent):
    """A member thinks that it should not be here."""

    NAME: ClassVar[str] = "listing_question.flagged"
    reason: Literal["spam", "abuse", "personal_data", "off_topic", "other"]


class QuestionHidden(DomainEvent):
    """An admin hid it."""

    NAME: ClassVar[str] = "listing_question.hidden"
    reason: str = Field(max_length=2_000)


class QuestionRestored(DomainEvent):
    """An admin found nothing wrong with it; it is shown, and flags until now do not count."""

    NAME: ClassVar[str] = "listing_question.restored"


class SearchCriteria(Frozen):
    """What somebody looks for, apart from words; money in major units of US dollars, as the list takes it."""

    niche: Niche | None = None
    min_price: int | None = Field(default=None, ge=0, le=10**12)
    max_price: int | None = Field(default=None, ge=0, le=10**12)
    verified: bool = False


class SearchSaved(DomainEvent):
    """A member wants to hear by mail of new listings like this."""

    NAME: ClassVar[str] = "saved_search.saved"
    SUBJECT: ClassVar[str] = "account_id"
    account_id: UUID
    search: Personal[str]
    criteria: SearchCriteria


class SavedSearchEnded(DomainEvent):
    """No more of these mails."""

    NAME: ClassVar[str] = "saved_search.ended"
    way: Literal["page", "one_click", "erased"]


class WatchBegan(DomainEvent):
    """A member keeps an eye on a listing."""

    NAME: ClassVar[str] = "listing_watch.began"
    account_id: UUID
    listing_id: UUID


class WatchEnded(DomainEvent):
    """It is off the member's list."""

    NAME: ClassVar[str] = "listing_watch.ended"
