"""Ranges and comparisons over real engines: every name, the sums of their series, and comparisons without data."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from query_api.analytics.ranges import TimeRange
from tests.support.query import Person, QueryService, event, this_moment
from tests.support.rounds import first_of

NAMES = [one for one in TimeRange if one is not TimeRange.CUSTOM]
ANALYTICS = "/api/platform/analytics"


def get(service: QueryService, person: Person, path: str, website: UUID, **query: Any) -> Any:
    answer = service.get(f"{ANALYTICS}/{path}", person, params={"websiteId": str(website), **query})
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.mark.parametrize("zone", first_of("Asia/Kathmandu", "America/New_York"))
def test_every_range_is_answered_everywhere_and_its_total_is_the_sum_of_its_series(
    query_service: QueryService, zone: str
) -> None:
    ada = query_service.person()
    website = query_service.website(ada, zone)
    now = this_moment()
    query_service.events([event(website, now - timedelta(hours=7 * n), visitor=n + 1) for n in range(2_000)])
    totals = {}
    for name in NAMES:
        overview = get(query_service, ada, "overview", website, timeRange=name.value)
        series = get(query_service, ada, "clicks", website, timeRange=name.value)
        totals[name] = overview["clicks"]["total"]
        assert sum(point["clicks"] for point in series) == totals[name] > 0, name
        assert len({point["date"] for point in series}) == len(series)
        for path in ("conversions", "partners", "geographic", "excluded-traffic", "delivery"):
            get(query_service, ada, path, website, timeRange=name.value)
        assert len(get(query_service, ada, "events", website, timeRange=name.value)) == min(totals[name], 50)
    assert totals[TimeRange.ALL] == 2_000
    assert totals[TimeRange.LAST_7D] < totals[TimeRange.LAST_14D] < totals[TimeRange.LAST_30D]
    assert totals[TimeRange.THIS_YEAR] + totals[TimeRange.LAST_YEAR] <= totals[TimeRange.ALL]


def test_all_begins_on_the_local_day_of_the_first_event(query_service: QueryService) -> None:
    ada = query_service.person()
    website = query_service.website(ada, "Pacific/Auckland")
    first = datetime(2026, 3, 1, 20, tzinfo=UTC)  # already 2 March there
    query_service.events([event(website, first, visitor=1)])
    found = get(query_service, ada, "overview", website, timeRange="all")
    assert found["range"]["from"] == "2026-03-02" and found["clicks"]["total"] == 1
    assert (found["previousHasData"], found["previousDataFrom"]) == (False, None)


def test_an_unknown_range_is_refused_with_the_names_of_all(query_service: QueryService) -> None:
    ada = query_service.person()
    website = query_service.website(ada)
    for path in ("overview", "clicks", "delivery", "events"):
        answer = query_service.get(f"{ANALYTICS}/{path}", ada, params={"websiteId": str(website), "timeRange": "8d"})
        assert answer.status_code == 400 and answer.json()["errors"][0]["field"] == "timeRange"
        assert all(f"'{name.value}'" in answer.json()["message"] for name in TimeRange)


def test_a_comparison_says_whether_it_has_data(query_service: QueryService) -> None:
    ada = query_service.person()
    website = query_service.website(ada)
    now = this_moment()
    first = now.replace(hour=12) - timedelta(days=10)
    query_service.events([event(website, at, visitor=1) for at in (first, now)])

    def compared(**query: Any) -> tuple[Any, Any, Any]:
        found = get(query_service, ada, "overview", website, **query)
        return found["previousHasData"], found["previousDataFrom"], found["previous"] is not None

    assert compared(timeRange="7d") == (True, first.date().isoformat(), True)
    assert compared(timeRange="yesterday", compare="previous") == (True, None, True)
    assert compared(timeRange="30d") == (False, None, True)
    assert compared(timeRange="7d", compare="year") == (False, None, True)
    assert compared(timeRange="7d", compare="none") == (None, None, False)
    given = {"compare": "custom", "compareFrom": str(first.date()), "compareTo": str(now.date())}
    assert compared(timeRange="today", **given) == (True, None, True)
    hours = {**given, "compareTo": str(first.date())}
    assert compared(timeRange="7d", **hours) == (True, first.date().isoformat(), True)


def test_a_website_without_events_has_nothing_to_compare(query_service: QueryService) -> None:
    ada = query_service.person()
    website = query_service.website(ada)
    found = get(query_service, ada, "overview", website, timeRange="this_month")
    assert found["previousHasData"] is False and found["clicks"]["total"] == 0
    assert get(query_service, ada, "overview", website, timeRange="all")["range"]["bucket"] == "hour"


def test_older_events_that_arrive_later_change_where_the_data_begin(query_service: QueryService) -> None:
    ada = query_service.person()
    website = query_service.website(ada)
    asked = {"timeRange": "custom", "from": "2026-06-22", "to": "2026-06-28"}

    def compared() -> tuple[bool, str | None]:
        found = get(query_service, ada, "overview", website, **asked)
        return found["previousHasData"], found["previousDataFrom"]

    for first, answer in (
        (datetime(2026, 6, 25, 12, tzinfo=UTC), (False, None)),
        (datetime(2026, 6, 17, 12, tzinfo=UTC), (True, "2026-06-17")),
        (datetime(2026, 6, 16, 12, 5, tzinfo=UTC), (True, "2026-06-16")),
        (datetime(2026, 5, 1, tzinfo=UTC), (True, None)),
        (datetime(2026, 4, 1, tzinfo=UTC), (True, None)),
    ):
        query_service.events([event(website, first, visitor=1)])
        assert [compared(), compared()] == [answer, answer]


def test_the_overview_names_the_newest_event_of_a_person(query_service: QueryService) -> None:
    ada = query_service.person()
    website = query_service.website(ada)
    assert get(query_service, ada, "overview", website)["lastEventAt"] is None
    old = datetime(2026, 6, 1, 12, 7, tzinfo=UTC)
    query_service.events([event(website, old, visitor=1)])
    found = get(query_service, ada, "overview", website, compare="none")["lastEventAt"]
    assert datetime.fromisoformat(found) == datetime(2026, 6, 1, 12, tzinfo=UTC)
    now = this_moment().replace(microsecond=0)
    query_service.events([event(website, now, visitor=1), event(website, now + timedelta(seconds=1), is_bot=True)])
    found = get(query_service, ada, "overview", website, timeRange="yesterday")["lastEventAt"]
    assert datetime.fromisoformat(found) == now


def test_an_event_that_arrives_late_does_not_hide_a_newer_one(query_service: QueryService) -> None:
    ada = query_service.person()
    website = query_service.website(ada)
    now = this_moment()
    earlier = event(website, now - timedelta(hours=7), visitor=1)
    arrived = event(website, now, visitor=1)["received_at"]
    query_service.events([event(website, now - timedelta(hours=2), visitor=1), {**earlier, "received_at": arrived}])
    found = datetime.fromisoformat(get(query_service, ada, "overview", website)["lastEventAt"])
    assert timedelta(0) <= now - timedelta(hours=2) - found < timedelta(minutes=15)


def test_the_comparison_is_that_of_the_given_days(query_service: QueryService) -> None:
    ada = query_service.person()
    website = query_service.website(ada)
    noon = datetime(2026, 6, 1, 12, tzinfo=UTC)  # a Monday
    query_service.events([event(website, noon + timedelta(days=day), visitor=1) for day in range(30)])
    asked = {"timeRange": "custom", "from": "2026-06-22", "to": "2026-06-28"}
    june = {"compare": "custom", "compareFrom": "2026-06-02", "compareTo": "2026-06-03"}
    found = get(query_service, ada, "overview", website, **asked, **june)
    assert found["previous"]["clicks"]["total"] == 2
    assert (found["previousRange"]["from"], found["previousRange"]["to"]) == ("2026-06-02", "2026-06-03")
    shifted = get(query_service, ada, "overview", website, **asked, **june, matchWeekdays="true")
    assert (shifted["previousRange"]["from"], shifted["previousRange"]["to"]) == ("2026-06-01", "2026-06-02")
    month = {"timeRange": "custom", "from": "2026-06-10", "to": "2026-06-19"}
    matched = get(query_service, ada, "overview", website, **month, matchWeekdays="true")
    assert matched["previousRange"]["from"] == "2026-05-27"
    assert date.fromisoformat(matched["previousRange"]["from"]).weekday() == date(2026, 6, 10).weekday()


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"compare": "custom"}, "compareFrom"),
        ({"compare": "custom", "compareFrom": "2026-01-01"}, "compareTo"),
        ({"compare": "custom", "compareFrom": "2026-01-02", "compareTo": "2026-01-01"}, "compareFrom"),
        ({"compare": "custom", "compareFrom": "yesterday", "compareTo": "2026-01-01"}, "compareFrom"),
        ({"compareFrom": "2026-01-01", "compareTo": "2026-01-02"}, "compareFrom"),
        ({"compare": "weekday"}, "compare"),
        ({"matchWeekdays": "often"}, "matchWeekdays"),
        ({"timeRange": "today", "from": "2026-01-01"}, "from"),
    ],
)
def test_comparisons_that_make_no_sense_are_refused(
    query_service: QueryService, query: dict[str, str], field: str
) -> None:
    ada = query_service.person()
    website = query_service.website(ada)
    answer = query_service.get(f"{ANALYTICS}/overview", ada, params={"websiteId": str(website), **query})
    assert answer.status_code == 400 and answer.json()["errors"][0]["field"] == field
