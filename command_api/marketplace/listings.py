"""A website for sale: drafted, reviewed, offered, sold. Pure.

What is claimed goes through a review before others see it, and again whenever it changes. From an accepted offer until
the deal's end nothing of it can change. `edition` counts the seller's changes alone, so that two windows of one seller
notice each other, while a review or a measurement in between disturbs neither.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from command_api.decision import AnotherKind, Asked, begun, conflict, invalid, missing, step
from command_api.hosts import web_address
from schemas.base import DomainEvent, Money
from schemas.events.marketplace import (
    ListingApproved,
    ListingDrafted,
    ListingEdited,
    ListingExpired,
    ListingFigures,
    ListingFreed,
    ListingImagesChanged,
    ListingInEscrow,
    ListingNotVerified,
    ListingRejected,
    ListingReserved,
    ListingResumed,
    ListingSold,
    ListingStatus,
    ListingSubmitted,
    ListingSuspended,
    ListingVerificationAsked,
    ListingVerified,
    ListingWithdrawn,
    MeasuredMonth,
)

CURRENCY: Final = "USD"
ONLINE_FOR: Final = timedelta(days=90)
MEASURED_AGAIN_AFTER: Final = timedelta(days=30)
ASKED_AGAIN_AFTER: Final = timedelta(hours=1)
MOST_IMAGES: Final = 8
MOST_EDITIONS: Final = 2_000
SHORTEST_TITLE: Final = 5
SHORTEST_DESCRIPTION: Final = 30

_AT_REST: Final = ("draft", "rejected", "withdrawn", "expired")
_CHANGEABLE: Final = (*_AT_REST, "in_review", "active")
DEALING: Final = ("under_offer", "in_escrow")


@dataclass(frozen=True, slots=True)
class Facts:
    """What the seller writes."""

    title: str
    website_url: str
    description: str
    figures: ListingFigures


@dataclass(frozen=True, slots=True)
class Listing:
    id: UUID
    version: int
    seller_id: UUID
    facts: Facts
    status: ListingStatus = "draft"
    edition: int = 1
    images: tuple[str, ...] = ()
    expires_at: datetime | None = None
    offer_id: UUID | None = None
    """The accepted one."""
    verification_asked_at: datetime | None = None

    @property
    def website_id(self) -> UUID | None:
        return self.facts.figures.website_id

    @property
    def is_open(self) -> bool:
        return self.status == "active"


def draft(listing_id: UUID, facts: Facts, asked: Asked) -> ListingDrafted:
    if asked.account_id is None:
        raise TypeError("a listing belongs to an account")
    return ListingDrafted(**step(listing_id, 0, asked), seller_id=asked.account_id, **_said(facts))


def edit(listing: Listing | None, facts: Facts, edition: int, asked: Asked) -> list[DomainEvent]:
    """What others could see already, and claims something new, goes back into the review."""
    listing = _changeable(owned(listing, asked))
    if listing.edition != edition:
        raise conflict("changed_elsewhere", "This listing was changed elsewhere. Please load it again.", "edition")
    if facts == listing.facts:
        return []
    edited = ListingEdited(**step(listing.id, listing.version, asked), seller_id=listing.seller_id, **_said(facts))
    return [edited, *_reviewed_again(listing, _claims(facts) != _claims(listing.facts), facts, asked)]


def change_images(listing: Listing | None, images: Sequence[str], asked: Asked) -> list[DomainEvent]:
    """An image that is new goes through the review; leaving one out, or another order, does not."""
    listing = _changeable(owned(listing, asked))
    if len(images) > MOST_IMAGES:
        raise conflict("too_many_images", f"A listing has at most {MOST_IMAGES} images.", "images")
    if len(set(images)) < len(images):
        raise invalid("same_image", "This image is there already.", "images")
    if tuple(images) == listing.images:
        return []
    changed = ListingImagesChanged(**step(listing.id, listing.version, asked), images=list(images))
    return [changed, *_reviewed_again(listing, not set(images) <= set(listing.images), listing.facts, asked)]


def submit(listing: Listing | None, asked: Asked) -> list[DomainEvent]:
    listing = owned(listing, asked)
    if listing.status == "in_review":
        return []
    if listing.status not in _AT_REST:
        raise _wrong_state(listing, "be submitted")
    _complete(listing.facts)
    return [ListingSubmitted(**step(listing.id, listing.version, asked))]


def approve(listing: Listing | None, edition: int, asked: Asked) -> list[DomainEvent]:
    """`edition`: the one that the admin looked at; the seller may have changed it meanwhile."""
    listing = _in_review(listing)
    if listing.edition != edition:
        raise conflict("changed_elsewhere", "The seller changed this listing meanwhile. Please look again.", "edition")
    return [
        ListingApproved(
            **step(listing.id, listing.version, asked),
            seller_id=listing.seller_id,
            expires_at=asked.at + ONLINE_FOR,
        )
    ]


def reject(listing: Listing | None, reason: str, asked: Asked) -> list[DomainEvent]:
    listing = _in_review(listing)
    return [ListingRejected(**step(listing.id, listing.version, asked), reason=reason)]


def suspend(listing: Listing | None, reason: str, asked: Asked) -> list[DomainEvent]:
    listing = there(listing)
    if listing.status != "active":
        raise _wrong_state(listing, "be suspended")
    return [ListingSuspended(**step(listing.id, listing.version, asked), reason=reason)]


def resume(listing: Listing | None, asked: Asked) -> list[DomainEvent]:
    listing = there(listing)
    if listing.status != "suspended":
        raise _wrong_state(listing, "be put online again")
    return [ListingResumed(**step(listing.id, listing.version, asked))]


def withdraw(listing: Listing | None, asked: Asked) -> list[DomainEvent]:
    listing = owned(listing, asked)
    if listing.status == "withdrawn":
        return []
    if listing.status in (*DEALING, "sold"):
        raise _wrong_state(listing, "be withdrawn")
    return [ListingWithdrawn(**step(listing.id, listing.version, asked))]


def expire(listing: Listing | None, asked: Asked) -> list[DomainEvent]:
    """Nothing when its time is not over, or it is not online."""
    if listing is None or listing.status != "active" or listing.expires_at is None or asked.at < listing.expires_at:
        return []
    return [ListingExpired(**step(listing.id, listing.version, asked))]


def reserve(listing: Listing | None, offer_id: UUID, buyer_id: UUID, asked: Asked) -> list[DomainEvent]:
    """Keeps it for one offer: of two that are accepted at the same moment only one finds it open."""
    listing = there(listing)
    if listing.status in (*DEALING, "sold"):
        raise conflict("taken", "Another offer for this website was accepted.")
    if listing.status != "active":
        raise _wrong_state(listing, "be sold")
    return [ListingReserved(**step(listing.id, listing.version, asked), offer_id=offer_id, buyer_id=buyer_id)]


def free(listing: Listing | None, offer_id: UUID, asked: Asked) -> list[DomainEvent]:
    listing = _held(listing, offer_id)
    return [ListingFreed(**step(listing.id, listing.version, asked), offer_id=offer_id)]


def put_in_escrow(listing: Listing | None, offer_id: UUID, asked: Asked) -> list[DomainEvent]:
    listing = _held(listing, offer_id)
    return [ListingInEscrow(**step(listing.id, listing.version, asked), offer_id=offer_id)]


def sell(listing: Listing | None, offer_id: UUID, asked: Asked) -> list[DomainEvent]:
    listing = _held(listing, offer_id)
    sold = step(listing.id, listing.version, asked)
    return [ListingSold(**sold, seller_id=listing.seller_id, offer_id=offer_id)]


def ask_verification(listing: Listing | None, asked: Asked) -> list[DomainEvent]:
    listing = owned(listing, asked)
    if listing.website_id is None:
        message = "Choose the website that is measured here first, then its figures can be compared."
        raise invalid("no_website", message, "websiteId")
    if listing.status in ("sold", "withdrawn"):
        raise _wrong_state(listing, "be verified")
    last = listing.verification_asked_at
    if last is not None and last <= asked.at < last + ASKED_AGAIN_AFTER:
        raise conflict("asked_already", "This was asked for within the last hour. Please wait a little.")
    return [ListingVerificationAsked(**step(listing.id, listing.version, asked))]


def verify(
    listing: Listing, months: Sequence[MeasuredMonth], revenue: Money | None, asked: Asked, website_id: UUID
) -> list[DomainEvent]:
    """`revenue`: of all these months together, in the listing's currency. No months: nothing can be said."""
    if not months:
        return not_verified(listing, "no_whole_month", asked)
    figures = listing.facts.figures
    traffic = round(sum(month.visitors for month in months) / len(months))
    monthly = Money(amount=round(revenue.amount / len(months)), currency=revenue.currency) if revenue else None
    claimed = figures.monthly_revenue.amount if figures.monthly_revenue is not None else None
    return [
        ListingVerified(
            **step(listing.id, listing.version, asked),
            website_id=website_id,
            as_of=asked.at,
            months=list(months),
            monthly_traffic=traffic,
            monthly_revenue=monthly,
            traffic_difference=difference(figures.monthly_traffic, traffic),
            revenue_difference=difference(claimed, monthly.amount) if monthly is not None else None,
        )
    ]


