"""Websites for sale: listings, questions, watchlists, saved searches, and deals of a buyer and a seller.

A deal is an offer with its private thread, and the escrow that holds the money. Money moves at the escrow provider
only; its confirmed messages say what happened. Without a provider an admin may allow direct deals: the two arrange the
payment themselves, and nothing is held.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import ClassVar, Literal
from uuid import UUID

from pydantic import Field

from schemas.base import DomainEvent, Frozen, Money, MoneySum, Personal

Niche = Literal["vpn", "hosting", "software", "finance", "health", "education", "ecommerce"]
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
Side = Literal["buyer", "seller"]
TransferStatus = Literal["proposed", "withdrawn", "declined", "accepted"]
OfferStatus = Literal["sent", "countered", "accepted", "declined", "withdrawn", "expired"]
EscrowStatus = Literal[
    "agreed",
    "funded",
    "delivered",
    "inspecting",
    "accepted",
    "disputed",
    "released",
    "refunded",
    "cancelled",
    "confirmed",
    "completed",
]
"""`confirmed` (by one side) and `completed` are those of direct deals alone."""
Outcome = Literal["release", "refund", "split"]


class ListingFigures(Frozen):
    """What the seller states besides texts. Optional in a draft."""

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


class _ListingContent(Frozen):
    """All content of a listing."""

    SUBJECT: ClassVar[str] = "seller_id"
    seller_id: UUID
    title: Personal[str]
    website_url: Personal[str]
    description: Personal[str]
    figures: ListingFigures


class ListingDrafted(_ListingContent, DomainEvent):
    """A member started a listing."""

    NAME: ClassVar[str] = "listing.drafted"


class ListingEdited(_ListingContent, DomainEvent):
    """The seller changed the listing; contains all of its current content."""

    NAME: ClassVar[str] = "listing.edited"


class ListingImagesChanged(DomainEvent):
    """The listing has these images, in this order, named by the hash of their content."""

    NAME: ClassVar[str] = "listing.images_changed"
    images: list[str] = Field(max_length=8)


class ListingSubmitted(DomainEvent):
    """The listing is pending review; until approval only the seller and admins see it."""

    NAME: ClassVar[str] = "listing.submitted"


class ListingReviewerInvited(DomainEvent):
    """The seller, an admin, made a link that lets one other member review this listing; the previous one ends."""

    NAME: ClassVar[str] = "listing.reviewer_invited"
    key_hash: str = Field(pattern="^[0-9a-f]{64}$", description="SHA-256 of the link's token")
    expires_at: datetime


class ListingReviewerJoined(DomainEvent):
    """A member opened the link: until the review ends, they may review this listing, and no other."""

    NAME: ClassVar[str] = "listing.reviewer_joined"
    seller_id: UUID
    reviewer_id: UUID


class ListingApproved(DomainEvent):
    """An admin or the invited reviewer approved the listing; it is live."""

    NAME: ClassVar[str] = "listing.approved"
    seller_id: UUID
    expires_at: datetime
    by_reviewer: bool = Field(default=False, description="The actor is the invited reviewer")


class ListingRejected(DomainEvent):
    """An admin or the invited reviewer rejected the listing; the seller may change and resubmit it."""

    NAME: ClassVar[str] = "listing.rejected"
    SUBJECT: ClassVar[str] = "seller_id"
    seller_id: UUID | None = Field(default=None, description="None: from before the reason was encrypted")
    reason: Personal[str] = Field(max_length=2_000)
    by_reviewer: bool = Field(default=False, description="The actor is the invited reviewer")


class ListingSuspended(DomainEvent):
    """An admin took the listing offline."""

    NAME: ClassVar[str] = "listing.suspended"
    SUBJECT: ClassVar[str] = "seller_id"
    seller_id: UUID | None = Field(default=None, description="None: from before the reason was encrypted")
    reason: Personal[str] = Field(max_length=2_000)


class ListingResumed(DomainEvent):
    """An admin put the listing online again."""

    NAME: ClassVar[str] = "listing.resumed"


class ListingWithdrawn(DomainEvent):
    """The seller withdrew the listing."""

    NAME: ClassVar[str] = "listing.withdrawn"


class ListingExpired(DomainEvent):
    """The listing's period ended; the seller may submit it again."""

    NAME: ClassVar[str] = "listing.expired"


