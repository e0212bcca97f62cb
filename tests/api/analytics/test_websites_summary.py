"""All websites of an account beside each other: own days, one currency at dated rates, and nobody else's numbers."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from schemas.days import day_start, local_day
from schemas.zones import ZoneInfo
from tests.support.query import Person, QueryService, conversion, event, this_moment

SUMMARY = "/api/platform/websites/summary"
ANALYTICS = "/api/platform/analytics"
PERIODS = {
    "today": "today", "yesterday": "yesterday", "week": "this_week", "month": "this_month", "quarter": "this_quarter",
}  # fmt: skip


def summary(service: QueryService, person: Person, **query: str) -> Any:
    answer = service.get(SUMMARY, person, params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


def rate(service: QueryService, base: str, quote: str, value: str, day: str = "2026-11-01") -> None:
    service.postgres.execute(
        "INSERT INTO read.exchange_rates__g1 (base, quote, on_day, rate, recorded_at) VALUES (%s, %s, %s, %s, now())"
        " ON CONFLICT DO NOTHING",
        (base, quote, day, value),
    )


@pytest.mark.parametrize(
    "zones", [("UTC", "Asia/Kathmandu", "America/Los_Angeles"), ("Pacific/Auckland", "UTC", "UTC")]
)
def test_each_row_is_what_the_website_s_own_page_says(query_service: QueryService, zones: tuple[str, ...]) -> None:
    ada = query_service.person()
    websites = [query_service.website(ada, zone, domain=f"{n}.example") for n, zone in enumerate(zones)]
    now = this_moment()
    for number, website in enumerate(websites):
        clicks = [event(website, now - timedelta(hours=5 * n), visitor=1 + n % 40) for n in range(150 + number)]
        sales = [conversion(website, now - timedelta(hours=31 * n), d_pending=1, c_pending=n) for n in range(30)]
        query_service.events([*clicks, *sales, event(website, now, visitor=9, is_bot=True)])
    found = summary(query_service, ada)
    assert [one["websiteId"] for one in found["websites"]] == [str(website) for website in websites]
    for one in found["websites"]:
        for name, range_ in PERIODS.items():
            query = {"websiteId": one["websiteId"], "timeRange": range_}
            overview = query_service.get(f"{ANALYTICS}/overview", ada, params=query).json()
            assert one[name]["clicks"] == overview["clicks"]["total"], name
            assert one[name]["visitors"] == (None if name == "quarter" else overview["visitors"]), name
            assert one[name]["conversions"] == overview["conversions"]["total"], name
            assert one[name]["revenue"] == {"amount": round(overview["revenue"]["total"] * 100), "currency": "USD"}
        points = query_service.get(
            f"{ANALYTICS}/clicks", ada, params={"websiteId": one["websiteId"], "timeRange": "30d"}
        ).json()
        assert one["series"]["from"] == points[0]["date"]
        assert one["series"]["clicks"] == [point["clicks"] for point in points]
    for name in PERIODS:
        for metric in ("clicks", "conversions"):
            assert found["totals"][name][metric] == sum(one[name][metric] for one in found["websites"])
    assert found["totals"]["month"]["visitors"] == sum(one["month"]["visitors"] for one in found["websites"])
    assert found["totals"]["quarter"]["visitors"] is None


def test_a_day_is_that_of_the_website(query_service: QueryService) -> None:
    ada = query_service.person()
    zone = "Pacific/Kiritimati"
    website = query_service.website(ada, zone)
    midnight = day_start(ZoneInfo(zone), local_day(ZoneInfo(zone), datetime.now(UTC)))
    query_service.events([event(website, midnight - timedelta(seconds=1), visitor=1)])
    [one] = summary(query_service, ada)["websites"]
    assert (one["today"]["clicks"], one["yesterday"]["clicks"], one["timezone"]) == (0, 1, zone)


def test_revenue_is_summed_in_one_currency_at_dated_rates_and_the_rest_apart(query_service: QueryService) -> None:
    ada = query_service.person()
    euros = [query_service.website(ada, currency="EUR", domain=f"e{n}.example") for n in range(2)]
    yen, dirhams = query_service.website(ada, currency="JPY"), query_service.website(ada, currency="MAD")
    rate(query_service, "EUR", "JPY", "160")
    now = this_moment()
    for website, amount in ((euros[0], 1_000), (euros[1], 500), (yen, 320), (dirhams, 700)):
        query_service.events([conversion(website, now, d_approved=1, c_approved=amount)])
    found = summary(query_service, ada)
    assert found["currency"] == "EUR"
    assert found["rates"] == [{"currency": "JPY", "rate": "0.00625", "on": "2026-11-01"}]
    today = found["totals"]["today"]
    assert today["revenue"] == {"amount": 1_700, "currency": "EUR"}  # 320 yen are 2.00 euros
    [lacking] = today["notConverted"]
    assert (lacking["amount"], lacking["conversions"]) == ({"amount": 700, "currency": "MAD"}, 1)
    assert lacking["lacking"] == now.date().isoformat()
    assert (today["difference"]["amount"], today["compared"]["amount"]) == (1_700, 0)
    by_id = {one["websiteId"]: one["today"] for one in found["websites"]}
    assert by_id[str(yen)]["converted"] == {"amount": 200, "currency": "EUR"}
    assert by_id[str(dirhams)]["converted"] is None
    assert by_id[str(dirhams)]["notConverted"]["amount"] == {"amount": 700, "currency": "MAD"}
    assert summary(query_service, ada, currency="MAD")["totals"]["today"]["revenue"]["amount"] == 700


def test_each_day_has_its_own_rate_and_days_before_the_first_one_have_none(query_service: QueryService) -> None:
    """Three sales this quarter: before the first rate, at it, and at a later one."""
    ada = query_service.person()
    website = query_service.website(ada, currency="BWP")
    zone, now = ZoneInfo("UTC"), datetime.now(UTC)
    today = local_day(zone, now)
    quarter = today.replace(month=(today.month - 1) // 3 * 3 + 1, day=1)
    days = [quarter, quarter + timedelta(days=1), today]
    if len({*days}) < 3:
        pytest.skip("a quarter of two days")
    rate(query_service, "BWP", "FJD", "2", days[1].isoformat())
    rate(query_service, "BWP", "FJD", "3", days[2].isoformat())
    moments = [day_start(zone, day) + timedelta(seconds=1) for day in days]
    query_service.events([conversion(website, moment, d_approved=1, c_approved=100) for moment in moments])
    [one] = summary(query_service, ada, currency="FJD")["websites"]
    assert one["quarter"]["revenue"]["amount"] == 300
    assert one["quarter"]["converted"] == {"amount": 500, "currency": "FJD"}
    assert one["quarter"]["notConverted"] == {
        "amount": {"amount": 100, "currency": "BWP"}, "conversions": 1, "lacking": quarter.isoformat(),
    }  # fmt: skip
    assert one["today"]["converted"] == {"amount": 300, "currency": "FJD"}


def test_nobody_sees_the_websites_of_another_not_even_an_admin(query_service: QueryService) -> None:
    ada, eve, admin = query_service.person(), query_service.person(), query_service.person("admin")
    website = query_service.website(ada)
    query_service.events([event(website, this_moment(), visitor=1)])
    for person in (eve, admin):
        found = summary(query_service, person)
        assert (found["websites"], found["omitted"], found["currency"]) == ([], 0, "USD")
        assert found["totals"]["quarter"]["clicks"] == 0


def test_a_removed_website_and_an_unknown_currency(query_service: QueryService) -> None:
    ada = query_service.person()
    website: UUID = query_service.website(ada)
    query_service.postgres.execute("UPDATE read.websites__g1 SET deleted_at = now() WHERE id = %s", (website,))
    assert summary(query_service, ada)["websites"] == []
    for code in ("XXQ", "usd", "EURO", "€"):
        answer = query_service.get(SUMMARY, ada, params={"currency": code})
        assert answer.status_code == 400 and answer.json()["errors"][0]["field"] == "currency"


def test_two_hundred_websites_are_one_answer(query_service: QueryService) -> None:
    ada = query_service.person()
    zones = ("UTC", "Europe/Berlin", "Asia/Kolkata", "America/New_York")
    websites = [query_service.website(ada, zones[n % 4], domain=f"w{n}.example") for n in range(200)]
    now = this_moment()
    query_service.events([event(website, now, visitor=n + 1) for n, website in enumerate(websites)])
    found = summary(query_service, ada)
    assert len(found["websites"]) == 200 and found["totals"]["quarter"]["clicks"] == 200
