"""What the marketplace's reads answer. In the specification's own list money is in major units, elsewhere in minor."""

from __future__ import annotations

from datetime import date, datetime
from typing import Literal
from uuid import UUID

from pydantic import BaseModel, Field

from query_api.kernel.money import Amount
from query_api.kernel.responses import RowModel
from schemas.events.marketplace import EscrowStatus, ListingStatus, Niche, OfferStatus, Outcome, Side, TransferStatus

Verification = Literal["verified", "overstated", "pending"]
"""Overstated: it was measured, and a claim is too far above what was measured."""
NextStep = Literal[
    "none", "answer", "wait", "pay", "wait_for_payment", "deliver", "wait_for_delivery", "confirm_receipt", "inspect",
    "wait_for_inspection", "wait_for_decision", "wait_for_payout", "confirm_handover", "wait_for_confirmation",
]  # fmt: skip


EscrowKind = Literal["none", "trial", "real", "direct"]
"""What an accepted offer begins: nothing can be accepted, an escrow without money, an escrow, a direct deal."""


class DealTerms(BaseModel):
    """How deals are made here."""

    escrowKind: EscrowKind = Field(description="direct: without escrow; the two arrange the payment themselves")
    directDeals: bool = Field(description="Whether an admin allows deals without escrow where there is no provider")


class Listing(RowModel):
    """A website for sale. Amounts in major units of US dollars."""

    id: UUID
    title: str
    websiteUrl: str
    description: str = Field(description="In lists its first 500 characters")
    niche: Niche | None
    status: ListingStatus
    askingPrice: float | None
    monthlyRevenue: float | None
    monthlyProfit: float | None
    monthlyTraffic: int | None
    yearsEstablished: float | None
    verificationStatus: Verification
    createdAt: datetime
    image: str | None = Field(description="URL of the first image")


class Image(BaseModel):
    """An image of a listing. `hash`: SHA-256 of the file, which names it in commands."""

    hash: str
    url: str


class MeasuredMonth(RowModel):
    """One month of measured figures, in the website's time zone."""

    month: date = Field(description="Its first day")
    visitors: int
    pageviews: int
    revenue: Amount


class MeasuredShare(RowModel):
    """How much of what the log holds about the last twelve whole months was measured as it happened; the rest was
    imported or back-filled by the seller and is in no figure."""

    months: int = Field(description="Whole months with measured page views")
    monthsInLog: int = Field(description="Months with page views of any origin")
    traffic: float = Field(description="Percent of the page views")
    revenue: float | None = Field(description="Percent of the commission; null: there is none")


class VerifiedFigures(BaseModel):
    """What the website's own log says, and how far the seller's claims are from it."""

    asOf: datetime
    provenDomain: str = Field(description="The seller published the verification record in this domain's DNS")
    share: MeasuredShare
    months: list[MeasuredMonth] = Field(description="Whole months, oldest first, at most twelve")
    monthlyTraffic: int
    monthlyRevenue: Amount | None = Field(description="Null: there is no exchange rate into the listing's currency")
    tolerancePercent: int = Field(description="How far a verified claim may be above what was measured")
    trafficOverstated: bool = Field(description="The claim is further above")
    revenueOverstated: bool
    trafficDifference: float | None = Field(description="Percent; +12.5: the claim is above what was measured")
    revenueDifference: float | None


class Seller(RowModel):
    """A member as others see them: never with an address."""

    id: UUID
    name: str
    memberSince: datetime
    activeListings: int
    verifiedListings: int = Field(description="Listings for sale whose claims are verified by tracked data")
    soldListings: int


class ListingInFull(Listing):
    """`isMine`, `isWatched`, `myOffer`: for who is signed in."""

    currency: str
    images: list[Image]
    seller: Seller
    verification: VerifiedFigures | None
    verificationNote: Literal["asked", "no_website", "no_whole_month", "domain_not_proven"] | None = Field(
        description="Why it is pending; null: not requested"
    )
    publishedAt: datetime | None
    expiresAt: datetime | None
    isMine: bool
    isWatched: bool
    myOffer: UUID | None = Field(description="My open offer, or the one that was accepted")
    websiteId: UUID | None = Field(description="For the seller alone")
    edition: int | None = Field(description="For the seller, admins and the invited reviewer: send it with a change")
    isReviewer: bool = Field(description="You are invited to review it")
    hasReviewer: bool = Field(description="For the seller: a member took the link to the review")
    reason: str | None = Field(description="For the seller and admins: why it was rejected or suspended")


class ListingStep(RowModel):
    """One event of the history."""

    number: int
    kind: str = Field(description="Name of the event")
    by: Literal["buyer", "seller", "admin", "reviewer", "system", "provider"]
    at: datetime
    detail: str = Field(description="Price, reason or the like; may be empty")


class Question(RowModel):
    """A question about a listing, with the seller's answer."""

    id: UUID
    authorName: str
    text: str
    askedAt: datetime
    answer: str | None
    answeredAt: datetime | None
    isMine: bool
    isHidden: bool
    flags: int | None = Field(description="For admins")


