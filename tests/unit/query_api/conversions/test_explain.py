"""The exchange rate that an explanation names is that of the website's day."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any, cast
from uuid import uuid4

import pytest

from query_api.conversions.explain import _rate, _reports
from query_api.kernel.authorization import Website
from query_api.kernel.postgres_reader import PostgresReader
from schemas.http.money import Amount

RATES = {date(2026, 5, 1): "1.10", date(2026, 5, 2): "1.20", date(2026, 5, 3): "1.30"}


class Rates:
    """`read.exchange_rates`, for the one question asked of it."""

    def rows(self, _sql: str, values: Mapping[str, Any]) -> list[dict[str, Any]]:
        day = max(on for on in RATES if on <= values["day"])
        return [{"base": "EUR", "quote": "USD", "on": day, "rate": RATES[day]}]


@pytest.mark.parametrize(
    ("zone", "at", "rate", "day"),
    [
        ("UTC", datetime(2026, 5, 1, 23, tzinfo=UTC), "1.10", date(2026, 5, 1)),
        ("Pacific/Auckland", datetime(2026, 5, 1, 13, tzinfo=UTC), "1.20", date(2026, 5, 2)),
        ("America/Los_Angeles", datetime(2026, 5, 3, 3, tzinfo=UTC), "1.20", date(2026, 5, 2)),
    ],
)
def test_the_rate_is_of_the_websites_day(zone: str, at: datetime, rate: str, day: date) -> None:
    website = Website(uuid4(), "shop.example", zone, "USD", at)
    earning = {"detail": {"facts": {}, "exchange_rate": rate}, "currency": "USD", "occurred_at": at}
    found = _rate(cast(PostgresReader, Rates()), website, earning, Amount(amount=100, currency="EUR"))
    assert found is not None and (found.rate, found.on, found.derivation) == (rate, day, "own")


def reported(name: str, amount: int, status: str = "") -> dict[str, Any]:
    said = {
        "amount": {"amount": amount, "currency": "USD"}, "reported_by": "postback", "key_kind": "postback",
        "status": status, "place": None,
    }  # fmt: skip
    at = datetime(2026, 5, 1, tzinfo=UTC)
    return {"name": f"conversion.{name}", "at": at, "detail": {"reported": said, "facts": {"amount": said["amount"]}}}


def test_a_part_that_a_report_reversed_is_no_amount_of_the_sale() -> None:
    steps = [
        reported("recorded", 9_500),
        reported("report_merged", 1_900, "reversed"),
        reported("report_conflicted", 9_000, "reversed"),
    ]
    shown = _reports(steps, Amount(amount=9_500, currency="USD"))
    amounts = [(one.amount.amount if one.amount else None, one.stands) for one in shown]
    assert amounts == [(9_500, True), (1_900, None), (9_000, False)]
