"""A website for sale: drafted, reviewed, offered, sold. Pure.

What is claimed goes through a review before others see it, and again whenever it changes. From an accepted offer until
the deal's end nothing of it can change. `edition` counts the seller's changes alone, so that two windows of one seller
notice each other, while a review or a measurement in between disturbs neither. What was measured is of one address: it
goes when the address or the website here changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from fractions import Fraction
from typing import Any, Final, Literal
from uuid import UUID

from command_api.decision import AnotherKind, Asked, Refused, begun, conflict, invalid, missing, step
from command_api.marketplace.facts import Facts, claims, complete, host_of
from schemas.base import DomainEvent, MoneySum
from schemas.events.marketplace import (
    ListingApproved,
    ListingDrafted,
    ListingEdited,
    ListingExpired,
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
    MeasuredShare,
)

CURRENCY: Final = "USD"
ONLINE_FOR: Final = timedelta(days=90)
ASKED_AGAIN_AFTER: Final = timedelta(hours=1)
MOST_IMAGES: Final = 8
MOST_EDITIONS: Final = 2_000
MOST_STEPS: Final = 4_000

_AT_REST: Final = ("draft", "rejected", "withdrawn", "expired")
_CHANGEABLE: Final = (*_AT_REST, "in_review", "active")
DEALING: Final = ("under_offer", "in_escrow")
ON_MARKET: Final = ("in_review", "active", "suspended", *DEALING)
"""A website can be in one listing of its seller at a time that is in one of these."""


NotVerified = Literal["no_website", "no_whole_month", "domain_not_proven"]


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
    buyer_id: UUID | None = None
    verification_asked_at: datetime | None = None
    is_asked: bool = False
    """The seller waits for what the measurements say."""
    verified_at: datetime | None = None
    verified_website: UUID | None = None
    not_verified: NotVerified | None = None

    @property
    def website_id(self) -> UUID | None:
        return self.facts.figures.website_id

    @property
    def is_open(self) -> bool:
        return self.status == "active"

    @property
    def host(self) -> str | None:
        return host_of(self.facts.website_url)


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
    after = evolve(listing, edited)
    is_another = (after.host, after.website_id) != (listing.host, listing.website_id)
    dropped = not_verified(after, "no_website", asked) if listing.verified_at is not None and is_another else []
    return [
        edited,
        *dropped,
        *_reviewed_again(after, len(dropped), claims(facts) != claims(listing.facts), asked),
    ]


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
    return [changed, *_reviewed_again(evolve(listing, changed), 0, not set(images) <= set(listing.images), asked)]


def submit(listing: Listing | None, asked: Asked) -> list[DomainEvent]:
    listing = owned(listing, asked)
    if listing.status == "in_review":
        return []
    if listing.status not in _AT_REST:
        raise _wrong_state(listing, "be submitted")
    if listing.version >= MOST_STEPS:
        raise _too_many_changes()
    complete(listing.facts)
    return [ListingSubmitted(**step(listing.id, listing.version, asked))]


def approve(listing: Listing | None, edition: int, asked: Asked) -> list[DomainEvent]:
    """`edition`: the one that the admin looked at; the seller may have changed it meanwhile. Never the own."""
    listing = _in_review(listing)
    _not_the_own(listing, asked)
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
    return [ListingRejected(**step(listing.id, listing.version, asked), seller_id=listing.seller_id, reason=reason)]


def suspend(listing: Listing | None, reason: str, asked: Asked) -> list[DomainEvent]:
    listing = there(listing)
    if listing.status != "active":
        raise _wrong_state(listing, "be suspended")
    return [ListingSuspended(**step(listing.id, listing.version, asked), seller_id=listing.seller_id, reason=reason)]


def resume(listing: Listing | None, asked: Asked) -> list[DomainEvent]:
    listing = there(listing)
    if listing.status != "suspended":
        raise _wrong_state(listing, "be put online again")
    _not_the_own(listing, asked)
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
    listing: Listing,
    months: Sequence[MeasuredMonth],
    revenue: MoneySum | None,
    share: MeasuredShare,
    asked: Asked,
    website_id: UUID,
) -> list[DomainEvent]:
    """For a website whose domain is proven. `months`: at least one. `revenue`: of all of them together, in the
    listing's currency."""
    figures = listing.facts.figures
    traffic = round(sum(month.visitors for month in months) / len(months))
    monthly = None
    if revenue is not None:
        monthly = MoneySum(amount=round(Fraction(revenue.amount, len(months))), currency=revenue.currency)
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
            domain_proven=True,
            share=share,
        )
    ]


def not_verified(listing: Listing, reason: NotVerified, asked: Asked) -> list[DomainEvent]:
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
            return replace(listing, status="under_offer", offer_id=event.offer_id, buyer_id=event.buyer_id)
        case ListingFreed():
            return replace(listing, status="active", offer_id=None, buyer_id=None)
        case ListingVerificationAsked():
            return replace(listing, verification_asked_at=event.timestamp, is_asked=True)
        case ListingVerified(domain_proven=False):  # from before the proof was asked for: it is measured anew
            listing = replace(listing, verified_at=None, verified_website=None)
            return replace(listing, not_verified=None, is_asked=False)
        case ListingVerified():
            listing = replace(listing, verified_at=event.as_of, verified_website=event.website_id)
            return replace(listing, not_verified=None, is_asked=False)
        case ListingNotVerified():
            listing = replace(listing, verified_at=None, verified_website=None)
            return replace(listing, not_verified=event.reason, is_asked=False)
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


def _reviewed_again(after: Listing, steps: int, claims_more: bool, asked: Asked) -> list[DomainEvent]:
    """`after` a change, which so many other steps follow."""
    if after.status in ("active", "in_review"):
        complete(after.facts)
    if after.status != "active" or not claims_more:
        return []
    return [ListingSubmitted(**step(after.id, after.version + steps, asked))]


def _changeable(listing: Listing) -> Listing:
    if listing.status not in _CHANGEABLE:
        raise _wrong_state(listing, "be changed")
    if listing.edition >= MOST_EDITIONS:
        raise _too_many_changes()
    return listing


def _too_many_changes() -> Refused:
    return conflict("too_many_changes", "This listing was changed too often. Please make a new one.")


def _not_the_own(listing: Listing, asked: Asked) -> None:
    if asked.account_id == listing.seller_id:
        raise Refused("forbidden", "own_listing", "This is your own listing: another admin has to look at it.")


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


def _wrong_state(listing: Listing, what: str) -> Exception:
    return conflict("wrong_state", f"A listing that is {listing.status.replace('_', ' ')} cannot {what}.")
