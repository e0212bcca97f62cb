"""Escrow aggregate: `agreed -> funded -> delivered -> inspecting -> accepted | disputed -> released |
refunded`, or `cancelled` before the payment. Pure.

Nothing here moves money. A `Call` to the provider follows from some events; it is stored with them and retried until it
is accepted. Only signed messages of the provider confirm a payment.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final, Literal
from uuid import UUID

from command_api.kernel.aggregates import advanced, first_event, next_event, require_found, shared_fields
from command_api.kernel.decision import CommandContext, CommandRejected, conflict, invalid, not_found
from command_api.marketplace.offers import Deal, Offer
from schemas.base import DomainEvent, Money
from schemas.events import marketplace
from schemas.events.marketplace import EscrowStatus, Outcome, Side
from schemas.evolution import UnexpectedEvent

PAY_WITHIN: Final = timedelta(days=7)
RECEIVE_WITHIN: Final = timedelta(days=3)
INSPECT_FOR: Final = timedelta(days=3)

CallStep = Literal["open", "settle", "cancel"]


@dataclass(frozen=True, slots=True)
class Call:
    """A call to the provider. Escrow and step are its idempotency key."""

    step: CallStep
    to_seller: int = 0
    to_buyer: int = 0


@dataclass(frozen=True, slots=True)
class Escrow(Deal):
    """State of one deal's money. `to_seller` and `to_buyer`: the decided payout, in minor units."""

    pay_until: datetime
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
        """Returns whether the payout is requested and not confirmed."""
        return self.to_seller + self.to_buyer > 0 and self.status not in ("released", "refunded")

    @property
    def awaits_provider(self) -> bool:
        """Returns whether it awaits the buyer's payment or a payout."""
        return self.status == "agreed" or self.awaits_payout

    @property
    def due_at(self) -> datetime | None:
        """Returns when the next automatic step is due."""
        match self.status:
            case "agreed":
                return self.pay_until
            case "delivered":
                return self.inspect_from
            case "inspecting":
                return self.inspect_until
            case _:
                return None


def agree(escrow_id: UUID, offer: Offer, context: CommandContext) -> list[DomainEvent]:
    return [
        marketplace.EscrowAgreed(
            **first_event(escrow_id, context),
            offer_id=offer.id,
            listing_id=offer.listing_id,
            seller_id=offer.seller_id,
            buyer_id=offer.buyer_id,
            price=offer.price,
            pay_until=context.at + PAY_WITHIN,
        )
    ]


def call_after(escrow: Escrow, event: DomainEvent) -> Call | None:
    """Returns the call to the provider that follows from the event. `escrow`: after it."""
    match event:
        case marketplace.EscrowAgreed():
            return Call("open")
        case marketplace.EscrowCancelled():
            return Call("cancel")
        case marketplace.EscrowAccepted() | marketplace.EscrowDecided() | marketplace.EscrowFunded(is_late=True):
            return Call("settle", escrow.to_seller, escrow.to_buyer)
        case _:
            return None


def opened(
    escrow: Escrow, reference: str, payment_url: str, context: CommandContext, *, is_trial: bool = False
) -> list[DomainEvent]:
    """Records the provider's answer to `open`, once."""
    if escrow.reference is not None or escrow.is_over:
        return []
    by = next_event(escrow, context)
    return [marketplace.EscrowOpened(**by, reference=reference, payment_url=payment_url, is_trial=is_trial)]


def funded(escrow: Escrow, reference: str, amount: Money, context: CommandContext) -> list[DomainEvent]:
    """Records that the provider has the money, which is refunded if the deal was cancelled."""
    _require_same_transaction(escrow, reference)
    if amount != escrow.price:
        raise invalid("wrong_amount", "This is not the amount that was agreed on.", "amount")
    came = next_event(escrow, context)
    if escrow.status == "agreed":
        return [marketplace.EscrowFunded(**came, reference=reference)]
    if escrow.status == "cancelled" and not escrow.money_came_late:
        return [marketplace.EscrowFunded(**came, reference=reference, is_late=True)]
    return []


def deliver(escrow: Escrow | None, context: CommandContext) -> list[DomainEvent]:
    escrow = _require_side(escrow, "seller", context)
    _require_status(escrow, "funded")
    until = context.at + RECEIVE_WITHIN
    return [marketplace.EscrowDelivered(**next_event(escrow, context), inspect_from=until)]


def confirm_receipt(escrow: Escrow | None, context: CommandContext) -> list[DomainEvent]:
    escrow = _require_side(escrow, "buyer", context)
    _require_status(escrow, "delivered")
    return [_inspection(escrow, context)]


def accept(escrow: Escrow | None, context: CommandContext) -> list[DomainEvent]:
    escrow = _require_side(escrow, "buyer", context)
    _require_status(escrow, "delivered", "inspecting")
    return [marketplace.EscrowAccepted(**next_event(escrow, context))]


def dispute(escrow: Escrow | None, text: str, context: CommandContext) -> list[DomainEvent]:
    escrow = require_found(escrow, "offer")
    side = escrow.side_of(context.account_id)
    if side is None or context.account_id is None:
        raise not_found("offer")
    _require_status(escrow, "funded", "delivered", "inspecting")
    by = next_event(escrow, context)
    return [marketplace.EscrowDisputed(**by, author_id=context.account_id, side=side, text=text)]


