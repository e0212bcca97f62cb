"""What belongs to a chain, and the statement's month of a booking; on rows as the event store would give them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest

from infra.domain.message_chain import MAX_MESSAGES, ChainedEvent, bookings, chain

OFFER, ESCROW, LISTING, OTHER, CONVERSION = (UUID(int=number) for number in range(1, 6))
AT = datetime(2026, 5, 1, tzinfo=UTC)


class Store:
    """View `events.message`, and the read models of bookings."""

    def __init__(
        self, *rows: tuple[UUID, str, str | None, UUID | None], booked: datetime = AT, zone: str = "UTC"
    ) -> None:
        self.rows = [
            {
                "position": position, "aggregate_id": aggregate, "aggregate_version": position, "name": name, "at": AT,
                "actor_id": None, "related_id": related, "click_id": None, "command_id": None,
                "correlation_id": correlation, "causation_id": None,
            }
            for position, (aggregate, name, correlation, related) in enumerate(rows, 1)
        ]  # fmt: skip
        self.booked, self.zone = booked, zone

    def select(self, sql: str, values: Mapping[str, Any]) -> list[dict[str, Any]]:
        if "pg_views" in sql:
            return [{"is_there": 1}]
        if "website_zones" in sql:
            return [{"since": datetime(2020, 1, 1, tzinfo=UTC), "timezone": self.zone}]
        if "conversion_steps" in sql:
            [conversion] = values["conversions"]
            return [
                {
                    "conversion_id": conversion, "version": 2, "at": self.booked, "website_id": OTHER,
                    "partner_id": OTHER, "earned": 499, "currency": "USD",
                }
            ]  # fmt: skip
        return [
            row
            for row in self.rows
            if row["aggregate_id"] in values["aggregates"] or row["correlation_id"] in values["correlations"]
        ][: values["limit"]]


def ids(messages: list[ChainedEvent]) -> list[int]:
    return [message.position for message in messages]


DEAL = Store(
    (LISTING, "listing.approved", "admin", None),
    (OFFER, "offer.sent", "a", None),
    (OTHER, "offer.sent", "b", None),
    (OFFER, "offer.accepted", "c", ESCROW),
    (LISTING, "listing.reserved", "c", None),
    (ESCROW, "escrow.agreed", "c", OFFER),
    (ESCROW, "escrow.funded", "webhook", None),
    (LISTING, "listing.in_escrow", "webhook", None),
)


@pytest.mark.parametrize("seed", [OFFER, ESCROW])
def test_a_deal_is_followed_with_its_whole_history_and_its_listing_only_where_they_meet(seed: UUID) -> None:
    assert ids(chain(DEAL.select, [seed])) == [2, 4, 5, 6, 7, 8]


def test_a_correlation_id_leads_to_the_same_chain() -> None:
    assert ids(chain(DEAL.select, correlations=["webhook"])) == [2, 4, 5, 6, 7, 8]


def test_a_deal_from_before_the_ids_is_connected_by_what_its_events_name() -> None:
    old = Store(
        (OFFER, "offer.sent", None, None),
        (OFFER, "offer.accepted", None, ESCROW),
        (LISTING, "listing.reserved", None, None),
        (ESCROW, "escrow.agreed", None, OFFER),
    )
    assert ids(chain(old.select, [ESCROW])) == [1, 2, 4]


def test_a_long_chain_is_cut_off() -> None:
    many = Store(*((CONVERSION, "conversion.recorded", "click", None) for _ in range(2 * MAX_MESSAGES)))
    assert ids(chain(many.select, [CONVERSION])) == list(range(1, MAX_MESSAGES + 1))


@pytest.mark.parametrize(
    ("zone", "at", "month"),
    [
        ("UTC", datetime(2026, 5, 31, 23, 59, tzinfo=UTC), "2026-05"),
        ("Pacific/Auckland", datetime(2026, 5, 31, 12, tzinfo=UTC), "2026-06"),
        ("America/New_York", datetime(2026, 6, 1, 3, 59, tzinfo=UTC), "2026-05"),
        ("America/New_York", datetime(2027, 1, 1, 4, tzinfo=UTC), "2026-12"),
    ],
)
def test_a_booking_is_in_the_statement_of_the_websites_month(zone: str, at: datetime, month: str) -> None:
    store = Store((CONVERSION, "conversion.recorded", "click", None), booked=at, zone=zone)
    [booking] = bookings(store.select, chain(store.select, [CONVERSION]))
    assert (booking.month, booking.message_id, booking.earned) == (month, f"{CONVERSION}@2", 499)