class FlaggedQuestion(Question):
    """A question that members reported, and its listing."""

    listingId: UUID


class Escrow(RowModel):
    """The money of one deal, and the deadlines that apply to it. Of a direct deal: what the two have confirmed."""

    id: UUID
    status: EscrowStatus
    price: Amount
    isDirect: bool = Field(description="Without escrow: nothing is held")
    buyerConfirmedAt: datetime | None = Field(description="Of a direct deal")
    sellerConfirmedAt: datetime | None
    payUntil: datetime = Field(description="Of a direct deal: when it ends if no side has confirmed")
    paymentUrl: str | None = Field(description="For the buyer, until it is paid; null: not there yet")
    inspectFrom: datetime | None = Field(description="When the inspection begins unless the buyer starts it")
    inspectUntil: datetime | None = Field(
        description="When the delivery counts as accepted; of a direct deal that one side confirmed: as sold"
    )
    disputedBy: Side | None
    disputeText: str | None
    outcome: Outcome | None
    decisionReason: str | None
    toSeller: Amount | None
    toBuyer: Amount | None


class Offer(RowModel):
    """An offer at its latest price, as one side sees it."""

    id: UUID
    listingId: UUID
    listingTitle: str | None = Field(description="Null: the listing is no longer visible to you")
    listingStatus: ListingStatus | None
    side: Literal["buyer", "seller", "admin"] = Field(description="Which one you are")
    otherName: str
    status: OfferStatus
    price: Amount
    turn: Side | None = Field(description="Who can accept, decline or counter")
    isOnHold: bool = Field(description="Another offer was accepted; open again if that deal fails")
    expiresAt: datetime
    createdAt: datetime
    updatedAt: datetime
    escrowStatus: EscrowStatus | None


class TransferContent(RowModel):
    """What belongs to the website now, and becomes of it when it moves to the buyer."""

    sites: int = Field(description="Sites of the website builder: move as they are, without earlier versions")
    subscribers: int = Field(description="Of the newsletters of these sites: move")
    links: int = Field(description="Move, and go on redirecting")
    siteKeys: int = Field(description="Public keys: go on working")
    secretKeys: int = Field(description="Secret keys and postback tokens: end, the buyer makes new ones")
    domains: list[str] = Field(description="Verified custom domains: move")
    unverifiedDomains: int = Field(description="Are removed")
    partners: list[str] = Field(description="The seller's own partners that its links lead to: move")
    channels: int = Field(description="Social channels: move, with their posts")
    connections: int = Field(description="Connections of channels to their networks: end, the buyer connects them")
    conversions: int = Field(description="Move, with their commissions")
    payouts: int = Field(description="Recorded payouts: move, without the seller's files")
    files: int = Field(description="Files of payouts: are deleted")
    views: int = Field(description="Saved views of the website: are deleted")
    reports: int = Field(description="The seller's reports by email about it: end")


class Transfer(RowModel):
    """The transfer of a sold website with its measured history, as one of the two sides sees it."""

    status: TransferStatus | None = Field(description="Null: the seller has not offered it")
    side: Side
    canPropose: bool = Field(description="The listing names a website that the seller has here")
    websiteId: UUID | None = Field(description="For who has the website")
    domain: str | None
    at: datetime | None = Field(description="Of the last step")
    isMoved: bool = Field(description="All of it is the buyer's")
    content: TransferContent | None = Field(description="Before it moves: for the seller, and for the buyer when asked")


class OfferInFull(Offer):
    """An offer with its escrow, once there is one, and the next step."""

    escrow: Escrow | None
    next: NextStep = Field(description="The next action, of you or the other party")
    buyerName: str
    sellerName: str
    escrowKind: EscrowKind = Field(
        description="none: nothing can be accepted here; trial: no real money moves; direct: nothing is held"
    )


class Message(RowModel):
    """One entry of an offer's thread. `number` gives their order."""

    number: int
    by: Literal["buyer", "seller", "admin"]
    authorName: str
    isMine: bool
    text: str
    price: Amount | None = Field(description="Of an offer or counter-offer")
    at: datetime


class SavedSearch(RowModel):
    """A saved search. Prices are whole US dollars."""

    id: UUID
    search: str
    niche: Niche | None
    minPrice: int | None
    maxPrice: int | None
    verified: bool
    createdAt: datetime


class Dispute(RowModel):
    """A disputed deal, for admins."""

    offerId: UUID
    escrowId: UUID
    listingId: UUID
    status: EscrowStatus
    isDirect: bool = Field(description="Without escrow: there is no money to move")
    price: Amount
    buyerName: str
    sellerName: str
    disputedBy: Side
    disputedAt: datetime


class EscrowCall(RowModel):
    """A pending call to the escrow provider."""

    escrowId: UUID
    step: str
    state: Literal["waiting", "failed"]
    attempts: int
    error: str
    nextAt: datetime
