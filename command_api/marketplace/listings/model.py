"""A website for sale: drafted, reviewed, offered, sold. Pure.

Details are reviewed before others see them, and again whenever they change. A listing cannot change from an accepted
offer until the end of the deal. `edition` counts the seller's changes alone: it detects concurrent edits, while reviews
and measurements do not interfere. A measurement belongs to one address and is dropped when the address or the connected
website changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from fractions import Fraction
from hmac import compare_digest
from typing import Final, Literal
from uuid import UUID

from command_api.kernel.aggregates import advanced, first_event, next_event, require_found, shared_fields
from command_api.kernel.decision import CommandContext, CommandRejected, conflict, invalid, not_found
from command_api.marketplace.listings.details import ListingDetails, host_of, require_complete, reviewed_details
from schemas.base import ERASED, DomainEvent, MoneySum
from schemas.events import marketplace
from schemas.events.marketplace import ListingStatus, MeasuredMonth, MeasuredShare
from schemas.evolution import UnexpectedEvent
from schemas.listing_verification import difference

CURRENCY: Final = "USD"
REVIEW_INVITE_FOR: Final = timedelta(days=14)
ONLINE_FOR: Final = timedelta(days=90)
VERIFICATION_INTERVAL: Final = timedelta(hours=1)
MAX_IMAGES: Final = 8
MAX_EDITIONS: Final = 2_000
MAX_EVENTS: Final = 4_000

_AT_REST: Final = ("draft", "rejected", "withdrawn", "expired")
_CHANGEABLE: Final = (*_AT_REST, "in_review", "active")
DEALING: Final = ("under_offer", "in_escrow")
ON_MARKET: Final = ("in_review", "active", "suspended", *DEALING)
"""A website can be in one listing of its seller with one of these statuses."""


NotVerified = Literal["no_website", "no_whole_month", "domain_not_proven"]


@dataclass(frozen=True, slots=True)
class ReviewerInvite:
    """An unused link for a reviewer. `key_hash`: SHA-256 of its token."""

    key_hash: str
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class Listing:
    """State of one listing. `offer_id` and `buyer_id` are set while a deal reserves it."""

    id: UUID
    version: int
    seller_id: UUID
    details: ListingDetails
    status: ListingStatus = "draft"
    edition: int = 1
    images: tuple[str, ...] = ()
    expires_at: datetime | None = None
    offer_id: UUID | None = None
    """The accepted one."""
    buyer_id: UUID | None = None
    verification_asked_at: datetime | None = None
    verification_pending: bool = False
    """The seller has requested a verification."""
    verified_at: datetime | None = None
    verified_website: UUID | None = None
    not_verified: NotVerified | None = None
    invite: ReviewerInvite | None = None
    reviewer_id: UUID | None = None
    """The invited member who may review it until this review ends."""

    @property
    def website_id(self) -> UUID | None:
        return self.details.figures.website_id

    @property
    def is_open(self) -> bool:
        return self.status == "active"

    @property
    def host(self) -> str | None:
        return host_of(self.details.website_url)


def title_of(listing: Listing | None) -> str | None:
    """Returns its title for texts that name it; `None` if it is erased."""
    return listing.details.title if listing is not None and listing.details.title != ERASED else None


def draft(listing_id: UUID, details: ListingDetails, context: CommandContext) -> marketplace.ListingDrafted:
    head, seller_id = first_event(listing_id, context), context.require_account()
    return marketplace.ListingDrafted(**head, seller_id=seller_id, **shared_fields(details, marketplace.ListingDrafted))


def edit(listing: Listing | None, details: ListingDetails, edition: int, context: CommandContext) -> list[DomainEvent]:
    """Changes the details; a published listing with new ones goes back into the review."""
    listing = _require_changeable(require_owned(listing, context))
    if listing.edition != edition:
        raise conflict("changed_elsewhere", "This listing was changed elsewhere. Please reload it.", "edition")
    if details == listing.details:
        return []
    edited = marketplace.ListingEdited(
        **next_event(listing, context), seller_id=listing.seller_id, **shared_fields(details, marketplace.ListingEdited)
    )
    after = evolve(listing, edited)
    is_another = (after.host, after.website_id) != (listing.host, listing.website_id)
    dropped = not_verified(after, "no_website", context) if listing.verified_at is not None and is_another else []
    return [
        edited,
        *dropped,
        *_resubmission(after, len(dropped), reviewed_details(details) != reviewed_details(listing.details), context),
    ]


def change_images(listing: Listing | None, images: Sequence[str], context: CommandContext) -> list[DomainEvent]:
    """Changes the images. A new image needs a review; removing or reordering images does not."""
    listing = _require_changeable(require_owned(listing, context))
    if len(images) > MAX_IMAGES:
        raise conflict("too_many_images", f"A listing has at most {MAX_IMAGES} images.", "images")
    if len(set(images)) < len(images):
        raise invalid("same_image", "This image is already in the listing.", "images")
    if tuple(images) == listing.images:
        return []
    changed = marketplace.ListingImagesChanged(**next_event(listing, context), images=list(images))
    return [changed, *_resubmission(evolve(listing, changed), 0, not set(images) <= set(listing.images), context)]


def submit(listing: Listing | None, context: CommandContext) -> list[DomainEvent]:
    listing = require_owned(listing, context)
    if listing.status == "in_review":
        return []
    if listing.status not in _AT_REST:
        raise _wrong_state(listing, "be submitted")
    if listing.version >= MAX_EVENTS:
        raise _too_many_changes()
    require_complete(listing.details)
    return [marketplace.ListingSubmitted(**next_event(listing, context))]


def approve(listing: Listing | None, edition: int, context: CommandContext) -> list[DomainEvent]:
    """Approves the listing. `edition`: the reviewed one; the seller may have changed the listing since. Admins cannot
    approve their own."""
    listing = _require_in_review(listing)
    _require_not_own(listing, context)
    if listing.edition != edition:
        raise conflict("changed_elsewhere", "The seller has changed this listing. Please reload it.", "edition")
    head, until = next_event(listing, context), context.at + ONLINE_FOR
    by_reviewer = _is_reviewer(listing, context)
    return [marketplace.ListingApproved(**head, seller_id=listing.seller_id, expires_at=until, by_reviewer=by_reviewer)]


def reject(listing: Listing | None, reason: str, context: CommandContext) -> list[DomainEvent]:
    listing = _require_in_review(listing)
    return [
        marketplace.ListingRejected(
            **next_event(listing, context),
            seller_id=listing.seller_id,
            reason=reason,
            by_reviewer=_is_reviewer(listing, context),
        )
    ]


def invite_reviewer(
    listing: Listing | None, key_hash: str, context: CommandContext
) -> marketplace.ListingReviewerInvited:
    """Invites one other person by a link, for a seller who is an admin. It replaces the previous link and ends the role
    of the person who used that."""
    listing = _require_in_review(require_owned(listing, context))
    if not context.is_admin:
        message = "Only an admin who sells invites a reviewer: the admins review your listing."
        raise CommandRejected("forbidden", "admins_only", message)
    if listing.version >= MAX_EVENTS:
        raise _too_many_changes()
    until = context.at + REVIEW_INVITE_FOR
    return marketplace.ListingReviewerInvited(**next_event(listing, context), key_hash=key_hash, expires_at=until)


def join_review(listing: Listing | None, key_hash: str, context: CommandContext) -> list[DomainEvent]:
    """Makes the first member who opens the link the reviewer; idempotent for them. Never the seller."""
    if listing is None or listing.invite is None or not compare_digest(listing.invite.key_hash, key_hash):
        raise not_found("review link")
    _require_not_own(listing, context)
    if listing.reviewer_id is not None and listing.reviewer_id == context.account_id:
        return []
    if listing.reviewer_id is not None or context.at >= listing.invite.expires_at or listing.status != "in_review":
        raise not_found("review link")
    reviewer_id = context.require_account()
    return [
        marketplace.ListingReviewerJoined(
            **next_event(listing, context), seller_id=listing.seller_id, reviewer_id=reviewer_id
        )
    ]


def require_reviewer(listing: Listing | None, context: CommandContext) -> Listing:
    """The listing, for its invited reviewer alone."""
    if listing is None or not _is_reviewer(listing, context):
        raise not_found("listing")
    return listing


def suspend(listing: Listing | None, reason: str, context: CommandContext) -> list[DomainEvent]:
    listing = require_found(listing, "listing")
    if listing.status != "active":
        raise _wrong_state(listing, "be suspended")
    return [marketplace.ListingSuspended(**next_event(listing, context), seller_id=listing.seller_id, reason=reason)]


def resume(listing: Listing | None, context: CommandContext) -> list[DomainEvent]:
    listing = require_found(listing, "listing")
    if listing.status != "suspended":
        raise _wrong_state(listing, "be put online again")
    _require_not_own(listing, context)
    return [marketplace.ListingResumed(**next_event(listing, context))]


def withdraw(listing: Listing | None, context: CommandContext) -> list[DomainEvent]:
    listing = require_owned(listing, context)
    if listing.status == "withdrawn":
        return []
    if listing.status in (*DEALING, "sold"):
        raise _wrong_state(listing, "be withdrawn")
    return [marketplace.ListingWithdrawn(**next_event(listing, context))]


def expire(listing: Listing | None, context: CommandContext) -> list[DomainEvent]:
    """Takes an expired listing offline; returns no events when its time is not over, or it is not online."""
    if listing is None or listing.status != "active" or listing.expires_at is None or context.at < listing.expires_at:
        return []
    return [marketplace.ListingExpired(**next_event(listing, context))]


def reserve(listing: Listing | None, offer_id: UUID, buyer_id: UUID, context: CommandContext) -> list[DomainEvent]:
    """Reserves it for one offer: of two offers that are accepted concurrently only one succeeds."""
    listing = require_found(listing, "listing")
    if listing.status in (*DEALING, "sold"):
        raise conflict("taken", "Another offer for this website was accepted.")
    if listing.status != "active":
        raise _wrong_state(listing, "be sold")
    return [marketplace.ListingReserved(**next_event(listing, context), offer_id=offer_id, buyer_id=buyer_id)]


def free(listing: Listing | None, offer_id: UUID, context: CommandContext) -> list[DomainEvent]:
    listing = _require_reserved(listing, offer_id)
    return [marketplace.ListingFreed(**next_event(listing, context), offer_id=offer_id)]


def put_in_escrow(listing: Listing | None, offer_id: UUID, context: CommandContext) -> list[DomainEvent]:
    listing = _require_reserved(listing, offer_id)
    return [marketplace.ListingInEscrow(**next_event(listing, context), offer_id=offer_id)]


def sell(listing: Listing | None, offer_id: UUID, context: CommandContext) -> list[DomainEvent]:
    listing = _require_reserved(listing, offer_id)
    sold = next_event(listing, context)
    return [marketplace.ListingSold(**sold, seller_id=listing.seller_id, offer_id=offer_id)]


def ask_verification(listing: Listing | None, context: CommandContext) -> list[DomainEvent]:
    listing = require_owned(listing, context)
    if listing.website_id is None:
        message = "Choose the tracked website first."
        raise invalid("no_website", message, "websiteId")
    if listing.status in ("sold", "withdrawn"):
        raise _wrong_state(listing, "be verified")
    last = listing.verification_asked_at
    if last is not None and last <= context.at < last + VERIFICATION_INTERVAL:
        raise conflict("asked_already", "You can request verification once per hour.")
    return [marketplace.ListingVerificationAsked(**next_event(listing, context))]


def verify(
    listing: Listing,
    months: Sequence[MeasuredMonth],
    revenue: MoneySum | None,
    share: MeasuredShare,
    context: CommandContext,
    website_id: UUID,
) -> list[DomainEvent]:
    """Records the measurements of a website whose domain is proven. `months`: at least one. `revenue`: of all of them
    together, in the listing's currency."""
    figures = listing.details.figures
    traffic = round(sum(month.visitors for month in months) / len(months))
    monthly = None
    if revenue is not None:
        monthly = MoneySum(amount=round(Fraction(revenue.amount, len(months))), currency=revenue.currency)
    stated = figures.monthly_revenue.amount if figures.monthly_revenue is not None else None
    return [
        marketplace.ListingVerified(
            **next_event(listing, context),
            website_id=website_id,
            as_of=context.at,
            months=list(months),
            monthly_traffic=traffic,
            monthly_revenue=monthly,
            traffic_difference=difference(figures.monthly_traffic, traffic),
            revenue_difference=difference(stated, monthly.amount) if monthly is not None else None,
            domain_proven=True,
            share=share,
        )
    ]


