"""Once single events have expired, every analytics call answers as before, or says that they are gone; never less."""

from __future__ import annotations

import random
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final
from urllib.parse import urlencode
from uuid import uuid4

import httpx
import pytest

from infra.domain.retention import first_kept_day
from infra.domain.visits import tables
from infra.domain.visits.dimensions import DAILY, NAMES
from infra.kernel.clickhouse.reader import Reader
from infra.ops.audit.built_visits import audit_built_visits
from infra.ops.audit.expired_events import Expired, audit_expired_days
from infra.ops.audit.rollups import audit_rollups
from projectors.engine.clickhouse import HttpClickHouse
from projectors.engine.ownership import Ownership
from projectors.visits.builder import VisitBuilder
from projectors.visits.expiry import Expiries, Expiry
from query_api.kernel.kept_from import KEPT_FROM
from tests.api.analytics.test_agreement import CALLS, FIRST, LAST, Measured
from tests.api.analytics.test_every_filter import calls, dimension_filters, singles  # noqa: F401 - a fixture
from tests.support.query import QueryService

BEFORE: Final = date(2026, 4, 5)
RANGES: Final = [(FIRST, LAST), (date(2026, 3, 29), date(2026, 3, 29)), (date(2026, 3, 25), date(2026, 4, 2))]
Parameters = list[tuple[str, str]]


def ask(service: QueryService, measured: Measured, path: str, span: tuple[date, date], more: Parameters) -> Any:
    asked = {"websiteId": measured.website, "timeRange": "custom", "from": span[0], "to": span[1], "compare": "none"}
    return service.get(f"{path}?{urlencode([*asked.items(), *more])}", measured.owner)


def expire(service: QueryService, measured: Measured) -> None:
    """As the projectors do it."""
    assert service.settings.postgres_url is not None
    at = datetime.now(UTC) - timedelta(hours=1)
    service.insert("event_expiries", {"website_id": measured.website, "before": BEFORE, "expired_at": at})
    expiries = Expiries({measured.website: Expiry(BEFORE, measured.zone.key)}, 1)
    clickhouse, ownership = HttpClickHouse(service.settings), Ownership(service.settings.postgres_url)
    builder = VisitBuilder(clickhouse, ownership, expiries=lambda: expiries)
    assert builder.expire() > 20
    assert VisitBuilder(clickhouse, ownership, expiries=lambda: expiries).expire() == 0


def left(service: QueryService, measured: Measured) -> int:
    [(events,)] = service.rows(
        f"SELECT count() FROM events WHERE website_id = '{measured.website}' AND type <> 'conversion'"
        f" AND toDate(occurred_at) < '{BEFORE}'"
    )
    [(rows,)] = service.rows(
        f"SELECT count() FROM {tables.table(tables.VISIT_EVENTS)} WHERE website_id = '{measured.website}'"
        f" AND day < '{BEFORE}'"
    )
    return int(events) + int(rows)


def answers(
    service: QueryService, measured: Measured, asked: list[tuple[str, Any, Parameters]]
) -> list[httpx.Response]:
    return [ask(service, measured, path, span, more) for path, span, more in asked]


def reports(seed: int) -> list[tuple[str, Parameters]]:
    """Dashboards and reports that need no single event."""
    found: list[tuple[str, Parameters]] = [(f"/api/platform/analytics/{call}", []) for call in CALLS]
    daily = [name for name in NAMES if name in DAILY or name == "weekday_hour"]
    found += [("/api/platform/analytics/breakdown", [("by", name)]) for name in daily[seed % 3 :: 3]]
    found += [("/api/platform/analytics/events", [("of", "conversions"), ("device", "mobile")])]
    return [*found, ("/api/platform/analytics/breakdown/series", [])]


@pytest.mark.parametrize("seed", [0, 1, 4])
def test_dashboards_and_reports_of_expired_days_are_the_same(query_service: QueryService, seed: int) -> None:
    """In zones whose days begin anywhere in a day of UTC. Each gets a third of the dimensions."""
    measured = Measured(query_service, seed)
    spans = [*RANGES, (date(2026, 4, 1), date(2026, 4, 8))]
    asked = [(path, span, more) for path, more in reports(seed) for span in spans]
    before = answers(query_service, measured, asked)
    assert left(query_service, measured) > 0
    expire(query_service, measured)
    assert left(query_service, measured) == 0
    for (path, span, more), was, now in zip(asked, before, answers(query_service, measured, asked), strict=True):
        assert was.status_code == 200, (path, more, was.text)
        assert now.status_code == 200 and now.json() == was.json(), (path, span, more, now.text[:500])
    expired = Expired.read(query_service.postgres)
    with Reader(query_service.settings) as clickhouse:
        for found in (
            audit_built_visits(clickhouse, expired=expired),
            audit_expired_days(clickhouse, expired),
            audit_rollups(clickhouse, expired),
        ):
            assert found.is_clean, found.as_text()


def test_every_call_with_every_filter_answers_the_same_or_that_events_are_gone(
    query_service: QueryService,
    calls: list[str],  # noqa: F811
) -> None:
    measured = Measured(query_service, 1)
    chance = random.Random(1)
    filters = [*singles(measured), *([one] for one in dimension_filters(measured))]
    asked = [
        (path, span, [*more, ("by", "page")] if path.endswith("breakdown") else more)
        for path in calls
        for more in [[], *chance.sample(filters, 8)]
        for span in RANGES[:2]
    ]
    before = answers(query_service, measured, asked)
    expire(query_service, measured)
    gone = same = 0
    kept_from = first_kept_day(BEFORE, measured.zone).isoformat()
    for (path, span, more), was, now in zip(asked, before, answers(query_service, measured, asked), strict=True):
        if now.status_code == 422:
            assert now.json()["code"] == "raw_events_expired" and now.json()["keptFrom"] == kept_from
            assert kept_from in now.json()["message"]
            gone += 1
        else:
            assert (was.status_code, was.content) == (now.status_code, now.content), (path, span, more, now.text[:300])
            same += 1
    assert gone > 50 and same > 20
    later = (first_kept_day(BEFORE, measured.zone), LAST)
    for path in calls:
        for more in chance.sample(filters, 5):
            with_by = [*more, ("by", "page")] if path.endswith("breakdown") else more
            assert ask(query_service, measured, path, later, with_by).status_code == 200


def test_lists_of_single_clicks_say_from_when_on_they_are_whole(query_service: QueryService) -> None:
    measured = Measured(query_service, 3)
    link_id = uuid4()
    link = {"id": link_id, "website_id": measured.website, "code": 77_001, "partner_id": measured.partners[0]}
    more = {"slug": "kept-from", "destination": "https://partner.example/", "subs": "{}", "is_active": True}
    query_service.insert("links", {**link, **more, "created_at": datetime.now(UTC)})
    path = f"/api/platform/links/{link_id}/clicks"
    assert KEPT_FROM not in query_service.get(path, measured.owner).headers
    expire(query_service, measured)
    [website] = query_service.get("/api/platform/websites", measured.owner).json()
    first = min(row["occurred_at"] for row in measured.rows)
    seen = datetime.fromisoformat(website["firstEventAt"]).replace(tzinfo=None)
    assert timedelta() <= datetime.fromisoformat(first) - seen < timedelta(minutes=15)
    assert query_service.get(path, measured.owner).headers[KEPT_FROM] == BEFORE.isoformat()
