"""Notifications of sellers about listings, of members about questions, and of admins about reviews.

No title and no word of a question is in a notification: they go into mails too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from uuid import UUID

from command_api.notifications.notification import ADMINS, Notifications, OutgoingNotification, on, on_later
from schemas.base import DomainEvent
from schemas.events import marketplace
from schemas.events.marketplace import ListingDrafted, QuestionAsked

_TITLES: Final[Mapping[type[DomainEvent], str]] = {
    marketplace.ListingApproved: "Your listing is online",
    marketplace.ListingRejected: "Your listing was not approved: see the reason on its page",
    marketplace.ListingSuspended: "Your listing was taken offline: see the reason on its page",
    marketplace.ListingResumed: "Your listing is online again",
    marketplace.ListingExpired: "Your listing was online for 90 days and has expired: you can submit it again",
}
"""The titles of events that the seller is notified of."""


@on_later(*_TITLES)
def changed(event: DomainEvent, begin: ListingDrafted) -> Notifications:
    about = f"{event.originator_id} {event.originator_version}"
    yield _notification(about, begin.seller_id, event.originator_id, _TITLES[type(event)])


@on_later(marketplace.ListingSubmitted)
def submitted(_event: marketplace.ListingSubmitted, begin: ListingDrafted) -> Notifications:
    """Notifies admins once of all listings that wait for review, until the notification is seen."""
    seller = (begin.seller_id,)
    title = "A listing needs review"
    yield OutgoingNotification(
        "listing", "waiting", None, title=title, path="/admin/listings", but=seller, roles=ADMINS
    )


@on(QuestionAsked)
def asked(event: QuestionAsked) -> Notifications:
    yield _notification(f"{event.originator_id} asked", event.seller_id, event.listing_id, "You have a question")


@on_later(marketplace.QuestionAnswered)
def answered(event: marketplace.QuestionAnswered, begin: QuestionAsked) -> Notifications:
    about = f"{event.originator_id} answered"
    yield _notification(about, begin.author_id, begin.listing_id, "Your question was answered")


def _notification(about: str, to: UUID, listing_id: UUID, title: str) -> OutgoingNotification:
    return OutgoingNotification("listing", about, to, title=title, path=f"/marketplace/listing/{listing_id}")