def not_verified(listing: Listing, reason: NotVerified, context: CommandContext) -> list[DomainEvent]:
    return [marketplace.ListingNotVerified(**next_event(listing, context), reason=reason)]


def require_owned(listing: Listing | None, context: CommandContext) -> Listing:
    """The seller's own listing. Admins act on it only in the review."""
    if listing is None or (context.account_id is not None and context.account_id != listing.seller_id):
        raise not_found("listing")
    return listing


def require_on_sale(listing: Listing | None) -> Listing:
    """A listing that is publicly visible."""
    if listing is None or listing.status not in ("active", "under_offer"):
        raise not_found("listing")
    return listing


def evolve(listing: Listing | None, event: DomainEvent) -> Listing:
    if isinstance(event, marketplace.ListingDrafted):
        return Listing(event.originator_id, 1, event.seller_id, _details(event))
    listing = _review_step(advanced(listing, event), event)
    match event:
        case marketplace.ListingEdited():
            return replace(listing, details=_details(event), edition=listing.edition + 1)
        case marketplace.ListingImagesChanged():
            return replace(listing, images=tuple(event.images), edition=listing.edition + 1)
        case marketplace.ListingApproved():
            return replace(listing, status="active", expires_at=event.expires_at)
        case marketplace.ListingReserved():
            return replace(listing, status="under_offer", offer_id=event.offer_id, buyer_id=event.buyer_id)
        case marketplace.ListingFreed():
            return replace(listing, status="active", offer_id=None, buyer_id=None)
        case marketplace.ListingVerificationAsked():
            return replace(listing, verification_asked_at=event.timestamp, verification_pending=True)
        case marketplace.ListingVerified() | marketplace.ListingNotVerified():
            return _measured(replace(listing, verification_pending=False), event)
        case _:
            status = STATUS_AFTER.get(type(event))
            if status is None:
                raise UnexpectedEvent(f"{event.NAME} does not happen to listings")
            return replace(listing, status=status)


