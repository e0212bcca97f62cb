"""The responses of the marketplace's reads. In the specification's own list money is in major units, elsewhere in
minor."""

from __future__ import annotations

from datetime import date, datetime
from typing import Literal
from uuid import UUID

from pydantic import Field

from schemas.events.marketplace import EscrowStatus, ListingStatus, Niche, OfferStatus, Outcome, Side, TransferStatus
from schemas.http.money import Amount
from schemas.http.responses import ResponseModel

Verification = Literal["verified", "overstated", "pending"]
"""Overstated: it was measured, and a claim is too far above what was measured."""
NextStep = Literal[
    "none", "answer", "wait", "pay", "wait_for_payment", "deliver", "wait_for_delivery", "confirm_receipt", "inspect",
    "wait_for_inspection", "wait_for_decision", "wait_for_payout", "confirm_handover", "wait_for_confirmation",
]  # fmt: skip


EscrowKind = Literal["none", "trial", "real", "direct"]
"""What an accepted offer begins: nothing can be accepted, an escrow without money, an escrow, a direct deal."""


class DealTerms(ResponseModel):
    """How deals are made here."""

    escrow_kind: EscrowKind = Field(description="direct: without escrow; the two arrange the payment themselves")
    direct_deals: bool = Field(description="Whether an admin allows deals without escrow where there is no provider")


class Listing(ResponseModel):
    """A website for sale. Amounts in major units of US dollars."""

    id: UUID
    title: str
    website_url: str
    description: str = Field(description="In lists its first 500 characters")
    niche: Niche | None
    status: ListingStatus
    asking_price: float | None
    monthly_revenue: float | None
    monthly_profit: float | None
    monthly_traffic: int | None
    years_established: float | None
    verification_status: Verification
    created_at: datetime
    image: str | None = Field(description="URL of the first image")


class Image(ResponseModel):
    """An image of a listing. `hash`: SHA-256 of the file, which names it in commands."""

    hash: str
    url: str


class MeasuredMonth(ResponseModel):
    """One month of measured figures, in the website's time zone."""

    month: date = Field(description="Its first day")
    visitors: int
    pageviews: int
    revenue: Amount


class MeasuredShare(ResponseModel):
    """How much of what the log holds about the last twelve whole months was measured as it happened; the rest was
    imported or back-filled by the seller and is in no figure."""

    months: int = Field(description="Whole months with measured page views")
    months_in_log: int = Field(description="Months with page views of any origin")
    traffic: float = Field(description="Percent of the page views")
    revenue: float | None = Field(description="Percent of the commission; null: there is none")


class VerifiedFigures(ResponseModel):
    """What the website's own log says, and how far the seller's claims are from it."""

    as_of: datetime
    proven_domain: str = Field(description="The seller published the verification record in this domain's DNS")
    share: MeasuredShare
    months: list[MeasuredMonth] = Field(description="Whole months, oldest first, at most twelve")
    monthly_traffic: int
    monthly_revenue: Amount | None = Field(description="Null: there is no exchange rate into the listing's currency")
    tolerance_percent: int = Field(description="How far a verified claim may be above what was measured")
    traffic_overstated: bool = Field(description="The claim is further above")
    revenue_overstated: bool
    traffic_difference: float | None = Field(description="Percent; +12.5: the claim is above what was measured")
    revenue_difference: float | None


class Seller(ResponseModel):
    """A member as others see them: never with an address."""

    id: UUID
    name: str
    member_since: datetime
    active_listings: int
    verified_listings: int = Field(description="Listings for sale whose claims are verified by tracked data")
    sold_listings: int


class ListingInFull(Listing):
    """`isMine`, `isWatched`, `myOffer`: for who is signed in."""

    currency: str
    images: list[Image]
    seller: Seller
    verification: VerifiedFigures | None
    verification_note: Literal["asked", "no_website", "no_whole_month", "domain_not_proven"] | None = Field(
        description="Why it is pending; null: not requested"
    )
    published_at: datetime | None
    expires_at: datetime | None
    is_mine: bool
    is_watched: bool
    my_offer: UUID | None = Field(description="My open offer, or the one that was accepted")
    website_id: UUID | None = Field(description="For the seller alone")
    edition: int | None = Field(description="For the seller, admins and the invited reviewer: send it with a change")
    is_reviewer: bool = Field(description="You are invited to review it")
    has_reviewer: bool = Field(description="For the seller: a member took the link to the review")
    reason: str | None = Field(description="For the seller and admins: why it was rejected or suspended")


class ListingStep(ResponseModel):
    """One event of the history."""

    number: int
    kind: str = Field(description="Name of the event")
    by: Literal["buyer", "seller", "admin", "reviewer", "system", "provider"]
    at: datetime
    detail: str = Field(description="Price, reason or the like; may be empty")


class Question(ResponseModel):
    """A question about a listing, with the seller's answer."""

    id: UUID
    author_name: str
    text: str
    asked_at: datetime
    answer: str | None
    answered_at: datetime | None
    is_mine: bool
    is_hidden: bool
    flags: int | None = Field(description="For admins")