class ListingReserved(DomainEvent):
    """An offer or a counter-offer was accepted: no other can be accepted now."""

    NAME: ClassVar[str] = "listing.reserved"
    offer_id: UUID
    buyer_id: UUID


class ListingFreed(DomainEvent):
    """The deal failed; the listing is for sale again."""

    NAME: ClassVar[str] = "listing.freed"
    offer_id: UUID


class ListingInEscrow(DomainEvent):
    """The escrow provider has the buyer's money."""

    NAME: ClassVar[str] = "listing.in_escrow"
    offer_id: UUID


class ListingSold(DomainEvent):
    """The deal is complete: the provider has paid the seller, or both sides of a direct deal have confirmed."""

    NAME: ClassVar[str] = "listing.sold"
    seller_id: UUID
    offer_id: UUID


class ListingVerificationAsked(DomainEvent):
    """The seller requested a comparison of the stated figures with the measurements."""

    NAME: ClassVar[str] = "listing.verification_asked"


class ListingVerified(DomainEvent):
    """The website's log was evaluated: its measured numbers by month, at most twelve."""

    NAME: ClassVar[str] = "listing.verified"
    website_id: UUID
    as_of: datetime
    months: list[MeasuredMonth] = Field(max_length=12)
    monthly_traffic: int = Field(description="Visitors a month, on the average of these months")
    monthly_revenue: MoneySum | None = Field(description="In the listing's currency; none: there is no exchange rate")
    traffic_difference: float | None = Field(description="Stated above (+) or below (-) the measured, percent")
    revenue_difference: float | None = Field(description="Stated above (+) or below (-) the measured, percent")
    domain_proven: bool = Field(
        default=False, description="The domain's DNS record was found; false: from before that rule"
    )
    share: MeasuredShare | None = Field(default=None, description="None: from before it was counted")


class ListingNotVerified(DomainEvent):
    """The figures cannot be verified: the website was removed, has another owner, its domain is not proven, or it was
    not measured for a whole month."""

    NAME: ClassVar[str] = "listing.not_verified"
    reason: Literal["no_website", "no_whole_month", "domain_not_proven"]


class QuestionAsked(DomainEvent):
    """A member asked a public question about a listing."""

    NAME: ClassVar[str] = "listing_question.asked"
    SUBJECT: ClassVar[str] = "author_id"
    listing_id: UUID
    seller_id: UUID
    author_id: UUID
    text: Personal[str]


class QuestionAnswered(DomainEvent):
    """The seller answered; a later answer replaces the previous one."""

    NAME: ClassVar[str] = "listing_question.answered"
    SUBJECT: ClassVar[str] = "author_id"
    author_id: UUID
    text: Personal[str]


class QuestionFlagged(DomainEvent):
    """A member reported the question."""

    NAME: ClassVar[str] = "listing_question.flagged"
    reason: Literal["spam", "abuse", "personal_data", "off_topic", "other"]


class QuestionHidden(DomainEvent):
    """An admin hid the question."""

    NAME: ClassVar[str] = "listing_question.hidden"
    reason: str = Field(max_length=2_000)


class QuestionRestored(DomainEvent):
    """An admin found no violation; the question is shown, and earlier reports do not count."""

    NAME: ClassVar[str] = "listing_question.restored"


class SearchCriteria(Frozen):
    """Filters of a saved search without its text; money in major units of US dollars, as in the query of the list."""

    niche: Niche | None = None
    min_price: int | None = Field(default=None, ge=0, le=10**12)
    max_price: int | None = Field(default=None, ge=0, le=10**12)
    verified: bool = False