STATUS_AFTER: Final[dict[type[DomainEvent], ListingStatus]] = {
    marketplace.ListingApproved: "active",
    marketplace.ListingReserved: "under_offer",
    marketplace.ListingFreed: "active",
    marketplace.ListingSubmitted: "in_review",
    marketplace.ListingReviewerInvited: "in_review",
    marketplace.ListingReviewerJoined: "in_review",
    marketplace.ListingRejected: "rejected",
    marketplace.ListingSuspended: "suspended",
    marketplace.ListingResumed: "active",
    marketplace.ListingWithdrawn: "withdrawn",
    marketplace.ListingExpired: "expired",
    marketplace.ListingInEscrow: "in_escrow",
    marketplace.ListingSold: "sold",
}


def _is_reviewer(listing: Listing, context: CommandContext) -> bool:
    return listing.reviewer_id is not None and listing.reviewer_id == context.account_id


def _review_step(listing: Listing, event: DomainEvent) -> Listing:
    """The invite and its reviewer, whose role ends with the review."""
    match event:
        case marketplace.ListingReviewerInvited():
            return replace(listing, invite=ReviewerInvite(event.key_hash, event.expires_at), reviewer_id=None)
        case marketplace.ListingReviewerJoined():
            return replace(listing, reviewer_id=event.reviewer_id)
        case marketplace.ListingApproved() | marketplace.ListingRejected() | marketplace.ListingWithdrawn():
            return replace(listing, invite=None, reviewer_id=None)
        case _:
            return listing