class FlaggedQuestion(Question):
    """A question that members reported, and its listing."""

    listing_id: UUID


class Escrow(ResponseModel):
    """The money of one deal, and the deadlines that apply to it. Of a direct deal: what the two have confirmed."""

    id: UUID
    status: EscrowStatus
    price: Amount
    is_direct: bool = Field(description="Without escrow: nothing is held")
    buyer_confirmed_at: datetime | None = Field(description="Of a direct deal")
    seller_confirmed_at: datetime | None
    pay_until: datetime = Field(description="Of a direct deal: when it ends if no side has confirmed")
    payment_url: str | None = Field(description="For the buyer, until it is paid; null: not there yet")
    inspect_from: datetime | None = Field(description="When the inspection begins unless the buyer starts it")
    inspect_until: datetime | None = Field(
        description="When the delivery counts as accepted; of a direct deal that one side confirmed: as sold"
    )
    disputed_by: Side | None
    dispute_text: str | None
    outcome: Outcome | None
    decision_reason: str | None
    to_seller: Amount | None
    to_buyer: Amount | None


class Offer(ResponseModel):
    """An offer at its latest price, as one side sees it."""

    id: UUID
    listing_id: UUID
    listing_title: str | None = Field(description="Null: the listing is no longer visible to you")
    listing_status: ListingStatus | None
    side: Literal["buyer", "seller", "admin"] = Field(description="Which one you are")
    other_name: str
    status: OfferStatus
    price: Amount
    turn: Side | None = Field(description="Who can accept, decline or counter")
    is_on_hold: bool = Field(description="Another offer was accepted; open again if that deal fails")
    expires_at: datetime
    created_at: datetime
    updated_at: datetime
    escrow_status: EscrowStatus | None


class TransferContent(ResponseModel):
    """What belongs to the website now, and becomes of it when it moves to the buyer."""

    sites: int = Field(description="Sites of the website builder: move as they are, without earlier versions")
    subscribers: int = Field(description="Of the newsletters of these sites: move")
    links: int = Field(description="Move, and go on redirecting")
    site_keys: int = Field(description="Public keys: go on working")
    secret_keys: int = Field(description="Secret keys and postback tokens: end, the buyer makes new ones")
    domains: list[str] = Field(description="Verified custom domains: move")
    unverified_domains: int = Field(description="Are removed")
    partners: list[str] = Field(description="The seller's own partners that its links lead to: move")
    channels: int = Field(description="Social channels: move, with their posts")
    connections: int = Field(description="Connections of channels to their networks: end, the buyer connects them")
    conversions: int = Field(description="Move, with their commissions")
    payouts: int = Field(description="Recorded payouts: move, without the seller's files")
    files: int = Field(description="Files of payouts: are deleted")
    views: int = Field(description="Saved views of the website: are deleted")
    reports: int = Field(description="The seller's reports by email about it: end")


class Transfer(ResponseModel):
    """The transfer of a sold website with its measured history, as one of the two sides sees it."""

    status: TransferStatus | None = Field(description="Null: the seller has not offered it")
    side: Side
    can_propose: bool = Field(description="The listing names a website that the seller has here")
    website_id: UUID | None = Field(description="For who has the website")
    domain: str | None
    at: datetime | None = Field(description="Of the last step")
    is_moved: bool = Field(description="All of it is the buyer's")
    content: TransferContent | None = Field(description="Before it moves: for the seller, and for the buyer when asked")


class OfferInFull(Offer):
    """An offer with its escrow, once there is one, and the next step."""

    escrow: Escrow | None
    next: NextStep = Field(description="The next action, of you or the other party")
    buyer_name: str
    seller_name: str
    escrow_kind: EscrowKind = Field(
        description="none: nothing can be accepted here; trial: no real money moves; direct: nothing is held"
    )


class Message(ResponseModel):
    """One entry of an offer's thread. `number` gives their order."""

    number: int
    by: Literal["buyer", "seller", "admin"]
    author_name: str
    is_mine: bool
    text: str
    price: Amount | None = Field(description="Of an offer or counter-offer")
    at: datetime


class SavedSearch(ResponseModel):
    """A saved search. Prices are whole US dollars."""

    id: UUID
    search: str
    niche: Niche | None
    min_price: int | None
    max_price: int | None
    verified: bool
    created_at: datetime


class Dispute(ResponseModel):
    """A disputed deal, for admins."""

    offer_id: UUID
    escrow_id: UUID
    listing_id: UUID
    status: EscrowStatus
    is_direct: bool = Field(description="Without escrow: there is no money to move")
    price: Amount
    buyer_name: str
    seller_name: str
    disputed_by: Side
    disputed_at: datetime


class EscrowCall(ResponseModel):
    """A pending call to the escrow provider."""

    escrow_id: UUID
    step: str
    state: Literal["waiting", "failed"]
    attempts: int
    error: str
    next_at: datetime