class SearchSaved(DomainEvent):
    """A member subscribed to emails about matching new listings."""

    NAME: ClassVar[str] = "saved_search.saved"
    SUBJECT: ClassVar[str] = "account_id"
    account_id: UUID
    search: Personal[str]
    criteria: SearchCriteria


class SavedSearchEnded(DomainEvent):
    """The emails of the saved search ended."""

    NAME: ClassVar[str] = "saved_search.ended"
    way: Literal["page", "one_click", "erased"]


class WatchBegan(DomainEvent):
    """A member watches a listing."""

    NAME: ClassVar[str] = "listing_watch.began"
    account_id: UUID
    listing_id: UUID


class WatchEnded(DomainEvent):
    """A member no longer watches the listing."""

    NAME: ClassVar[str] = "listing_watch.ended"


class OfferSent(DomainEvent):
    """A member offers a price for a listed website."""

    NAME: ClassVar[str] = "offer.sent"
    SUBJECT: ClassVar[str] = "author_id"
    listing_id: UUID
    seller_id: UUID
    buyer_id: UUID
    author_id: UUID
    price: Money
    text: Personal[str]
    expires_at: datetime


class OfferCountered(DomainEvent):
    """The other side proposes another price; now it is the first side's turn."""

    NAME: ClassVar[str] = "offer.countered"
    SUBJECT: ClassVar[str] = "author_id"
    author_id: UUID
    side: Side
    price: Money
    text: Personal[str]
    expires_at: datetime


class OfferMessageSent(DomainEvent):
    """One of the two sides, or in a dispute an admin, wrote in the offer's thread."""

    NAME: ClassVar[str] = "offer.message_sent"
    SUBJECT: ClassVar[str] = "author_id"
    author_id: UUID
    side: Literal["buyer", "seller", "admin"]
    text: Personal[str]


class OfferAccepted(DomainEvent):
    """Both agree on the price."""

    NAME: ClassVar[str] = "offer.accepted"
    escrow_id: UUID = Field(description="Of the escrow or the direct deal")
    side: Side
    is_direct: bool = Field(default=False, description="A direct deal: nothing is held in escrow")


class OfferDeclined(DomainEvent):
    """The side whose turn it was declined the offer."""

    NAME: ClassVar[str] = "offer.declined"
    side: Side


class OfferWithdrawn(DomainEvent):
    """The buyer withdrew the offer."""

    NAME: ClassVar[str] = "offer.withdrawn"


class OfferExpired(DomainEvent):
    """There was no answer in time, or the listing was sold to another buyer."""

    NAME: ClassVar[str] = "offer.expired"


class TransferProposed(DomainEvent):
    """After the sale the seller agreed that the website moves to the buyer; the buyer has to agree, too."""

    NAME: ClassVar[str] = "offer.transfer_proposed"
    website_id: UUID


class TransferWithdrawn(DomainEvent):
    """The seller no longer agrees that the website moves."""

    NAME: ClassVar[str] = "offer.transfer_withdrawn"


class TransferDeclined(DomainEvent):
    """The buyer does not want the website with its history to move."""

    NAME: ClassVar[str] = "offer.transfer_declined"


class TransferAccepted(DomainEvent):
    """The buyer agreed: the website belongs to the buyer from now on."""

    NAME: ClassVar[str] = "offer.transfer_accepted"
    website_id: UUID


class EscrowAgreed(DomainEvent):
    """Price and sides are fixed; the buyer has yet to pay the provider."""

    NAME: ClassVar[str] = "escrow.agreed"
    offer_id: UUID
    listing_id: UUID
    seller_id: UUID
    buyer_id: UUID
    price: Money
    pay_until: datetime


class EscrowOpened(DomainEvent):
    """The provider created a transaction, and a page where the buyer pays."""

    NAME: ClassVar[str] = "escrow.opened"
    reference: str = Field(max_length=200, description="The provider's id")
    payment_url: str = Field(max_length=2_000)
    is_trial: bool = Field(default=False, description="The provider is a sandbox: no money moves")


class EscrowFunded(DomainEvent):
    """The provider has the buyer's money."""

    NAME: ClassVar[str] = "escrow.funded"
    reference: str = Field(max_length=200)
    is_late: bool = Field(default=False, description="The deal was cancelled before: the money is returned")