def _measured(listing: Listing, event: marketplace.ListingVerified | marketplace.ListingNotVerified) -> Listing:
    if isinstance(event, marketplace.ListingNotVerified):
        return replace(listing, verified_at=None, verified_website=None, not_verified=event.reason)
    if not event.domain_proven:  # from before proofs were required: it is measured again
        return replace(listing, verified_at=None, verified_website=None, not_verified=None)
    return replace(listing, verified_at=event.as_of, verified_website=event.website_id, not_verified=None)


def _details(event: marketplace.ListingDrafted | marketplace.ListingEdited) -> ListingDetails:
    return ListingDetails(event.title, event.website_url, event.description, event.figures)


def _resubmission(after: Listing, steps: int, states_more: bool, context: CommandContext) -> list[DomainEvent]:
    """Submits an online listing again if it states more. `after`: the listing after a change, which so many other steps
    follow."""
    if after.status in ("active", "in_review"):
        require_complete(after.details)
    if after.status != "active" or not states_more:
        return []
    return [marketplace.ListingSubmitted(**next_event(after, context, after=steps))]


def _require_changeable(listing: Listing) -> Listing:
    if listing.status not in _CHANGEABLE:
        raise _wrong_state(listing, "be changed")
    if listing.edition >= MAX_EDITIONS:
        raise _too_many_changes()
    return listing


def _too_many_changes() -> CommandRejected:
    return conflict("too_many_changes", "This listing was changed too often. Please make a new one.")


def _require_not_own(listing: Listing, context: CommandContext) -> None:
    if context.account_id == listing.seller_id:
        raise CommandRejected("forbidden", "own_listing", "This is your own listing: another person has to review it.")


def _require_in_review(listing: Listing | None) -> Listing:
    listing = require_found(listing, "listing")
    if listing.status != "in_review":
        raise _wrong_state(listing, "be reviewed")
    return listing


def _require_reserved(listing: Listing | None, offer_id: UUID) -> Listing:
    listing = require_found(listing, "listing")
    if listing.status not in DEALING or listing.offer_id != offer_id:
        raise _wrong_state(listing, "be handed over")
    return listing


def _wrong_state(listing: Listing, what: str) -> Exception:
    return conflict("wrong_state", f"A listing that is {listing.status.replace('_', ' ')} cannot {what}.")
