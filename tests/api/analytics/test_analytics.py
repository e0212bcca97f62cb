"""The analytics calls over real engines: shapes, zones, comparison, filters, money, and that every card agrees."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import uuid4

from schemas import filters
from schemas.tracking import AD_IDS_NOT_KEPT
from tests.support.query import QueryService, conversion, event, this_moment


def test_overview_counts_once_and_compares(query_service: QueryService) -> None:
    ada = query_service.person()
    website = query_service.website(ada)
    partner = query_service.partner("Acme")
    now = this_moment()
    before = now - timedelta(days=7)
    query_service.events(
        [
            event(website, now, visitor=1, partner_id=partner, country="DE"),
            event(website, now, visitor=1, partner_id=partner, country="DE"),
            event(website, now, visitor=2, country="FR"),
            event(website, now, visitor=3, is_bot=True, bot_reason="crawler"),
            event(website, now, "pageview", visitor=4),
            conversion(website, now, partner_id=partner, country="DE", d_pending=1, c_pending=1050),
            conversion(website, now, partner_id=partner, country="DE", d_pending=-1, c_pending=-1050),
            conversion(website, now, partner_id=partner, country="DE", d_approved=1, c_approved=1050),
            event(website, before, visitor=1, partner_id=partner),
        ]
    )
    answer = query_service.get(f"/api/platform/analytics/overview?websiteId={website}", ada)
    assert answer.status_code == 200, answer.text
    found = answer.json()
    assert found["clicks"] == {"total": 3, "unique": 2}
    assert (found["pageviews"], found["visitors"], found["conversion_rate"]) == (1, 3, 33.33)
    assert found["conversions"] == {
        "total": 1, "pending": 0, "approved": 1, "rejected": 0, "reversed": 0, "average_commission": 10.5,
    }  # fmt: skip
    assert found["revenue"] == {
        "total": 10.5, "pending": 0.0, "approved": 10.5, "reversed": 0.0, "active_partners": 1,
    }  # fmt: skip
    assert found["previous"]["clicks"] == {"total": 1, "unique": 1}
    assert found["range"]["bucket"] == "day" and found["currency"] == "USD"
    assert answer.headers["X-As-Of"].startswith(now.strftime("%Y-%m-%dT%H:%M"))
    assert float(answer.headers["X-Lag-Seconds"]) >= 0
    assert answer.headers["X-Position"].startswith("domain@")


def test_all_five_answer_for_an_empty_website(query_service: QueryService) -> None:
    ada = query_service.person()
    website = query_service.website(ada)
    for call in ("overview", "clicks", "conversions", "partners", "geographic"):
        for tail in ("", ".csv"):
            answer = query_service.get(f"/api/platform/analytics/{call}{tail}?websiteId={website}", ada)
            assert answer.status_code == 200, answer.text
    answer = query_service.get(f"/api/platform/analytics/delivery?websiteId={website}", ada)
    assert answer.status_code == 200, answer.text
    answer = query_service.get(f"/api/platform/analytics/events?websiteId={website}", ada)
    assert answer.status_code == 200, answer.text
    for path in ("user", "websites", "partners", "links", "conversions", "about", f"websites/{website}/keys"):
        answer = query_service.get(f"/api/platform/{path}", ada)
        assert answer.status_code == 200, answer.text
    admin = query_service.person("admin")
    for path in ("partners", "analytics", "recent-activity", "projections", "dead-letters", "exchange-rates"):
        answer = query_service.get(f"/api/admin/{path}", admin)
        assert answer.status_code == 200, answer.text
    assert datetime.now(UTC) and uuid4()


def test_delivery_counts_events_whose_ad_click_ids_could_not_be_kept(query_service: QueryService) -> None:
    ada = query_service.person()
    website, now = query_service.website(ada), this_moment()
    flags = ("", AD_IDS_NOT_KEPT, f"page,{AD_IDS_NOT_KEPT}", "page", "clock_corrected")
    query_service.events([event(website, now - timedelta(minutes=5), flags=text) for text in flags])

    def counted() -> int:
        answer = query_service.get(f"/api/platform/analytics/delivery?websiteId={website}", ada)
        assert answer.status_code == 200, answer.text
        found = answer.json()
        assert found["outcomes"]["accepted"] == len(flags)
        return int(found["adIdsNotKept"])

    assert counted() == 0, "the website keeps none"
    query_service.postgres.execute("UPDATE read.websites__g1 SET keep_ad_click_ids = true WHERE id = %s", (website,))
    assert counted() == 2


def test_a_client_whose_clock_is_ahead_makes_nothing_look_newer(query_service: QueryService) -> None:
    ada = query_service.person()
    website = query_service.website(ada)
    now = this_moment()
    query_service.events([event(website, now + timedelta(minutes=5)), event(website, now - timedelta(hours=3))])
    answer = query_service.get(f"/api/platform/analytics/overview?websiteId={website}", ada)
    as_of = datetime.fromisoformat(answer.headers["X-As-Of"])
    assert now - timedelta(minutes=1) < as_of <= datetime.now(UTC)
    assert answer.headers["X-Lag-Seconds"] == "0.0"


def test_every_value_can_be_named_by_a_filter(query_service: QueryService) -> None:
    ada = query_service.person()
    website = query_service.website(ada)
    values = ["a,b", "-a", "a", " a ", "(none)", "", "\\", "a\\", "\\,", "-", " ", "C:\\ads", "(none),", ",", "b"]
    query_service.events(
        [event(website, this_moment(), sub1=value) for number, value in enumerate(values) for _ in range(number + 1)]
    )

    def clicks(text: str) -> int:
        asked = {"websiteId": str(website), "compare": "none", "sub1": text}
        answer = query_service.get("/api/platform/analytics/overview", ada, params=asked)
        assert answer.status_code == 200, answer.text
        return int(answer.json()["clicks"]["total"])

    everything = sum(range(len(values) + 1))
    for number, value in enumerate(values, 1):
        named = filters.named(value)
        assert clicks(named) == number, named
        assert clicks(f"-{named}") == everything - number, named
    assert clicks(f"{filters.named('a,b')},{filters.named('-a')}") == 1 + 2
    assert clicks("a,b") == 3 + 15 and clicks("-a") == everything - 3 and clicks("(none)") == 6
