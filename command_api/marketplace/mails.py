"""What members are told by mail about deals and searches. Never a price or a word of a thread: mails travel far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from infra import PRODUCT_NAME
from infra.mail import Mail
from schemas.base import DomainEvent
from schemas.events.deals import (
    EscrowCancelled,
    EscrowDecided,
    EscrowDelivered,
    EscrowDisputed,
    EscrowFunded,
    EscrowInspectionBegan,
    EscrowRefunded,
    EscrowReleased,
    OfferStatus,
)
from schemas.events.marketplace import (
    ListingApproved,
    ListingExpired,
    ListingRejected,
    ListingResumed,
    ListingSuspended,
)


@dataclass(frozen=True, slots=True)
class To:
    email: str
    account_id: UUID


@dataclass(frozen=True, slots=True)
class Found:
    """A new listing that fits a saved search."""

    listing_id: UUID
    title: str


DEAL_NEWS: Final[Mapping[type[DomainEvent], str]] = {
    EscrowFunded: "The buyer's money is in escrow. Please hand the website over, and say so on the deal's page.",
    EscrowDelivered: "The seller says that the website is handed over. Please confirm that you have it.",
    EscrowInspectionBegan: "The inspection has begun. Without a dispute until its end the delivery counts as accepted.",
    EscrowDisputed: "The deal is disputed. Please write into its thread what there is to say: an admin will decide.",
    EscrowDecided: "An admin has decided the dispute.",
    EscrowReleased: "The deal is done: the escrow provider has paid out.",
    EscrowRefunded: "The escrow provider has paid the buyer's money back.",
    EscrowCancelled: "The deal was cancelled before it was paid; the website is for sale again.",
}
CAME_LATE: Final = (
    "Your payment came after the deal was cancelled. The escrow provider was told to pay it back to you; nothing else"
    " is to be done."
)
LISTING_NEWS: Final[Mapping[type[DomainEvent], str]] = {
    ListingApproved: "Your listing is online.",
    ListingRejected: "Your listing was sent back. Its page says why; you can change it and submit it again.",
    ListingSuspended: "Your listing was taken offline. Its page says why.",
    ListingResumed: "Your listing is online again.",
    ListingExpired: "Your listing was online for 90 days and has expired. You can submit it again.",
}
_OFFER_NEWS: Final[Mapping[OfferStatus, str]] = {
    "countered": "The other side named another price. It is your turn.",
    "accepted": "Your price was accepted. The next step is the escrow.",
    "declined": "Your offer was declined.",
    "withdrawn": "The buyer took the offer back.",
    "expired": "Your offer has ended: nobody answered in time, or the website was sold to somebody else.",
}


def offer_came(to: To, url: str) -> Mail:
    return _mail(to, "You have an offer for your website", "Somebody offers a price for your website.", url, "offer")


def offer_news(to: To, url: str, status: OfferStatus) -> Mail:
    text = _OFFER_NEWS.get(status, "There is news about an offer.")
    return _mail(to, "News about an offer", text, url, "offer_news")


def listing_news(to: To, url: str, text: str) -> Mail:
    return _mail(to, "News about your listing", text, url, "listing_news")


def question_came(to: To, url: str) -> Mail:
    return _mail(to, "A question about your listing", "Somebody asked about your listing.", url, "listing_question")


def question_answered(to: To, url: str) -> Mail:
    return _mail(to, "Your question was answered", "The seller answered what you asked.", url, "listing_answer")


def deal_news(to: To, url: str, text: str) -> Mail:
    return _mail(to, "News about your deal", text, url, "deal_news")


def new_listings(to: To, app_url: str, found: Sequence[Found], more: int, stop_url: str) -> Mail:
    """`more`: how many others fit that are not named."""
    lines = "".join(f"- {one.title}\n  {app_url}/marketplace/listing/{one.listing_id}\n" for one in found)
    others = f"\nand {more:,} more: {app_url}/marketplace\n" if more else ""
    count = "A new listing fits" if len(found) + more == 1 else f"{len(found) + more:,} new listings fit"
    text = f"{count} a search that you saved:\n\n{lines}{others}\nYour saved searches: {app_url}/marketplace/saved\n"
    return Mail(
        to.email,
        f"New in the marketplace: {PRODUCT_NAME}",
        text,
        "saved_search",
        to.account_id,
        unsubscribe_url=stop_url,
    )


def _mail(to: To, subject: str, text: str, url: str, kind: str) -> Mail:
    return Mail(to.email, f"{subject}: {PRODUCT_NAME}", f"{text}\n\n{url}\n", kind, to.account_id)
