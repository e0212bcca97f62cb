"""What moved the money of a period: every value's difference equals a count by hand, and the largest come first."""

from __future__ import annotations

import random
from collections import defaultdict
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import Any
from uuid import UUID, uuid4

import pytest

from query_api.analytics.money_periods import MoneyPeriod, compared
from query_api.analytics.movers import DIMENSIONS, MAX_ROWS
from schemas.days import local_day
from schemas.zones import ZoneInfo
from tests.support.query import Person, QueryService, conversion, this_moment

MOVERS = "/api/platform/websites/movers"
RATES = {"USD": Fraction(1), "SEK": Fraction("0.0937")}


def movers(service: QueryService, person: Person, **query: Any) -> Any:
    answer = service.get(MOVERS, person, params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


def rate(service: QueryService, base: str, quote: str, value: str) -> None:
    service.postgres.execute(
        "INSERT INTO read.exchange_rates__g1 (base, quote, on_day, rate, recorded_at)"
        " VALUES (%s, %s, '2020-01-01', %s, now()) ON CONFLICT DO NOTHING",
        (base, quote, value),
    )


@pytest.mark.parametrize("period", list(MoneyPeriod))
def test_every_difference_is_what_a_count_by_hand_says(query_service: QueryService, period: MoneyPeriod) -> None:
    rng, ada, now = random.Random(period.value), query_service.person(), this_moment()
    rate(query_service, "SEK", "USD", "0.0937")
    websites = {
        query_service.website(ada, "UTC", "USD", domain="usd.example"): ("USD", ZoneInfo("UTC")),
        query_service.website(ada, "America/St_Johns", "SEK", domain="sek.example"): (
            "SEK", ZoneInfo("America/St_Johns"),
        ),
    }  # fmt: skip
    partners = [query_service.partner(f"Partner {n}") for n in range(3)]
    links = [uuid4() for _ in range(3)]
    expected: defaultdict[tuple[str, str, str], list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    rows = []
    by_day: defaultdict[tuple[Any, ...], int] = defaultdict(int)
    for website, (_currency, zone) in websites.items():
        spans = compared(period, zone, now)
        length = now - spans.previous.start + timedelta(days=1)
        for _ in range(120):
            moment = now - rng.random() * length
            values = {
                "partner": rng.choice(partners), "page": rng.choice(["/a", "/b", ""]),
                "source": rng.choice(["google", ""]), "country": rng.choice(["IS", "DE", "ZZ"]),
                "link": rng.choice(links),
            }  # fmt: skip
            money, state = rng.randrange(1, 10_000), rng.choice(["pending", "approved"])
            columns = {
                "partner_id": values["partner"], "path": values["page"], "source": values["source"],
                "country": values["country"], "link_id": values["link"], f"d_{state}": 1, f"c_{state}": money,
            }  # fmt: skip
            rows.append(conversion(website, moment, **columns))
            moment = moment.replace(microsecond=moment.microsecond // 1000 * 1000)
            for name, value in values.items():
                key = (str(website), name, "" if value == "ZZ" else str(value))
                if spans.now.has(moment) or spans.previous.has(moment):
                    expected[key][2 + (not spans.now.has(moment))] += 1
                    by_day[(*key, spans.now.has(moment), local_day(zone, moment))] += money
    for (website, name, value, is_now, _day), money in by_day.items():
        expected[website, name, value][not is_now] += round(money * RATES[websites[UUID(website)][0]])
    rows.append(conversion(next(iter(websites)), now, c_approved=10**9, d_approved=1, is_bot=True))
    query_service.events(rows)
    found = movers(query_service, ada, period=period.value, currency="USD")
    assert [one["by"] for one in found["dimensions"]] == list(DIMENSIONS)
    for one in found["dimensions"]:
        shown = {
            (row["websiteId"], one["by"], row["value"]): [
                row["revenue"]["amount"], row["previous"]["amount"], row["conversions"], row["previousConversions"],
            ]
            for row in one["rows"]
        }  # fmt: skip
        wanted = {key: sums for key, sums in expected.items() if key[1] == one["by"] and sums[0] != sums[1]}
        assert shown == wanted
        sizes = [abs(row["difference"]["amount"]) for row in one["rows"]]
        assert sizes == sorted(sizes, reverse=True)
        assert all(
            row["difference"]["amount"] == row["revenue"]["amount"] - row["previous"]["amount"] for row in one["rows"]
        )
    labels = {row["label"] for row in found["dimensions"][0]["rows"]}
    assert labels <= {"Partner 0", "Partner 1", "Partner 2"}


def test_of_many_values_the_largest_differences_of_all_websites_are_returned(query_service: QueryService) -> None:
    ada, now = query_service.person(), this_moment()
    websites = [query_service.website(ada, domain=f"{n}.example") for n in range(2)]
    query_service.events(
        [
            conversion(website, now, path=f"/{n}-{page}", d_pending=1, c_pending=100 * page + n)
            for n, website in enumerate(websites)
            for page in range(40)
        ]
    )
    [pages] = [one["rows"] for one in movers(query_service, ada, period="today")["dimensions"] if one["by"] == "page"]
    assert len(pages) == MAX_ROWS
    assert [row["value"] for row in pages[:3]] == ["/1-39", "/0-39", "/1-38"]


def test_what_has_no_rate_is_named_and_not_compared(query_service: QueryService) -> None:
    ada, now = query_service.person(), this_moment()
    rated = query_service.website(ada, currency="USD", domain="a.example")
    unrated = query_service.website(ada, currency="PGK", domain="b.example")
    query_service.events([conversion(one, now, path="/x", d_approved=1, c_approved=500) for one in (rated, unrated)])
    found = movers(query_service, ada, period="today", currency="USD")
    assert {row["websiteId"] for one in found["dimensions"] for row in one["rows"]} == {str(rated)}
    [lacking] = found["notConverted"]
    assert (lacking["currency"], lacking["websites"]) == ("PGK", 1)
    assert lacking["lacking"] == datetime.now(UTC).date().isoformat()


def test_one_website_and_nobody_else_s(query_service: QueryService) -> None:
    ada, eve, now = query_service.person(), query_service.person(), this_moment()
    first, second = (query_service.website(ada, domain=f"{n}.example") for n in range(2))
    query_service.events([conversion(one, now, path="/x", d_approved=1, c_approved=500) for one in (first, second)])
    found = movers(query_service, ada, period="today", websiteId=str(first))
    assert {row["domain"] for one in found["dimensions"] for row in one["rows"]} == {"0.example"}
    assert all(one["rows"] == [] for one in movers(query_service, eve, period="today")["dimensions"])
    assert query_service.get(MOVERS, eve, params={"websiteId": str(first)}).status_code == 404
    assert query_service.get(MOVERS, ada, params={"period": "decade"}).status_code == 400