class EscrowDelivered(DomainEvent):
    """The seller reported that the website is handed over."""

    NAME: ClassVar[str] = "escrow.delivered"
    inspect_from: datetime = Field(description="When the inspection begins without the buyer's confirmation")


class EscrowInspectionBegan(DomainEvent):
    """The buyer has the website and inspects it until the given time."""

    NAME: ClassVar[str] = "escrow.inspection_began"
    until: datetime


class EscrowAccepted(DomainEvent):
    """The buyer accepted, or did not respond in time: the provider is requested to pay the seller."""

    NAME: ClassVar[str] = "escrow.accepted"


class EscrowDisputed(DomainEvent):
    """One side opened a dispute; an admin reads the thread and decides."""

    NAME: ClassVar[str] = "escrow.disputed"
    SUBJECT: ClassVar[str] = "author_id"
    author_id: UUID
    side: Side
    text: Personal[str]


class EscrowDecided(DomainEvent):
    """An admin decided the dispute and its amounts. The provider is requested to pay."""

    NAME: ClassVar[str] = "escrow.decided"
    outcome: Outcome
    to_seller: Money
    to_buyer: Money
    reason: str = Field(max_length=2_000)


class EscrowReleased(DomainEvent):
    """The provider paid the seller, and in a split refunded the buyer's part."""

    NAME: ClassVar[str] = "escrow.released"
    to_seller: Money
    to_buyer: Money


class EscrowRefunded(DomainEvent):
    """The provider refunded the full amount to the buyer."""

    NAME: ClassVar[str] = "escrow.refunded"


class EscrowCancelled(DomainEvent):
    """The escrow ended before the buyer paid."""

    NAME: ClassVar[str] = "escrow.cancelled"
    side: Side | None = Field(description="None: the payment deadline passed")


class DirectDealsSwitched(DomainEvent):
    """An admin allowed or ended deals without escrow. Deals that were agreed before continue."""

    NAME: ClassVar[str] = "direct_deals.switched"
    is_allowed: bool


class DirectDealAgreed(DomainEvent):
    """Price and sides are fixed; the two arrange payment and transfer themselves."""

    NAME: ClassVar[str] = "direct_deal.agreed"
    offer_id: UUID
    listing_id: UUID
    seller_id: UUID
    buyer_id: UUID
    price: Money
    confirm_until: datetime = Field(description="When the deal ends if no side has confirmed")


class DirectDealConfirmed(DomainEvent):
    """One side states that money and website were handed over."""

    NAME: ClassVar[str] = "direct_deal.confirmed"
    side: Side


class DirectDealReminded(DomainEvent):
    """One side confirmed and the other did not respond: it was asked again."""

    NAME: ClassVar[str] = "direct_deal.reminded"
    side: Side = Field(description="Which has to respond")
    complete_at: datetime = Field(description="When the website counts as sold unless it disputes")


class DirectDealCompleted(DomainEvent):
    """Both sides have confirmed, or one has and the other did not respond in time."""

    NAME: ClassVar[str] = "direct_deal.completed"
    is_automatic: bool = Field(default=False, description="The other side did not respond")


class DirectDealDisputed(DomainEvent):
    """One side opened a dispute: an admin reads the thread and records the end. There is no money to move."""

    NAME: ClassVar[str] = "direct_deal.disputed"
    SUBJECT: ClassVar[str] = "author_id"
    author_id: UUID
    side: Side
    text: Personal[str]


class DirectDealClosed(DomainEvent):
    """An admin recorded how a disputed deal ended. It moves no money."""

    NAME: ClassVar[str] = "direct_deal.closed"
    is_sold: bool
    reason: str = Field(max_length=2_000)


class DirectDealCancelled(DomainEvent):
    """The deal ended before any side confirmed."""

    NAME: ClassVar[str] = "direct_deal.cancelled"
    side: Side | None = Field(description="None: nobody confirmed in time")
