"""What happened to a deal, in one line: who, what, how much, until when."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest

from infra.domain.deal_words import Begin, deal_line, money
from schemas.base import DomainEvent, Money
from schemas.events import marketplace
from schemas.events.marketplace import DirectDealAgreed, EscrowAgreed, OfferSent

PRICE, DAY = Money(amount=20_500_00, currency="USD"), datetime(2026, 12, 6, 9, tzinfo=UTC)
SELLER, BUYER = UUID(int=1), UUID(int=2)
SIDES = {"listing_id": UUID(int=3), "seller_id": SELLER, "buyer_id": BUYER, "price": PRICE}


def of(event_class: type[DomainEvent], **fields: Any) -> Any:
    base = {"originator_id": UUID(int=9), "originator_version": 1, "timestamp": DAY, "actor_id": BUYER}
    return event_class(**base, **fields)


OFFER: OfferSent = of(OfferSent, **SIDES, author_id=BUYER, text="Hello", expires_at=DAY)
ESCROW: EscrowAgreed = of(EscrowAgreed, **SIDES, offer_id=UUID(int=4), pay_until=DAY)
DIRECT: DirectDealAgreed = of(DirectDealAgreed, **SIDES, offer_id=UUID(int=4), confirm_until=DAY)


@pytest.mark.parametrize(
    ("event", "begin", "to_buyer", "line"),
    [
        (OFFER, OFFER, False, "{actor} offers $20,500 for {listing}: answer by Dec 6"),
        (ESCROW, ESCROW, True, "{actor} accepted $20,500 for {listing}: pay by Dec 6"),
        (ESCROW, ESCROW, False, "{actor} accepted $20,500 for {listing}: the buyer pays by Dec 6"),
        (DIRECT, DIRECT, True, "{actor} accepted $20,500 for {listing}: confirm the handover by Dec 6"),
        (
            of(marketplace.EscrowOpened, reference="r", payment_url="https://pay.example"),
            ESCROW,
            True,
            "You can pay $20,500 for {listing} into escrow by Dec 6",
        ),
        (
            of(marketplace.EscrowFunded, reference="r"),
            ESCROW,
            False,
            "$20,500 for {listing} is in escrow: please transfer the website",
        ),
        (
            of(marketplace.EscrowDelivered, inspect_from=DAY),
            ESCROW,
            True,
            "{actor} transferred {listing}: please confirm receipt by Dec 6",
        ),
        (
            of(marketplace.EscrowDecided, outcome="split", to_seller=PRICE, to_buyer=PRICE, reason="Half."),
            ESCROW,
            True,
            "An admin decided the dispute about {listing}: $20,500 to the seller, $20,500 to the buyer",
        ),
    ],
)
def test_a_line_names_the_price_and_the_day(event: DomainEvent, begin: Begin, to_buyer: bool, line: str) -> None:
    assert deal_line(event, begin, to_buyer=to_buyer) == line


def test_an_amount_has_decimals_only_where_it_needs_them() -> None:
    assert [money(Money(amount=amount, currency=currency)) for amount, currency in (
        (2_000_00, "USD"), (2_000_50, "EUR"), (2_000, "JPY"),
    )] == ["$2,000", "€2,000.50", "¥2,000"]  # fmt: skip


def test_the_side_that_is_paid_reads_its_own_amount() -> None:
    nothing = Money(amount=0, currency="USD")
    released = of(marketplace.EscrowReleased, to_seller=PRICE, to_buyer=nothing)
    assert deal_line(released, ESCROW, to_buyer=False).endswith("the escrow provider has paid you $20,500")
    assert deal_line(released, ESCROW, to_buyer=True) == (
        "The deal for {listing} is complete: the escrow provider has paid out"
    )
