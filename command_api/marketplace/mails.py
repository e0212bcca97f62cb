"""Mails about deals and saved searches. They never contain a price or text of a thread."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from infra import PRODUCT_NAME
from infra.kernel.mail.outbox import Mail
from schemas.base import DomainEvent
from schemas.events.marketplace import (
    DirectDealCancelled,
    DirectDealClosed,
    DirectDealCompleted,
    DirectDealConfirmed,
    DirectDealDisputed,
    DirectDealReminded,
    EscrowCancelled,
    EscrowDecided,
    EscrowDelivered,
    EscrowDisputed,
    EscrowFunded,
    EscrowInspectionBegan,
    EscrowRefunded,
    EscrowReleased,
    ListingApproved,
    ListingExpired,
    ListingRejected,
    ListingResumed,
    ListingSuspended,
    OfferStatus,
    TransferAccepted,
    TransferDeclined,
    TransferProposed,
    TransferWithdrawn,
)

STOP_PATH: Final = "/api/public/marketplace/searches/stop/"
"""Mail clients call it, with a token, to end a saved search."""


@dataclass(frozen=True, slots=True)
class Recipient:
    """A recipient. `account_id` marks the queued mail as that account's."""

    email: str
    account_id: UUID


@dataclass(frozen=True, slots=True)
class NewListing:
    """A new listing that fits a saved search."""

    listing_id: UUID
    title: str


DEAL_NEWS: Final[Mapping[type[DomainEvent], str]] = {
    EscrowFunded: "The buyer's money is in escrow. Please transfer the website and confirm it on the deal page.",
    EscrowDelivered: "The seller marked the website as delivered. Please confirm receipt.",
    EscrowInspectionBegan: "The inspection has begun. Without a dispute, the delivery is accepted automatically.",
    EscrowDisputed: "The deal is disputed. Please add your statement to its thread: an admin will decide.",
    EscrowDecided: "An admin has decided the dispute.",
    EscrowReleased: "The deal is complete: the escrow provider has paid out.",
    EscrowRefunded: "The escrow provider has paid the buyer's money back.",
    EscrowCancelled: "The deal was canceled before it was paid; the website is for sale again.",
    DirectDealConfirmed: "The other side confirmed that money and website were handed over. Please confirm it, too.",
    DirectDealReminded: (
        "The other side confirmed that money and website were handed over, and you have not responded. Please confirm"
        " it, or open a dispute. Without either, the website counts as sold in 14 days."
    ),
    DirectDealCompleted: "The deal is complete: both sides have confirmed it.",
    DirectDealDisputed: "The deal is disputed. Please add your statement to its thread: an admin will record its end.",
    DirectDealClosed: "An admin recorded how the disputed deal ended. No money was held or moved.",
    TransferProposed: "The seller offers to move the website here to your account. See what moves on the deal page.",
    TransferWithdrawn: "The seller no longer offers to move the website here to your account.",
    TransferDeclined: "The buyer declined the move of the website. It stays in your account.",
    TransferAccepted: "The buyer accepted: the website and its history have moved to the buyer's account.",
    DirectDealCancelled: "The deal was canceled before it was confirmed; the website is for sale again.",
}
COMPLETED_BY_TIME: Final = "The deal is complete: one side confirmed it, and the other did not respond in time."
LATE_PAYMENT_NEWS: Final = (
    "Your payment came after the deal was canceled. The escrow provider will refund it; you do not need to do anything."
)
LISTING_NEWS: Final[Mapping[type[DomainEvent], str]] = {
    ListingApproved: "Your listing is online.",
    ListingRejected: "Your listing was not approved. See the reason on its page, edit it and submit it again.",
    ListingSuspended: "Your listing was taken offline. See the reason on its page.",
    ListingResumed: "Your listing is online again.",
    ListingExpired: "Your listing was online for 90 days and has expired. You can submit it again.",
}
_OFFER_NEWS: Final[Mapping[OfferStatus, str]] = {
    "countered": "The other side made a counter-offer. It is your turn.",
    "accepted": "Your price was accepted. See the next step on its page.",
    "declined": "Your offer was declined.",
    "withdrawn": "The buyer withdrew the offer.",
    "expired": "Your offer has ended: no one responded in time, or the website was sold to another buyer.",
}


def offer_came(to: Recipient, url: str) -> Mail:
    return _mail(to, "You have an offer for your website", "You received an offer for your website.", url, "offer")


def offer_news(to: Recipient, url: str, status: OfferStatus) -> Mail:
    text = _OFFER_NEWS.get(status, "There is news about an offer.")
    return _mail(to, "News about an offer", text, url, "offer_news")


def listing_news(to: Recipient, url: str, text: str) -> Mail:
    return _mail(to, "News about your listing", text, url, "listing_news")


def question_came(to: Recipient, url: str) -> Mail:
    return _mail(
        to, "A question about your listing", "A member asked a question about your listing.", url, "listing_question"
    )


def question_answered(to: Recipient, url: str) -> Mail:
    return _mail(
        to, "Your question was answered", "The seller answered your question on the listing.", url, "listing_answer"
    )


def deal_news(to: Recipient, url: str, text: str) -> Mail:
    return _mail(to, "News about your deal", text, url, "deal_news")


def new_listings(to: Recipient, app_url: str, found: Sequence[NewListing], more: int, stop_url: str) -> Mail:
    """Returns the mail of a saved search. `more`: how many others fit that are not named."""
    lines = "".join(f"- {one.title}\n  {app_url}/marketplace/listing/{one.listing_id}\n" for one in found)
    others = f"\nand {more:,} more: {app_url}/marketplace\n" if more else ""
    count = "A new listing matches" if len(found) + more == 1 else f"{len(found) + more:,} new listings match"
    text = f"{count} a search that you saved:\n\n{lines}{others}\nYour saved searches: {app_url}/marketplace/saved\n"
    return Mail(
        to.email,
        f"New in the marketplace: {PRODUCT_NAME}",
        text,
        "saved_search",
        to.account_id,
        unsubscribe_url=stop_url,
    )


def _mail(to: Recipient, subject: str, text: str, url: str, kind: str) -> Mail:
    return Mail(to.email, f"{subject}: {PRODUCT_NAME}", f"{text}\n\n{url}\n", kind, to.account_id)
