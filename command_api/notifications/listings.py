"""Notifications of sellers about listings, of members about questions, and of admins about reviews.

No word of a question is in a notification: they go into emails too.
"""

from __future__ import annotations

from uuid import UUID

from command_api.notifications.notification import ADMINS, Notifications, OutgoingNotification, on, on_later
from infra.domain.deal_words import listing_line
from schemas.base import DomainEvent
from schemas.events import marketplace
from schemas.events.marketplace import ListingDrafted, QuestionAsked
from schemas.notifications import LISTING_TO_REVIEW


@on_later(
    marketplace.ListingApproved,
    marketplace.ListingRejected,
    marketplace.ListingSuspended,
    marketplace.ListingResumed,
    marketplace.ListingExpired,
)
def changed(event: DomainEvent, begin: ListingDrafted) -> Notifications:
    """Names no actor: admins decide in the name of the installation."""
    about = f"{event.originator_id} {event.originator_version}"
    yield _notification(about, begin.seller_id, event.originator_id, listing_line(event))


@on_later(marketplace.ListingSubmitted)
def submitted(event: marketplace.ListingSubmitted, begin: ListingDrafted) -> Notifications:
    """Notifies admins once of all listings that await review, until the notification is seen."""
    seller = (begin.seller_id,)
    yield OutgoingNotification(
        "listing",
        "waiting",
        None,
        begin.seller_id,
        title=LISTING_TO_REVIEW,
        path="/admin/listings",
        but=seller,
        roles=ADMINS,
        listing_id=event.originator_id,
    )


@on(QuestionAsked)
def asked(event: QuestionAsked) -> Notifications:
    about = f"{event.originator_id} asked"
    yield _notification(about, event.seller_id, event.listing_id, listing_line(event), event.author_id)


@on_later(marketplace.QuestionAnswered)
def answered(event: marketplace.QuestionAnswered, begin: QuestionAsked) -> Notifications:
    about = f"{event.originator_id} answered"
    yield _notification(about, begin.author_id, begin.listing_id, listing_line(event), begin.seller_id)


def _notification(
    about: str, to: UUID, listing_id: UUID, title: str, actor: UUID | None = None
) -> OutgoingNotification:
    path = f"/marketplace/listing/{listing_id}"
    return OutgoingNotification("listing", about, to, actor, title=title, path=path, listing_id=listing_id)
