"""Mails about deals, listings and saved searches. The subject says who did what, with which website, for how much and
until when; the text adds what to do. They never contain text of a thread.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from infra import PRODUCT_NAME
from infra.kernel.mail.outbox import Mail
from schemas.base import DomainEvent
from schemas.events.marketplace import (
    DirectDealAgreed,
    DirectDealCancelled,
    DirectDealClosed,
    DirectDealCompleted,
    DirectDealConfirmed,
    DirectDealDisputed,
    DirectDealReminded,
    EscrowAgreed,
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
from schemas.notifications import Names, filled

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
    EscrowAgreed: "See the next step on its page.",
    DirectDealAgreed: "See the next step on its page.",
    EscrowFunded: "Confirm the transfer on the deal page once it is done.",
    EscrowDelivered: "Confirm the receipt on the deal page, or open a dispute.",
    EscrowInspectionBegan: "",
    EscrowDisputed: "An admin will decide when both sides have been heard.",
    EscrowDecided: "",
    EscrowReleased: "",
    EscrowRefunded: "",
    EscrowCancelled: "The website is for sale again.",
    DirectDealConfirmed: "Confirm on the deal page that money and website were handed over.",
    DirectDealReminded: (
        "The other side confirmed that money and website were handed over, and you have not responded. Please confirm"
        " it, or open a dispute."
    ),
    DirectDealCompleted: "",
    DirectDealDisputed: "An admin will record how it ended.",
    DirectDealClosed: "No money was held or moved.",
    TransferProposed: "The deal page shows what moves.",
    TransferWithdrawn: "",
    TransferDeclined: "It stays in your account.",
    TransferAccepted: "Its history has moved with it.",
    DirectDealCancelled: "The website is for sale again.",
}
"""The events of deals that are emailed, with what to do about each."""
LATE_PAYMENT_NEWS: Final = "The escrow provider will refund it; you do not need to do anything."
LISTING_NEWS: Final = (ListingApproved, ListingRejected, ListingSuspended, ListingResumed, ListingExpired)
"""The events of listings that are emailed to the seller."""
_OFFER_NEWS: Final[Mapping[OfferStatus, str]] = {
    "sent": "You can accept the offer, decline it or propose another price.",
    "countered": "It is your turn: you can accept the price, decline it or propose another one.",
}


@dataclass(frozen=True, slots=True)
class News:
    """One email about a thing of several events. `line`: of `infra.domain.deal_words`; `names`: what it names, as the
    recipient may see it; `thread`: the offer or listing that it is about; `actor_id`: whom it names."""

    line: str
    names: Names
    thread: UUID
    actor_id: UUID | None
    url: str


def offer_came(to: Recipient, news: News) -> Mail:
    return _mail(to, news, "You have an offer for your website", _OFFER_NEWS["sent"], "offer")


def offer_news(to: Recipient, news: News, status: OfferStatus) -> Mail:
    return _mail(to, news, "News about an offer", _OFFER_NEWS.get(status, ""), "offer_news")


def listing_news(to: Recipient, news: News) -> Mail:
    return _mail(to, news, "News about your listing", "", "listing_news")


def question_came(to: Recipient, news: News) -> Mail:
    return _mail(to, news, "A question about your listing", "", "listing_question")


def question_answered(to: Recipient, news: News) -> Mail:
    return _mail(to, news, "Your question was answered", "", "listing_answer")


def deal_news(to: Recipient, news: News, text: str) -> Mail:
    return _mail(to, news, "News about your deal", text, "deal_news")


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


def _mail(to: Recipient, news: News, subject: str, text: str, kind: str) -> Mail:
    """`subject`: without names, for the outbox."""
    line = filled(news.line, news.names)
    return Mail(
        to.email,
        f"{subject}: {PRODUCT_NAME}",
        f"{line}.\n\n{text}\n\n{news.url}\n" if text else f"{line}.\n\n{news.url}\n",
        kind,
        to.account_id,
        about=news.actor_id,
        title=line,
        thread=news.thread,
    )