def not_verified(listing: Listing, reason: Any, asked: Asked) -> list[DomainEvent]:
    return [ListingNotVerified(**step(listing.id, listing.version, asked), reason=reason)]


def difference(claimed: int | None, measured: int) -> float | None:
    """By how many percent the claim is above what was measured; none without a claim, or when nothing was measured."""
    if claimed is None or measured <= 0:
        return None
    return round((claimed - measured) / measured * 100, 1)


def owned(listing: Listing | None, asked: Asked) -> Listing:
    """The asker's own. An admin has no say in what another sells but the review's."""
    if listing is None or (asked.account_id is not None and asked.account_id != listing.seller_id):
        raise missing("listing")
    return listing


def there(listing: Listing | None) -> Listing:
    if listing is None:
        raise missing("listing")
    return listing


def offered(listing: Listing | None) -> Listing:
    """One that everybody can see."""
    if listing is None or listing.status not in ("active", "under_offer"):
        raise missing("listing")
    return listing


def evolve(listing: Listing | None, event: DomainEvent) -> Listing:
    if isinstance(event, ListingDrafted):
        return Listing(event.originator_id, 1, event.seller_id, _facts(event))
    listing = replace(begun(listing, event), version=event.originator_version)
    match event:
        case ListingEdited():
            return replace(listing, facts=_facts(event), edition=listing.edition + 1)
        case ListingImagesChanged():
            return replace(listing, images=tuple(event.images), edition=listing.edition + 1)
        case ListingApproved():
            return replace(listing, status="active", expires_at=event.expires_at)
        case ListingReserved():
            return replace(listing, status="under_offer", offer_id=event.offer_id)
        case ListingFreed():
            return replace(listing, status="active", offer_id=None)
        case ListingVerificationAsked():
            return replace(listing, verification_asked_at=event.timestamp)
        case ListingVerified() | ListingNotVerified():
            return listing
        case _:
            status = _STATUS_AFTER.get(type(event))
            if status is None:
                raise AnotherKind(f"{event.NAME} does not happen to listings")
            return replace(listing, status=status)