def decide(
    escrow: Escrow | None, outcome: Outcome, to_seller: int | None, reason: str, context: CommandContext
) -> list[DomainEvent]:
    """Decides a dispute, by an admin who is not a party of the deal. `to_seller`: in minor units, for a split only."""
    escrow = require_found(escrow, "offer")
    if not context.is_admin:
        raise not_found("offer")
    if escrow.side_of(context.account_id) is not None:
        raise CommandRejected(
            "forbidden", "own_deal", "You are one of the two sides: another admin has to decide this."
        )
    if escrow.decided:
        raise conflict("decided", "This dispute was already decided.")
    _require_status(escrow, "disputed")
    whole = escrow.price.amount
    if outcome == "split":
        if to_seller is None or not 0 < to_seller < whole:
            raise invalid("bad_split", "In a split, each side gets a part of the price.", "toSeller")
    elif to_seller is not None:
        raise invalid("bad_split", "Only a split takes an amount.", "toSeller")
    else:
        to_seller = whole if outcome == "release" else 0
    to_buyer = whole - to_seller
    payout = _payout(escrow, to_seller, to_buyer)
    return [marketplace.EscrowDecided(**next_event(escrow, context), outcome=outcome, **payout, reason=reason)]


def settled(
    escrow: Escrow, reference: str, to_seller: int, to_buyer: int, context: CommandContext
) -> list[DomainEvent]:
    """Records that the provider paid out. Raises `CommandRejected` (conflict) for a payout that was not requested
    (yet)."""
    _require_same_transaction(escrow, reference)
    if escrow.status in ("released", "refunded"):
        return []
    if (to_seller, to_buyer) != (escrow.to_seller, escrow.to_buyer) or to_seller + to_buyer == 0:
        raise conflict("not_asked_for", "This payout was not requested.")
    paid = next_event(escrow, context)
    if to_seller == 0:
        return [marketplace.EscrowRefunded(**paid)]
    return [marketplace.EscrowReleased(**paid, **_payout(escrow, to_seller, to_buyer))]


def cancel(escrow: Escrow | None, context: CommandContext) -> list[DomainEvent]:
    """Cancels the deal, for either side, before payment."""
    escrow = require_found(escrow, "offer")
    side = escrow.side_of(context.account_id)
    if side is None:
        raise not_found("offer")
    _require_status(escrow, "agreed")
    return [marketplace.EscrowCancelled(**next_event(escrow, context), side=side)]


def after_time(escrow: Escrow, context: CommandContext) -> list[DomainEvent]:
    """Takes the automatic step that is due; none before its time."""
    if escrow.due_at is None or context.at < escrow.due_at:
        return []
    if escrow.status == "agreed":
        return [marketplace.EscrowCancelled(**next_event(escrow, context), side=None)]
    if escrow.status == "delivered":
        return [_inspection(escrow, context)]
    return [marketplace.EscrowAccepted(**next_event(escrow, context))]


def evolve(escrow: Escrow | None, event: DomainEvent) -> Escrow:
    if isinstance(event, marketplace.EscrowAgreed):
        return Escrow(event.originator_id, 1, **shared_fields(event, Escrow))
    escrow = advanced(escrow, event)
    match event:
        case marketplace.EscrowOpened():
            return replace(escrow, reference=event.reference)
        case marketplace.EscrowFunded():
            return _funded(escrow, event)
        case marketplace.EscrowDelivered():
            return replace(escrow, status="delivered", inspect_from=event.inspect_from)
        case marketplace.EscrowInspectionBegan():
            return replace(escrow, status="inspecting", inspect_until=event.until)
        case marketplace.EscrowAccepted():
            return replace(escrow, status="accepted", to_seller=escrow.price.amount)
        case marketplace.EscrowDisputed():
            return replace(escrow, status="disputed", was_disputed=True)
        case marketplace.EscrowDecided():
            return replace(escrow, decided=True, to_seller=event.to_seller.amount, to_buyer=event.to_buyer.amount)
        case _:
            status = _STATUS_AFTER.get(type(event))
            if status is None:
                raise UnexpectedEvent(f"{event.NAME} does not happen to escrows")
            return replace(escrow, status=status)


_STATUS_AFTER: Final[Mapping[type[DomainEvent], EscrowStatus]] = {
    marketplace.EscrowReleased: "released",
    marketplace.EscrowRefunded: "refunded",
    marketplace.EscrowCancelled: "cancelled",
}


def _funded(escrow: Escrow, event: marketplace.EscrowFunded) -> Escrow:
    if event.is_late:
        return replace(escrow, reference=event.reference, money_came_late=True, to_buyer=escrow.price.amount)
    return replace(escrow, reference=event.reference, status="funded")


def _payout(escrow: Escrow, to_seller: int, to_buyer: int) -> dict[str, Money]:
    currency = escrow.price.currency
    return {
        "to_seller": Money(amount=to_seller, currency=currency),
        "to_buyer": Money(amount=to_buyer, currency=currency),
    }


def _inspection(escrow: Escrow, context: CommandContext) -> marketplace.EscrowInspectionBegan:
    return marketplace.EscrowInspectionBegan(**next_event(escrow, context), until=context.at + INSPECT_FOR)


def _require_side(escrow: Escrow | None, side: Side, context: CommandContext) -> Escrow:
    escrow = require_found(escrow, "offer")
    own_side = escrow.side_of(context.account_id)
    if own_side is None:
        raise not_found("offer")
    if own_side != side:
        raise conflict("not_yours", f"Only the {side} can do this.")
    return escrow


def _require_status(escrow: Escrow, *statuses: EscrowStatus) -> None:
    if escrow.status not in statuses:
        raise conflict("wrong_state", f"This is not possible now: the deal is {escrow.status}.")


def _require_same_transaction(escrow: Escrow, reference: str) -> None:
    """Raises `CommandRejected` for a message about another transaction of the provider's."""
    if escrow.reference is not None and escrow.reference != reference:
        raise conflict("another_transaction", "This is not the transaction of this deal.", "id")
