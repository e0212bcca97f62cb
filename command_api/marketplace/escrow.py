"""Whose turn it is with the money: `agreed -> funded -> delivered -> inspecting -> accepted | disputed -> released |
refunded`, or `cancelled` before anybody paid. Pure.

Nothing here moves money. A decision may come with a `Call`: what the provider is to be told, kept beside the events and
repeated until it is heard. That money moved, only the provider's own signed messages say.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final, Literal
from uuid import UUID

from command_api.decision import AnotherKind, Asked, Refused, begun, conflict, invalid, missing, step
from command_api.marketplace.offers import Offer
from schemas.base import DomainEvent, Money
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
    EscrowStatus,
    Outcome,
    Side,
)

PAY_WITHIN: Final = timedelta(days=7)
RECEIVE_WITHIN: Final = timedelta(days=3)
INSPECT_FOR: Final = timedelta(days=3)

CallStep = Literal["open", "settle", "cancel"]


@dataclass(frozen=True, slots=True)
class Call:
    """What the provider is to be told. Once for each step of an escrow: that is its idempotency key."""

    step: CallStep
    to_seller: int = 0
    to_buyer: int = 0


@dataclass(frozen=True, slots=True)
class Escrow:
    id: UUID
    version: int
    offer_id: UUID
    listing_id: UUID
    seller_id: UUID
    buyer_id: UUID
    price: Money
    pay_until: datetime
    status: EscrowStatus = "agreed"
    reference: str | None = None
    inspect_from: datetime | None = None
    inspect_until: datetime | None = None
    to_seller: int = 0
    to_buyer: int = 0
    was_disputed: bool = False
    decided: bool = False
    money_came_late: bool = False

    @property
    def is_over(self) -> bool:
        return self.status in ("released", "refunded", "cancelled")

    @property
    def awaits_payout(self) -> bool:
        """The provider was told whom to pay, and has not said that it did."""
        return self.to_seller + self.to_buyer > 0 and self.status not in ("released", "refunded")

    @property
    def awaits_provider(self) -> bool:
        """For the buyer's money, or for a payout."""
        return self.status == "agreed" or self.awaits_payout

    @property
    def due_at(self) -> datetime | None:
        """When something happens by itself."""
        match self.status:
            case "agreed":
                return self.pay_until
            case "delivered":
                return self.inspect_from
            case "inspecting":
                return self.inspect_until
            case _:
                return None

    def side_of(self, account_id: UUID | None) -> Side | None:
        if account_id == self.buyer_id:
            return "buyer"
        return "seller" if account_id == self.seller_id else None


Decision = tuple[list[DomainEvent], Call | None]


def agree(escrow_id: UUID, offer: Offer, asked: Asked) -> Decision:
    agreed = EscrowAgreed(
        **step(escrow_id, 0, asked),
        offer_id=offer.id,
        listing_id=offer.listing_id,
        seller_id=offer.seller_id,
        buyer_id=offer.buyer_id,
        price=offer.price,
        pay_until=asked.at + PAY_WITHIN,
    )
    return [agreed], Call("open")


def opened(
    escrow: Escrow, reference: str, payment_url: str, asked: Asked, *, is_trial: bool = False
) -> list[DomainEvent]:
    """What the provider answered to `open`; nothing when it is known."""
    if escrow.reference is not None or escrow.is_over:
        return []
    by = step(escrow.id, escrow.version, asked)
    return [EscrowOpened(**by, reference=reference, payment_url=payment_url, is_trial=is_trial)]


def funded(escrow: Escrow, reference: str, amount: Money, asked: Asked) -> Decision:
    """The provider has the money. Of a deal that was cancelled meanwhile it goes back."""
    _same(escrow, reference)
    if amount != escrow.price:
        raise invalid("wrong_amount", "This is not the amount that was agreed on.", "amount")
    came = step(escrow.id, escrow.version, asked)
    if escrow.status == "agreed":
        return [EscrowFunded(**came, reference=reference)], None
    if escrow.status == "cancelled" and not escrow.money_came_late:
        late = EscrowFunded(**came, reference=reference, is_late=True)
        return [late], Call("settle", to_buyer=escrow.price.amount)
    return [], None


def deliver(escrow: Escrow | None, asked: Asked) -> Decision:
    escrow = _of(escrow, "seller", asked)
    _in(escrow, "funded")
    until = asked.at + RECEIVE_WITHIN
    return [EscrowDelivered(**step(escrow.id, escrow.version, asked), inspect_from=until)], None


def confirm_receipt(escrow: Escrow | None, asked: Asked) -> Decision:
    escrow = _of(escrow, "buyer", asked)
    _in(escrow, "delivered")
    return [_inspection(escrow, asked)], None


def accept(escrow: Escrow | None, asked: Asked) -> Decision:
    escrow = _of(escrow, "buyer", asked)
    _in(escrow, "delivered", "inspecting")
    return _accepted(escrow, asked)


def dispute(escrow: Escrow | None, text: str, asked: Asked) -> Decision:
    escrow = there(escrow)
    side = escrow.side_of(asked.account_id)
    if side is None or asked.account_id is None:
        raise missing("offer")
    _in(escrow, "funded", "delivered", "inspecting")
    by = step(escrow.id, escrow.version, asked)
    return [EscrowDisputed(**by, author_id=asked.account_id, side=side, text=text)], None


