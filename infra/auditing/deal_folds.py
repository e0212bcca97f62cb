"""What the read models of offers, their threads and their escrows must hold after an event (see `folding`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final
from uuid import UUID, uuid5

from infra.auditing.forum_folds import BLANKED, kept
from schemas.base import DomainEvent
from schemas.events import accounts, deals

Key = tuple[Any, ...]
Row = dict[str, Any]
Rows = dict[Key, Row]

Words = deals.OfferSent | deals.OfferCountered | deals.OfferMessageSent

_OFFER_ENDS: Final[Mapping[type[DomainEvent], str]] = {
    deals.OfferAccepted: "accepted",
    deals.OfferDeclined: "declined",
    deals.OfferWithdrawn: "withdrawn",
    deals.OfferExpired: "expired",
}
_ESCROW_MOVES: Final[Mapping[type[DomainEvent], str]] = {
    deals.EscrowFunded: "funded",
    deals.EscrowDelivered: "delivered",
    deals.EscrowInspectionBegan: "inspecting",
    deals.EscrowAccepted: "accepted",
    deals.EscrowDisputed: "disputed",
    deals.EscrowReleased: "released",
    deals.EscrowRefunded: "refunded",
    deals.EscrowCancelled: "cancelled",
}


def offers(rows: Rows, event: DomainEvent, _: int) -> None:
    key = (event.originator_id,)
    match event:
        case deals.OfferSent():
            rows[key] = {
                "id": event.originator_id,
                "listing_id": event.listing_id,
                "seller_id": event.seller_id,
                "buyer_id": event.buyer_id,
                "status": "sent",
                "price": event.price.amount,
                "currency": event.price.currency,
                "turn": "seller",
                "expires_at": event.expires_at,
                "created_at": event.timestamp,
                "updated_at": event.timestamp,
                "escrow_id": None,
                "escrow_status": None,
                "disputed": False,
            }
        case deals.OfferCountered():
            turn = {"buyer": "seller", "seller": "buyer"}[event.side]
            price, currency = event.price.amount, event.price.currency
            at, until = event.timestamp, event.expires_at
            _change(
                rows,
                key,
                status="countered",
                price=price,
                currency=currency,
                turn=turn,
                expires_at=until,
                updated_at=at,
            )
        case deals.OfferMessageSent():
            _change(rows, key, updated_at=event.timestamp)
        case deals.EscrowAgreed():
            _change(rows, (event.offer_id,), escrow_id=event.originator_id, escrow_status="agreed")
        case deals.EscrowFunded() if event.is_late:
            pass
        case deals.EscrowDecided():
            _of_escrow(rows, event, {})
        case _ if type(event) in _OFFER_ENDS:
            _change(rows, key, status=_OFFER_ENDS[type(event)], updated_at=event.timestamp)
        case _ if type(event) in _ESCROW_MOVES:
            moved: Row = {"escrow_status": _ESCROW_MOVES[type(event)]}
            _of_escrow(rows, event, moved | ({"disputed": True} if isinstance(event, deals.EscrowDisputed) else {}))


def offer_messages(rows: Rows, event: DomainEvent, _: int) -> None:
    if isinstance(event, accounts.AccountErased):
        _blank(rows, "author_id", event.originator_id, "text")
    if isinstance(event, Words):
        key = uuid5(event.originator_id, str(event.originator_version))
        price = None if isinstance(event, deals.OfferMessageSent) else event.price
        rows[(key,)] = {
            "id": key,
            "offer_id": event.originator_id,
            "number": event.originator_version,
            "author_id": event.author_id,
            "side": "buyer" if isinstance(event, deals.OfferSent) else event.side,
            "text": kept(event.text),
            "price": price.amount if price else None,
            "currency": price.currency if price else None,
            "at": event.timestamp,
        }


def escrows(rows: Rows, event: DomainEvent, _: int) -> None:
    key = (event.originator_id,)
    match event:
        case accounts.AccountErased():
            _blank(rows, "disputer_id", event.originator_id, "dispute_text")
        case deals.EscrowAgreed():
            nothing_yet = ("payment_url", "inspect_from", "inspect_until", "disputed_by", "disputed_at", "disputer_id")
            rows[key] = {
                "id": event.originator_id,
                "offer_id": event.offer_id,
                "listing_id": event.listing_id,
                "seller_id": event.seller_id,
                "buyer_id": event.buyer_id,
                "status": "agreed",
                "price": event.price.amount,
                "currency": event.price.currency,
                "pay_until": event.pay_until,
                "is_trial": False,
                "came_late": False,
                "disputed": False,
                **dict.fromkeys((*nothing_yet, "dispute_text", "outcome", "decision_reason", "to_seller", "to_buyer")),
            }
        case deals.EscrowOpened():
            _change(rows, key, payment_url=event.payment_url, is_trial=event.is_trial)
        case deals.EscrowFunded() if event.is_late:
            _change(rows, key, came_late=True)
        case deals.EscrowDecided():
            seller, buyer = event.to_seller.amount, event.to_buyer.amount
            _change(rows, key, outcome=event.outcome, decision_reason=event.reason, to_seller=seller, to_buyer=buyer)
        case _ if type(event) in _ESCROW_MOVES:
            _change(rows, key, status=_ESCROW_MOVES[type(event)])
    match event:
        case deals.EscrowDelivered():
            _change(rows, key, inspect_from=event.inspect_from)
        case deals.EscrowInspectionBegan():
            _change(rows, key, inspect_until=event.until)
        case deals.EscrowDisputed():
            by, at = event.side, event.timestamp
            _change(rows, key, disputed=True, disputed_by=by, disputed_at=at)
            _change(rows, key, disputer_id=event.author_id, dispute_text=event.text)
        case deals.EscrowReleased():
            _change(rows, key, to_seller=event.to_seller.amount, to_buyer=event.to_buyer.amount)


def _of_escrow(rows: Rows, event: DomainEvent, values: Row) -> None:
    """Its offer's row; it is most likely one of the last."""
    for row in reversed(rows.values()):
        if row["escrow_id"] == event.originator_id:
            row.update(values, updated_at=event.timestamp)
            return


def _change(rows: Rows, key: Key, **values: Any) -> None:
    if key in rows:
        rows[key].update(values)


def _blank(rows: Rows, column: str, account_id: UUID, text: str) -> None:
    for row in rows.values():
        if row[column] == account_id:
            row[text] = BLANKED


FOLDS: Final[Mapping[str, Callable[[Rows, DomainEvent, int], None]]] = {
    "offers": offers,
    "offer_messages": offer_messages,
    "escrows": escrows,
}
