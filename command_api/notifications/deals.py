"""Whom offers and deals tell what. Nobody is told of what they did themselves.

Who the two sides are says the first event of an offer's or an escrow's history. No price, title or word of a thread is
in a notification: they go into mails too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from uuid import UUID

from command_api.notifications.notice import Notice, on, on_later
from schemas.base import DomainEvent
from schemas.events.deals import (
    EscrowAccepted,
    EscrowAgreed,
    EscrowCancelled,
    EscrowDecided,
    EscrowDelivered,
    EscrowDisputed,
    EscrowFunded,
    EscrowInspectionBegan,
    EscrowOpened,
    EscrowRefunded,
    EscrowReleased,
    OfferAccepted,
    OfferCountered,
    OfferDeclined,
    OfferExpired,
    OfferMessageSent,
    OfferSent,
    OfferWithdrawn,
)

Begin = OfferSent | EscrowAgreed


@on(OfferSent)
def sent(event: OfferSent) -> Iterable[Notice]:
    return _told("offer", event, event, "You have an offer for your website", event.seller_id)


@on_later(OfferCountered)
def countered(event: OfferCountered, begin: Begin) -> Iterable[Notice]:
    return _told("offer", event, begin, "The other side of an offer named another price: it is your turn")


@on_later(OfferMessageSent)
def written(event: OfferMessageSent, begin: Begin) -> Iterable[Notice]:
    """Those of one thread are one notification with a count."""
    for notice in _told("offer_message", event, begin, "You have a message about an offer"):
        yield replace(notice, about=str(event.originator_id))


@on_later(OfferAccepted)
def accepted(event: OfferAccepted, begin: Begin) -> Iterable[Notice]:
    return _told("offer", event, begin, "Your price was accepted: the next step is the escrow")


@on_later(OfferDeclined)
def declined(event: OfferDeclined, begin: Begin) -> Iterable[Notice]:
    return _told("offer", event, begin, "Your price was declined: the offer has ended")


@on_later(OfferWithdrawn)
def withdrawn(event: OfferWithdrawn, begin: Begin) -> Iterable[Notice]:
    return _told("offer", event, begin, "A buyer took an offer for your website back")


@on_later(OfferExpired)
def expired(event: OfferExpired, begin: Begin) -> Iterable[Notice]:
    title = "An offer has ended: nobody answered in time, or the website was sold to another"
    return _told("offer", event, begin, title)


@on_later(EscrowOpened)
def opened(event: EscrowOpened, begin: Begin) -> Iterable[Notice]:
    return _told("deal", event, begin, "You can pay into escrow now", begin.buyer_id)


@on_later(EscrowFunded)
def funded(event: EscrowFunded, begin: Begin) -> Iterable[Notice]:
    if event.is_late:
        title = "Your payment came after the deal was cancelled: it goes back to you"
        return _told("deal", event, begin, title, begin.buyer_id)
    title = "The buyer's money is in escrow: please hand the website over"
    return _told("deal", event, begin, title, begin.seller_id)


@on_later(EscrowDelivered)
def delivered(event: EscrowDelivered, begin: Begin) -> Iterable[Notice]:
    title = "The seller has handed the website over: please confirm that you have it"
    return _told("deal", event, begin, title, begin.buyer_id)


@on_later(EscrowInspectionBegan)
def inspection_began(event: EscrowInspectionBegan, begin: Begin) -> Iterable[Notice]:
    title = "The inspection has begun: without a dispute until its end the website counts as accepted"
    return _told("deal", event, begin, title)


@on_later(EscrowAccepted)
def delivery_accepted(event: EscrowAccepted, begin: Begin) -> Iterable[Notice]:
    return _told("deal", event, begin, "The website is accepted: the escrow provider was asked to pay the seller")


@on_later(EscrowDisputed)
def disputed(event: EscrowDisputed, begin: Begin) -> Iterable[Notice]:
    """The two, and the admins who are neither of them: one has to decide."""
    yield from _told(
        "deal", event, begin, "The other side disputes the deal: write into its thread what there is to say"
    )
    [one, *_] = _told("deal", event, begin, "A deal is disputed: an administrator has to decide")
    yield replace(one, to=None, admins=True, but=(begin.buyer_id, begin.seller_id))


@on_later(EscrowDecided)
def decided(event: EscrowDecided, begin: Begin) -> Iterable[Notice]:
    return _told("deal", event, begin, "An administrator has decided the dispute")


@on_later(EscrowReleased)
def released(event: EscrowReleased, begin: Begin) -> Iterable[Notice]:
    return _told("deal", event, begin, "The deal is done: the escrow provider has paid out")


@on_later(EscrowRefunded)
def refunded(event: EscrowRefunded, begin: Begin) -> Iterable[Notice]:
    return _told("deal", event, begin, "The escrow provider has paid the buyer's money back")


@on_later(EscrowCancelled)
def cancelled(event: EscrowCancelled, begin: Begin) -> Iterable[Notice]:
    return _told("deal", event, begin, "The deal was cancelled before it was paid")


def _told(kind: str, event: DomainEvent, begin: Begin, title: str, *to: UUID) -> Iterator[Notice]:
    """`to`: both sides, if nobody is named."""
    offer_id = begin.offer_id if isinstance(begin, EscrowAgreed) else begin.originator_id
    about = f"{event.originator_id} {event.originator_version}"
    for account in to or (begin.buyer_id, begin.seller_id):
        if account != event.actor_id:
            yield Notice(kind, about, account, title=title, path=f"/marketplace/deals/{offer_id}")
