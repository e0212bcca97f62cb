"""One of every decided event of offers and escrows, as a small history that hangs together."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid5

from schemas.base import DomainEvent
from schemas.events import marketplace
from tests.support.events import usd

Encrypt = Callable[[UUID, str, str], str]
DAY = datetime(2026, 5, 24, tzinfo=UTC)
LONG_TEXT = "What an audit compares by a digest, because it is longer than a text that it keeps as it is would be."


def deal_history(
    encrypt: Encrypt, in_order: Callable[..., list[DomainEvent]], root: UUID, seller: UUID, buyer: UUID
) -> list[DomainEvent]:
    """What `seller` and `buyer`, who is erased later, agreed on. `in_order` makes the events of one aggregate."""
    listing = uuid5(root, "listing")

    def said(who: UUID, text: str, **more: Any) -> dict[str, Any]:
        return {"author_id": who, "text": encrypt(who, "text", text), **more}

    def deal(name: str, *ends: tuple[type[DomainEvent], dict[str, Any]]) -> list[DomainEvent]:
        sides = {"listing_id": listing, "seller_id": seller, "buyer_id": buyer}
        priced = {"price": usd(40_000_00), "expires_at": DAY}
        begin = (marketplace.OfferSent, {**sides, **said(buyer, "Hello", **priced)})
        return in_order(uuid5(root, f"offer {name}"), begin, *ends)

    def escrow(name: str, *steps: tuple[type[DomainEvent], dict[str, Any]]) -> list[DomainEvent]:
        agreed = {
            "offer_id": uuid5(root, f"offer {name}"),
            "listing_id": listing,
            "seller_id": seller,
            "buyer_id": buyer,
            "price": usd(41_000_00),
            "pay_until": DAY,
        }
        return in_order(uuid5(root, f"escrow {name}"), (marketplace.EscrowAgreed, agreed), *steps)

    def accepted(name: str, **more: Any) -> tuple[type[DomainEvent], dict[str, Any]]:
        return marketplace.OfferAccepted, {"escrow_id": uuid5(root, f"escrow {name}"), "side": "buyer", **more}

    def direct(name: str, *steps: tuple[type[DomainEvent], dict[str, Any]]) -> list[DomainEvent]:
        agreed = {
            "offer_id": uuid5(root, f"offer {name}"),
            "listing_id": listing,
            "seller_id": seller,
            "buyer_id": buyer,
            "price": usd(41_000_00),
            "confirm_until": DAY,
        }
        begin = (marketplace.DirectDealAgreed, agreed)
        return [*deal(name, accepted(name, is_direct=True)), *in_order(uuid5(root, f"escrow {name}"), begin, *steps)]

    funded = (marketplace.EscrowFunded, {"reference": "tx"})
    late = (marketplace.EscrowFunded, {"reference": "tx", "is_late": True})
    opened = (marketplace.EscrowOpened, {"reference": "tx", "payment_url": "https://pay.example/1", "is_trial": True})
    delivered = (marketplace.EscrowDelivered, {"inspect_from": DAY})
    inspection = (marketplace.EscrowInspectionBegan, {"until": DAY})
    both = [(marketplace.DirectDealConfirmed, {"side": side}) for side in ("seller", "buyer")]
    halves = {"to_seller": usd(20_500_01), "to_buyer": usd(20_499_99)}
    return [
        *deal(
            "sold",
            (marketplace.OfferCountered, said(seller, "More", side="seller", price=usd(41_000_00), expires_at=DAY)),
            (marketplace.OfferMessageSent, said(buyer, LONG_TEXT, side="buyer")),
            (marketplace.OfferMessageSent, said(seller, LONG_TEXT, side="seller")),
            accepted("sold"),
            (marketplace.TransferProposed, {"website_id": root}),
            (marketplace.TransferAccepted, {"website_id": root}),
        ),
        *escrow(
            "sold",
            opened,
            funded,
            delivered,
            inspection,
            (marketplace.EscrowAccepted, {}),
            (marketplace.EscrowReleased, {"to_seller": usd(41_000_00), "to_buyer": usd(0)}),
        ),
        *deal("disputed", accepted("disputed")),
        *escrow(
            "disputed",
            funded,
            (marketplace.EscrowDisputed, said(buyer, "Nothing comes.", side="buyer")),
            (marketplace.EscrowDecided, {"outcome": "split", "reason": "Half and half.", **halves}),
        ),
        *deal("late", accepted("late")),
        *escrow("late", (marketplace.EscrowCancelled, {"side": None}), late, (marketplace.EscrowRefunded, {})),
        *in_order(uuid5(root, "direct deals"), (marketplace.DirectDealsSwitched, {"is_allowed": True})),
        *direct("direct", *both, (marketplace.DirectDealCompleted, {})),
        *deal(
            "kept",
            accepted("kept"),
            (marketplace.TransferProposed, {"website_id": root}),
            (marketplace.TransferDeclined, {}),
            (marketplace.TransferProposed, {"website_id": root}),
            (marketplace.TransferWithdrawn, {}),
        ),
        *direct(
            "direct disputed",
            (marketplace.DirectDealDisputed, said(buyer, "Nothing comes.", side="buyer")),
            (marketplace.DirectDealClosed, {"is_sold": False, "reason": "Never paid."}),
        ),
        *direct(
            "direct unanswered",
            both[0],
            (marketplace.DirectDealReminded, {"side": "buyer", "complete_at": DAY}),
            (marketplace.DirectDealCompleted, {"is_automatic": True}),
        ),
        *direct("direct cancelled", (marketplace.DirectDealCancelled, {"side": None})),
        *deal("declined", (marketplace.OfferDeclined, {"side": "seller"})),
        *deal("withdrawn", (marketplace.OfferWithdrawn, {})),
        *deal("expired", (marketplace.OfferExpired, {})),
    ]