def decide(escrow: Escrow | None, outcome: Outcome, to_seller: int | None, reason: str, asked: Asked) -> Decision:
    """An admin's word on a dispute; `to_seller` in minor units, of a split alone. Not by one of the two."""
    escrow = there(escrow)
    if not asked.is_admin:
        raise missing("offer")
    if escrow.side_of(asked.account_id) is not None:
        raise Refused("forbidden", "own_deal", "You are one of the two sides: another admin has to decide this.")
    if escrow.decided:
        raise conflict("decided", "This dispute was decided already.")
    _in(escrow, "disputed")
    whole = escrow.price.amount
    if outcome == "split":
        if to_seller is None or not 0 < to_seller < whole:
            raise invalid("bad_split", "Of a split each side gets a part of the price.", "toSeller")
    elif to_seller is not None:
        raise invalid("bad_split", "Only a split has a part to name.", "toSeller")
    else:
        to_seller = whole if outcome == "release" else 0
    to_buyer = whole - to_seller
    currency = escrow.price.currency
    decided = EscrowDecided(
        **step(escrow.id, escrow.version, asked),
        outcome=outcome,
        to_seller=Money(amount=to_seller, currency=currency),
        to_buyer=Money(amount=to_buyer, currency=currency),
        reason=reason,
    )
    return [decided], Call("settle", to_seller, to_buyer)


def settled(escrow: Escrow, reference: str, to_seller: int, to_buyer: int, asked: Asked) -> Decision:
    """The provider paid out. Raises `Refused` (conflict) for a payout that was not asked for (yet)."""
    _same(escrow, reference)
    if escrow.status in ("released", "refunded"):
        return [], None
    if (to_seller, to_buyer) != (escrow.to_seller, escrow.to_buyer) or to_seller + to_buyer == 0:
        raise conflict("not_asked_for", "Nobody asked for this payout.")
    paid = step(escrow.id, escrow.version, asked)
    if to_seller == 0:
        return [EscrowRefunded(**paid)], None
    currency = escrow.price.currency
    return [
        EscrowReleased(
            **paid,
            to_seller=Money(amount=to_seller, currency=currency),
            to_buyer=Money(amount=to_buyer, currency=currency),
        )
    ], None


def cancel(escrow: Escrow | None, asked: Asked) -> Decision:
    """Either side, while nobody has paid."""
    escrow = there(escrow)
    side = escrow.side_of(asked.account_id)
    if side is None:
        raise missing("offer")
    _in(escrow, "agreed")
    return [EscrowCancelled(**step(escrow.id, escrow.version, asked), side=side)], Call("cancel")


def after_time(escrow: Escrow, asked: Asked) -> Decision:
    """What happens by itself by now; nothing when it is not time."""
    if escrow.due_at is None or asked.at < escrow.due_at:
        return [], None
    if escrow.status == "agreed":
        return [EscrowCancelled(**step(escrow.id, escrow.version, asked), side=None)], Call("cancel")
    if escrow.status == "delivered":
        return [_inspection(escrow, asked)], None
    return _accepted(escrow, asked)


def there(escrow: Escrow | None) -> Escrow:
    if escrow is None:
        raise missing("offer")
    return escrow


def evolve(escrow: Escrow | None, event: DomainEvent) -> Escrow:
    if isinstance(event, EscrowAgreed):
        return Escrow(
            event.originator_id,
            1,
            event.offer_id,
            event.listing_id,
            event.seller_id,
            event.buyer_id,
            event.price,
            event.pay_until,
        )
    escrow = replace(begun(escrow, event), version=event.originator_version)
    match event:
        case EscrowOpened():
            return replace(escrow, reference=event.reference)
        case EscrowFunded() if event.is_late:
            return replace(escrow, reference=event.reference, money_came_late=True, to_buyer=escrow.price.amount)
        case EscrowFunded():
            return replace(escrow, reference=event.reference, status="funded")
        case EscrowDelivered():
            return replace(escrow, status="delivered", inspect_from=event.inspect_from)
        case EscrowInspectionBegan():
            return replace(escrow, status="inspecting", inspect_until=event.until)
        case EscrowAccepted():
            return replace(escrow, status="accepted", to_seller=escrow.price.amount)
        case EscrowDisputed():
            return replace(escrow, status="disputed", was_disputed=True)
        case EscrowDecided():
            return replace(escrow, decided=True, to_seller=event.to_seller.amount, to_buyer=event.to_buyer.amount)
        case EscrowReleased():
            return replace(escrow, status="released")
        case EscrowRefunded():
            return replace(escrow, status="refunded")
        case EscrowCancelled():
            return replace(escrow, status="cancelled")
        case _:
            raise AnotherKind(f"{event.NAME} does not happen to escrows")


def _inspection(escrow: Escrow, asked: Asked) -> EscrowInspectionBegan:
    return EscrowInspectionBegan(**step(escrow.id, escrow.version, asked), until=asked.at + INSPECT_FOR)


def _accepted(escrow: Escrow, asked: Asked) -> Decision:
    accepted = EscrowAccepted(**step(escrow.id, escrow.version, asked))
    return [accepted], Call("settle", to_seller=escrow.price.amount)


def _of(escrow: Escrow | None, side: Side, asked: Asked) -> Escrow:
    escrow = there(escrow)
    found = escrow.side_of(asked.account_id)
    if found is None:
        raise missing("offer")
    if found != side:
        raise conflict("not_yours", f"Only the {side} can do this.")
    return escrow


def _in(escrow: Escrow, *statuses: EscrowStatus) -> None:
    if escrow.status not in statuses:
        raise conflict("wrong_state", f"This cannot be done any more, or not yet: the deal is {escrow.status}.")


def _same(escrow: Escrow, reference: str) -> None:
    """Raises `Refused` for a message about another transaction of the provider's."""
    if escrow.reference is not None and escrow.reference != reference:
        raise conflict("another_transaction", "This is not the transaction of this deal.", "id")
