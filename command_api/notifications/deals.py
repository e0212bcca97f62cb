"""Notifications about offers and deals. Members get none about their own actions.

The first event of an offer's, an escrow's or a direct deal's stream names the two sides. What is said is in
`infra.domain.deal_words`, which emails use as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final
from uuid import UUID

from command_api.notifications.notification import ADMINS, Notifications, OutgoingNotification, on, on_later
from infra.domain.deal_words import Begin, deal_line
from schemas.base import DomainEvent
from schemas.events import marketplace
from schemas.events.marketplace import DirectDealAgreed, EscrowAgreed, OfferSent

_TO_BOTH: Final = (
    marketplace.OfferCountered,
    marketplace.OfferDeclined,
    marketplace.OfferWithdrawn,
    marketplace.OfferExpired,
    marketplace.TransferProposed,
    marketplace.TransferWithdrawn,
    marketplace.TransferDeclined,
    marketplace.TransferAccepted,
    marketplace.EscrowInspectionBegan,
    marketplace.EscrowAccepted,
    marketplace.EscrowDecided,
    marketplace.EscrowReleased,
    marketplace.EscrowRefunded,
    marketplace.EscrowCancelled,
    marketplace.DirectDealConfirmed,
    marketplace.DirectDealCompleted,
    marketplace.DirectDealClosed,
    marketplace.DirectDealCancelled,
)
"""The events of which the side that did not cause them is notified, or both."""


@on_later(*_TO_BOTH)
def changed(event: DomainEvent, begin: Begin) -> Notifications:
    return _notification(event, begin)


@on(EscrowAgreed, DirectDealAgreed)
def agreed(event: EscrowAgreed | DirectDealAgreed) -> Notifications:
    """Of an accepted offer: this event has the price and until when it is to be paid."""
    return _notification(event, event)


@on(OfferSent)
def sent(event: OfferSent) -> Notifications:
    return _notification(event, event, event.seller_id)


@on_later(marketplace.OfferMessageSent)
def written(event: marketplace.OfferMessageSent, begin: Begin) -> Notifications:
    """Notifies the other side of a message; messages of one thread are one notification with a count."""
    for notice in _notification(event, begin):
        yield replace(notice, kind="offer_message", about=str(event.originator_id))


@on_later(marketplace.EscrowOpened, marketplace.EscrowDelivered)
def due_from_buyer(event: DomainEvent, begin: Begin) -> Notifications:
    return _notification(event, begin, begin.buyer_id)


@on_later(marketplace.EscrowFunded)
def funded(event: marketplace.EscrowFunded, begin: Begin) -> Notifications:
    return _notification(event, begin, begin.buyer_id if event.is_late else begin.seller_id)


@on_later(marketplace.DirectDealReminded)
def reminded(event: marketplace.DirectDealReminded, begin: Begin) -> Notifications:
    return _notification(event, begin, begin.buyer_id if event.side == "buyer" else begin.seller_id)


@on_later(marketplace.EscrowDisputed, marketplace.DirectDealDisputed)
def disputed(event: DomainEvent, begin: Begin) -> Notifications:
    """Notifies both sides, and the admins who are neither of them: one has to decide."""
    [*sides] = _notification(event, begin)
    yield from sides
    title = "The deal for {listing} is disputed: an admin has to decide"
    yield replace(sides[0], to=None, roles=ADMINS, but=(begin.buyer_id, begin.seller_id), title=title)


def _notification(event: DomainEvent, begin: Begin, *to: UUID) -> Iterator[OutgoingNotification]:
    """Notifies the accounts of `to`, both sides without one, but not the actor."""
    kind, offer_id = (
        ("deal", begin.offer_id)
        if isinstance(begin, EscrowAgreed | DirectDealAgreed)
        else ("offer", begin.originator_id)
    )
    about = f"{event.originator_id} {event.originator_version}"
    for account in to or (begin.buyer_id, begin.seller_id):
        if account != event.actor_id:
            title = deal_line(event, begin, to_buyer=account == begin.buyer_id)
            path = f"/marketplace/deals/{offer_id}"
            yield OutgoingNotification(
                kind, about, account, event.actor_id, title=title, path=path, listing_id=begin.listing_id
            )