_STATUS_AFTER: Final[dict[type[DomainEvent], ListingStatus]] = {
    ListingSubmitted: "in_review",
    ListingRejected: "rejected",
    ListingSuspended: "suspended",
    ListingResumed: "active",
    ListingWithdrawn: "withdrawn",
    ListingExpired: "expired",
    ListingInEscrow: "in_escrow",
    ListingSold: "sold",
}


def _facts(event: ListingDrafted | ListingEdited) -> Facts:
    return Facts(event.title, event.website_url, event.description, event.figures)


def _said(facts: Facts) -> dict[str, Any]:
    return {
        "title": facts.title,
        "website_url": facts.website_url,
        "description": facts.description,
        "figures": facts.figures,
    }


def _claims(facts: Facts) -> Facts:
    """What a review looks at: everything but the price, and which website here it is."""
    return replace(facts, figures=facts.figures.model_copy(update={"asking_price": None, "website_id": None}))


def _reviewed_again(listing: Listing, claims_more: bool, facts: Facts, asked: Asked) -> list[DomainEvent]:
    if listing.status in ("active", "in_review"):
        _complete(facts)
    if listing.status != "active" or not claims_more:
        return []
    return [ListingSubmitted(**step(listing.id, listing.version + 1, asked))]


def _changeable(listing: Listing) -> Listing:
    if listing.status not in _CHANGEABLE:
        raise _wrong_state(listing, "be changed")
    if listing.edition >= MOST_EDITIONS:
        raise conflict("too_many_changes", "This listing was changed too often. Please make a new one.")
    return listing


def _in_review(listing: Listing | None) -> Listing:
    listing = there(listing)
    if listing.status != "in_review":
        raise _wrong_state(listing, "be reviewed")
    return listing


def _held(listing: Listing | None, offer_id: UUID) -> Listing:
    listing = there(listing)
    if listing.status not in DEALING or listing.offer_id != offer_id:
        raise _wrong_state(listing, "be handed over")
    return listing


def _complete(facts: Facts) -> None:
    """Raises `Refused` (invalid) naming what others need to know and is not there."""
    if len(facts.title.strip()) < SHORTEST_TITLE:
        raise invalid("incomplete", f"The title needs at least {SHORTEST_TITLE} characters.", "title")
    web_address(facts.website_url, "websiteUrl")
    if len(facts.description.strip()) < SHORTEST_DESCRIPTION:
        message = f"The description needs at least {SHORTEST_DESCRIPTION} characters."
        raise invalid("incomplete", message, "description")
    figures = facts.figures
    for field, value, words in (
        ("niche", figures.niche, "Please choose a niche."),
        ("askingPrice", figures.asking_price, "Please name a price."),
        ("monthlyRevenue", figures.monthly_revenue, "Please tell the monthly revenue."),
        ("monthlyProfit", figures.monthly_profit, "Please tell the monthly profit."),
        ("monthlyTraffic", figures.monthly_traffic, "Please tell the monthly traffic."),
        ("yearsEstablished", figures.years_established, "Please tell how old the website is."),
    ):
        if value is None:
            raise invalid("incomplete", words, field)
    if figures.asking_price is not None and figures.asking_price.amount < 1:
        raise invalid("incomplete", "Please name a price.", "askingPrice")


def _wrong_state(listing: Listing, what: str) -> Exception:
    return conflict("wrong_state", f"A listing that is {listing.status.replace('_', ' ')} cannot {what}.")
