"""What the marketplace's reads answer. In the specification's own list money is in major units, elsewhere in minor."""

from __future__ import annotations

from datetime import date, datetime
from typing import Literal
from uuid import UUID

from pydantic import BaseModel, Field

from query_api.money import Amount
from schemas.events.deals import EscrowStatus, OfferStatus, Outcome, Side
from schemas.events.marketplace import ListingStatus, Niche

Verification = Literal["verified", "pending"]
NextStep = Literal[
    "none", "answer", "wait", "pay", "wait_for_payment", "deliver", "wait_for_delivery", "confirm_receipt", "inspect",
    "wait_for_inspection", "wait_for_decision", "wait_for_payout",
]  # fmt: skip


EscrowKind = Literal["none", "trial", "real"]


class Listing(BaseModel):
    """A website for sale. Amounts in major units of US dollars."""

    id: UUID
    title: str
    websiteUrl: str
    description: str
    niche: Niche | None
    status: ListingStatus
    askingPrice: float | None
    monthlyRevenue: float | None
    monthlyProfit: float | None
    monthlyTraffic: int | None
    yearsEstablished: float | None
    verificationStatus: Verification
    createdAt: datetime
    image: str | None = Field(description="Address of the first image")


class Image(BaseModel):
    hash: str
    url: str


class MeasuredMonth(BaseModel):
    month: date = Field(description="Its first day")
    visitors: int
    pageviews: int
    revenue: Amount


class MeasuredShare(BaseModel):
    """How much of what the log holds about the last twelve whole months was measured as it happened; the rest was
    imported or back-filled by the seller and is in no figure."""

    months: int = Field(description="Whole months with measured page views")
    monthsInLog: int = Field(description="Months with page views of any origin")
    traffic: float = Field(description="Percent of the page views")
    revenue: float | None = Field(description="Percent of the commission; null: there is none")


class VerifiedFigures(BaseModel):
    """What the website's own log says, and how far the seller's claims are from it."""

    asOf: datetime
    provenDomain: str = Field(description="The seller put our record into this domain's DNS")
    share: MeasuredShare
    months: list[MeasuredMonth] = Field(description="Whole months, oldest first, at most twelve")
    monthlyTraffic: int
    monthlyRevenue: Amount | None = Field(description="Null: there is no exchange rate into the listing's currency")
    trafficDifference: float | None = Field(description="Percent; +12.5: the claim is above what was measured")
    revenueDifference: float | None


class Seller(BaseModel):
    """A member as others see them: never with an address."""

    id: UUID
    name: str
    memberSince: datetime
    activeListings: int
    verifiedListings: int = Field(description="Of those that are for sale, with figures from their own log")
    soldListings: int


class ListingInFull(Listing):
    """`isMine`, `isWatched`, `myOffer`: for who is signed in."""

    currency: str
    images: list[Image]
    seller: Seller
    verification: VerifiedFigures | None
    verificationNote: Literal["asked", "no_website", "no_whole_month", "domain_not_proven"] | None = Field(
        description="Why it is pending; null: nobody asked"
    )
    publishedAt: datetime | None
    expiresAt: datetime | None
    isMine: bool
    isWatched: bool
    myOffer: UUID | None = Field(description="My open offer, or the one that was accepted")
    websiteId: UUID | None = Field(description="For the seller alone")
    edition: int | None = Field(description="For the seller and admins: give it with a change")
    reason: str | None = Field(description="For the seller and admins: why it was rejected or suspended")


class Step(BaseModel):
    """One thing that happened."""

    number: int
    kind: str = Field(description="Name of the event")
    by: Literal["buyer", "seller", "admin", "system", "provider"]
    at: datetime
    detail: str = Field(description="Price, reason or the like; may be empty")


class Question(BaseModel):
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
    listingId: UUID


class Escrow(BaseModel):
    id: UUID
    status: EscrowStatus
    price: Amount
    payUntil: datetime
    paymentUrl: str | None = Field(description="For the buyer, until it is paid; null: not there yet")
    inspectFrom: datetime | None = Field(description="When the inspection begins without the buyer's word")
    inspectUntil: datetime | None = Field(description="When the delivery counts as accepted")
    disputedBy: Side | None
    disputeText: str | None
    outcome: Outcome | None
    decisionReason: str | None
    toSeller: Amount | None
    toBuyer: Amount | None


class Offer(BaseModel):
    id: UUID
    listingId: UUID
    listingTitle: str | None = Field(description="Null: the listing is not shown to you any more")
    listingStatus: ListingStatus | None
    side: Literal["buyer", "seller", "admin"] = Field(description="Which one you are")
    otherName: str
    status: OfferStatus
    price: Amount
    turn: Side | None = Field(description="Who can accept, decline or counter")
    isOnHold: bool = Field(description="Another offer was accepted; open again if that comes to nothing")
    expiresAt: datetime
    createdAt: datetime
    updatedAt: datetime
    escrowStatus: EscrowStatus | None


class OfferInFull(Offer):
    escrow: Escrow | None
    next: NextStep = Field(description="What is to be done, by you or by the other side")
    buyerName: str
    sellerName: str
    escrowKind: EscrowKind = Field(description="none: nothing can be accepted here; trial: no real money moves")


class Message(BaseModel):
    number: int
    by: Literal["buyer", "seller", "admin"]
    authorName: str
    isMine: bool
    text: str
    price: Amount | None = Field(description="Of an offer or counter-offer")
    at: datetime


class SavedSearch(BaseModel):
    id: UUID
    search: str
    niche: Niche | None
    minPrice: int | None
    maxPrice: int | None
    verified: bool
    createdAt: datetime


class Dispute(BaseModel):
    offerId: UUID
    escrowId: UUID
    listingId: UUID
    status: EscrowStatus
    price: Amount
    buyerName: str
    sellerName: str
    disputedBy: Side
    disputedAt: datetime


class EscrowCall(BaseModel):
    """Something that the escrow provider is to be told."""

    escrowId: UUID
    step: str
    state: Literal["waiting", "failed"]
    attempts: int
    error: str
    nextAt: datetime
