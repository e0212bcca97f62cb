"""Days at their edges over real engines: the last second of a month, and days that a zone skips or begins twice."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from tests.support.query import Person, QueryService, event

LAST_SECOND = datetime(2031, 3, 31, 23, 59, 59, 500_000, UTC)
"""The only moment of its month: its part contains no other row."""

CALLS = ("overview", "clicks", "conversions", "partners", "geographic")


def get(service: QueryService, person: Person, path: str, **query: Any) -> Any:
    answer = service.get(f"/api/platform/{path}", person, params=query)
    assert answer.status_code == 200, f"{query}: {answer.text}"
    return answer.json()


def days(website: UUID, first: object, last: object, **more: Any) -> dict[str, Any]:
    return {"websiteId": str(website), "timeRange": "custom", "from": str(first), "to": str(last), **more}


def test_the_last_second_of_a_range_is_in_it(query_service: QueryService) -> None:
    ada = query_service.person()
    website = query_service.website(ada)
    query_service.events([event(website, LAST_SECOND, visitor=1, sub1="banner")])
    text = LAST_SECOND.strftime("%Y-%m-%d %H:%M:%S.500")
    mine = {"website_id": str(website), "_topic": "rejected", "_partition": 0, "_offset": 0}
    refused = {"id": str(uuid4()), "at": text, "outcome": "invalid", "code": "bad", "count": 1}
    again = {"event_id": str(uuid4()), "received_at": text, "is_conflict": False}
    query_service.events([{**mine, **refused}], "refusals__g1")
    query_service.events([{**mine, **again}], "duplicates__g1")

    asked = days(website, "2031-03-25", "2031-03-31", compare="none")
    assert get(query_service, ada, "analytics/overview", **asked)["clicks"]["total"] == 1
    assert get(query_service, ada, "analytics/overview", **asked, sub1="banner")["clicks"]["total"] == 1
    assert len(get(query_service, ada, "analytics/events", **days(website, "2031-03-25", "2031-03-31"))) == 1
    delivery = get(query_service, ada, "analytics/delivery", **days(website, "2031-03-25", "2031-03-31"))
    assert delivery["outcomes"]["accepted"] == 1
    assert (delivery["outcomes"]["duplicate"], delivery["outcomes"]["invalid"]) == (1, 1)
    assert len(delivery["refusals"]) == 1


SKIPPED = (
    ("Pacific/Apia", date(2011, 12, 30)),
    ("Pacific/Kwajalein", date(1993, 8, 21)),
    ("Pacific/Kanton", date(1994, 12, 31)),
)


@pytest.mark.parametrize(
    ("zone", "skipped"), [SKIPPED[0], *(pytest.param(*each, marks=pytest.mark.slow) for each in SKIPPED[1:])]
)
def test_a_day_that_a_zone_skips_is_empty(query_service: QueryService, zone: str, skipped: date) -> None:
    ada = query_service.person()
    website = query_service.website(ada, zone)
    day, year_later = timedelta(days=1), skipped.replace(year=skipped.year + 1)
    noon = datetime.combine(skipped, datetime.min.time(), UTC)
    query_service.events([event(website, noon + timedelta(hours=hours), sub1="a") for hours in range(-48, 72, 6)])
    asked: list[dict[str, Any]] = [
        days(website, skipped, skipped),
        days(website, skipped - day, skipped),
        days(website, skipped - 2 * day, skipped),
        days(website, skipped, skipped + day),
        days(website, skipped - 3 * day, skipped + 3 * day),
        days(website, skipped + day, skipped + day, compare="previous"),
        days(website, year_later, year_later, compare="year"),
        days(website, skipped - timedelta(days=300), skipped),
    ]
    for query in asked:
        for call in CALLS:
            get(query_service, ada, f"analytics/{call}", **query)
            get(query_service, ada, f"analytics/{call}", **query, sub1="a")
        plain = {name: value for name, value in query.items() if name != "compare"}
        get(query_service, ada, "analytics/delivery", **plain)
        get(query_service, ada, "analytics/events", **plain)
        listed = {"websiteId": str(website), "from": query["from"], "to": query["to"]}
        get(query_service, ada, "conversions", **listed)
    get(query_service, ada, "statements", websiteId=str(website), month=f"{skipped:%Y-%m}")
    clicks = get(query_service, ada, "analytics/overview", **days(website, skipped, skipped))["clicks"]["total"]
    assert clicks == 0
    whole = days(website, skipped - day, skipped + day)
    around = [get(query_service, ada, "analytics/overview", **days(website, one, one))["clicks"]["total"]
              for one in (skipped - day, skipped + day)]  # fmt: skip
    assert get(query_service, ada, "analytics/overview", **whole)["clicks"]["total"] == sum(around) > 0


def test_the_list_takes_a_day_from_its_first_midnight_to_the_next_ones(query_service: QueryService) -> None:
    """Havana's clock showed 00:00 twice on 2025-11-02, an hour apart."""
    ada = query_service.person()
    website = query_service.website(ada, "America/Havana")
    first_midnight = datetime(2025, 11, 2, 4, tzinfo=UTC)
    for minutes in (-1, 0, 59, 60, 25 * 60 - 1, 25 * 60):
        at = first_midnight + timedelta(minutes=minutes)
        query_service.insert("conversions", {
            "id": uuid4(), "website_id": website, "kind": "sale", "event": "sale", "txid": f"t{minutes}",
            "status": "pending", "amount": 1000, "currency": "USD", "commission": 100, "commission_currency": "USD",
            "reported_by": "sale", "occurred_at": at, "recorded_at": at,
        })  # fmt: skip
    day = {"from": "2025-11-02", "to": "2025-11-02"}
    listed = get(query_service, ada, "conversions", websiteId=str(website), **day)
    assert sorted(one["txid"] for one in listed) == ["t0", "t1499", "t59", "t60"]
