"""Notifications about offers and deals. Members get none about their own actions.

The first event of an offer's, an escrow's or a direct deal's stream names the two sides. No price, title or word of a
thread is in a notification: they go into mails too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final
from uuid import UUID

from command_api.notifications.notification import ADMINS, Notifications, OutgoingNotification, on, on_later
from schemas.base import DomainEvent
from schemas.events import marketplace
from schemas.events.marketplace import DirectDealAgreed, EscrowAgreed, OfferSent

Begin = OfferSent | EscrowAgreed | DirectDealAgreed

_TITLES: Final[Mapping[type[DomainEvent], str]] = {
    marketplace.OfferCountered: "The other side made a counter-offer: it is your turn",
    marketplace.OfferAccepted: "Your price was accepted: see the next step",
    marketplace.OfferDeclined: "Your price was declined: the offer has ended",
    marketplace.OfferWithdrawn: "A buyer withdrew an offer for your website",
    marketplace.OfferExpired: "An offer has ended: no one responded in time, or the website was sold to another",
    marketplace.TransferProposed: "The seller offers to move the website to your account: see what moves",
    marketplace.TransferWithdrawn: "The seller no longer offers to move the website",
    marketplace.TransferDeclined: "The buyer declined the move of the website",
    marketplace.TransferAccepted: "The website has moved to the buyer's account",
    marketplace.EscrowInspectionBegan: (
        "The inspection has begun: the website is accepted automatically unless there is a dispute"
    ),
    marketplace.EscrowAccepted: "The website is accepted: the escrow provider was asked to pay the seller",
    marketplace.EscrowDecided: "An admin has decided the dispute",
    marketplace.EscrowReleased: "The deal is complete: the escrow provider has paid out",
    marketplace.EscrowRefunded: "The escrow provider has paid the buyer's money back",
    marketplace.EscrowCancelled: "The deal was canceled before it was paid",
    marketplace.DirectDealConfirmed: "The other side confirmed the handover: please confirm it, too",
    marketplace.DirectDealClosed: "An admin recorded how the disputed deal ended",
    marketplace.DirectDealCancelled: "The deal was canceled before it was confirmed",
}
"""The titles of events that both sides are notified of."""


@on_later(*_TITLES)
def changed(event: DomainEvent, begin: Begin) -> Notifications:
    return _notification(event, begin, _TITLES[type(event)])


@on(OfferSent)
def sent(event: OfferSent) -> Notifications:
    return _notification(event, event, "You have an offer for your website", event.seller_id)


@on_later(marketplace.OfferMessageSent)
def written(event: marketplace.OfferMessageSent, begin: Begin) -> Notifications:
    """Notifies the other side of a message; messages of one thread are one notification with a count."""
    for notice in _notification(event, begin, "You have a message about an offer"):
        yield replace(notice, kind="offer_message", about=str(event.originator_id))


@on_later(marketplace.EscrowOpened)
def opened(event: marketplace.EscrowOpened, begin: Begin) -> Notifications:
    return _notification(event, begin, "You can pay into escrow now", begin.buyer_id)


@on_later(marketplace.EscrowFunded)
def funded(event: marketplace.EscrowFunded, begin: Begin) -> Notifications:
    if event.is_late:
        title = "Your payment came after the deal was canceled: it goes back to you"
        return _notification(event, begin, title, begin.buyer_id)
    title = "The buyer's money is in escrow: please transfer the website"
    return _notification(event, begin, title, begin.seller_id)


@on_later(marketplace.EscrowDelivered)
def delivered(event: marketplace.EscrowDelivered, begin: Begin) -> Notifications:
    title = "The seller marked the website as delivered: please confirm receipt"
    return _notification(event, begin, title, begin.buyer_id)


@on_later(marketplace.DirectDealCompleted)
def completed(event: marketplace.DirectDealCompleted, begin: Begin) -> Notifications:
    title = "The deal is complete: both sides have confirmed it"
    if event.is_automatic:
        title = "The deal is complete: one side confirmed it, and the other did not respond in time"
    return _notification(event, begin, title)


@on_later(marketplace.DirectDealReminded)
def reminded(event: marketplace.DirectDealReminded, begin: Begin) -> Notifications:
    to = begin.buyer_id if event.side == "buyer" else begin.seller_id
    return _notification(event, begin, "Please confirm the handover or dispute it: else the website counts as sold", to)


@on_later(marketplace.EscrowDisputed, marketplace.DirectDealDisputed)
def disputed(event: DomainEvent, begin: Begin) -> Notifications:
    """Notifies both sides, and the admins who are neither of them: one has to decide."""
    yield from _notification(event, begin, "The other side disputes the deal: please add your statement to its thread")
    [one, *_] = _notification(event, begin, "A deal is disputed: an admin has to decide")
    yield replace(one, to=None, roles=ADMINS, but=(begin.buyer_id, begin.seller_id))


def _notification(event: DomainEvent, begin: Begin, title: str, *to: UUID) -> Iterator[OutgoingNotification]:
    """Notifies the accounts of `to`, both sides without one, but not the actor."""
    kind, offer_id = (
        ("deal", begin.offer_id)
        if isinstance(begin, EscrowAgreed | DirectDealAgreed)
        else ("offer", begin.originator_id)
    )
    about = f"{event.originator_id} {event.originator_version}"
    for account in to or (begin.buyer_id, begin.seller_id):
        if account != event.actor_id:
            yield OutgoingNotification(kind, about, account, title=title, path=f"/marketplace/deals/{offer_id}")
