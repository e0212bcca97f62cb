"""What sellers are told of their listings, members of their questions, and admins of what waits for them.

No title and no word of a question is in a notification: they go into mails too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from command_api.notifications.notice import Notice, on, on_later
from schemas.base import DomainEvent
from schemas.events.marketplace import (
    ListingApproved,
    ListingDrafted,
    ListingExpired,
    ListingRejected,
    ListingResumed,
    ListingSubmitted,
    ListingSuspended,
    QuestionAnswered,
    QuestionAsked,
)


@on_later(ListingSubmitted)
def submitted(event: ListingSubmitted, begin: ListingDrafted) -> Iterable[Notice]:
    """Once for all that wait, until it is seen."""
    seller = (begin.seller_id,)
    title = "A listing waits for its review"
    yield Notice("listing", "waiting", None, title=title, path="/admin/listings", but=seller, admins=True)


@on_later(ListingApproved)
def approved(event: ListingApproved, begin: ListingDrafted) -> Iterable[Notice]:
    return _seller(event, begin, "Your listing is online")


@on_later(ListingRejected)
def rejected(event: ListingRejected, begin: ListingDrafted) -> Iterable[Notice]:
    return _seller(event, begin, "Your listing was sent back: its page says why")


@on_later(ListingSuspended)
def suspended(event: ListingSuspended, begin: ListingDrafted) -> Iterable[Notice]:
    return _seller(event, begin, "Your listing was taken offline: its page says why")


@on_later(ListingResumed)
def resumed(event: ListingResumed, begin: ListingDrafted) -> Iterable[Notice]:
    return _seller(event, begin, "Your listing is online again")


@on_later(ListingExpired)
def expired(event: ListingExpired, begin: ListingDrafted) -> Iterable[Notice]:
    return _seller(event, begin, "Your listing was online for 90 days and has expired: you can submit it again")


@on(QuestionAsked)
def asked(event: QuestionAsked) -> Iterable[Notice]:
    path = f"/marketplace/listing/{event.listing_id}"
    yield Notice("listing", f"{event.originator_id} asked", event.seller_id, title="You have a question", path=path)


@on_later(QuestionAnswered)
def answered(event: QuestionAnswered, begin: QuestionAsked) -> Iterable[Notice]:
    path, about = f"/marketplace/listing/{begin.listing_id}", f"{event.originator_id} answered"
    yield Notice("listing", about, begin.author_id, title="Your question was answered", path=path)


def _seller(event: DomainEvent, begin: ListingDrafted, title: str) -> Iterator[Notice]:
    about = f"{event.originator_id} {event.originator_version}"
    yield Notice("listing", about, begin.seller_id, title=title, path=f"/marketplace/listing/{event.originator_id}")
