"""Once single events have expired, every analytics call answers as before, or says that they are gone; never less."""

from __future__ import annotations

import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
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
from infra.kernel.config.settings import Settings
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
from tests.api.operations.test_admin_reads import a_conversion
from tests.support.query import QueryService, own_tables, serving
from tests.support.rounds import first_of

BEFORE: Final = date(2026, 4, 5)
RANGES: Final = [(FIRST, LAST), (date(2026, 3, 29), date(2026, 3, 29)), (date(2026, 3, 25), date(2026, 4, 2))]
Parameters = list[tuple[str, str]]


@pytest.fixture(scope="module")
def query_service(embedded_postgres: Settings, embedded_clickhouse: Settings) -> Iterator[QueryService]:
    """Over databases of its own: builder and audit read every website."""
    with own_tables(embedded_postgres, embedded_clickhouse) as settings, serving(settings) as service:
        yield service


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


@contextmanager
def announced(service: QueryService, measured: Measured) -> Iterator[None]:
    """Calls answer as if the events had expired, which are all there still."""
    row = {"website_id": measured.website, "before": BEFORE, "expired_at": datetime.now(UTC)}
    service.insert("event_expiries", row)
    yield
    service.postgres.execute("DELETE FROM read.event_expiries__g1 WHERE website_id = %s", (measured.website,))


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
    with ThreadPoolExecutor(8) as threads:
        return list(threads.map(lambda one: ask(service, measured, *one), asked))


def reports(seed: int) -> list[tuple[str, Parameters]]:
    """Dashboards and reports that need no single event."""
    found: list[tuple[str, Parameters]] = [(f"/api/platform/analytics/{call}", []) for call in CALLS]
    daily = [name for name in NAMES if name in DAILY or name == "weekday_hour"]
    found += [("/api/platform/analytics/breakdown", [("by", name)]) for name in daily[seed % 3 :: 3]]
    found += [("/api/platform/analytics/events", [("of", "conversions"), ("device", "mobile")])]
    return [*found, ("/api/platform/analytics/breakdown/series", [])]


@pytest.mark.parametrize(
    ("seed", "share"), [(4, 2), *(pytest.param(seed, 1, marks=pytest.mark.slow) for seed in (0, 1, 4))]
)
def test_dashboards_and_reports_of_expired_days_are_the_same(
    query_service: QueryService, seed: int, share: int
) -> None:
    """In zones whose days begin anywhere in a day of UTC. Each gets a third of the dimensions, and a share of the
    spans, the next report the next ones."""
    measured = Measured(query_service, seed)
    spans = [*RANGES, (date(2026, 4, 1), date(2026, 4, 8))]
    asked = [
        (path, span, more)
        for number, (path, more) in enumerate(reports(seed))
        for place, span in enumerate(spans)
        if (number + place) % share == 0
    ]
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


@pytest.mark.parametrize("filters_a_call", first_of(4, 25))
def test_every_call_with_every_filter_answers_the_same_or_that_events_are_gone(
    query_service: QueryService,
    calls: list[str],  # noqa: F811
    filters_a_call: int,
) -> None:
    measured = Measured(query_service, 1)
    chance = random.Random(1)
    filters = [*singles(measured), *([one] for one in dimension_filters(measured))]
    asked = [
        (path, span, [*more, ("by", "page")] if path.endswith("breakdown") else more)
        for path in calls
        for more in [
            [],
            [("country", "DE")],
            [("partner", str(measured.partners[0]))],
            *chance.sample(filters, filters_a_call),
        ]
        for span in RANGES[:2]
    ]
    with announced(query_service, measured):
        refused = [found.status_code == 422 for found in answers(query_service, measured, asked)]
    # What is refused needs no answer to compare with. What has no filters, or ignores them, is answered once its
    # days are built.
    compared = [
        number
        for number, (path, _, more) in enumerate(asked)
        if not refused[number] or more in ([], [("by", "page")]) or path.endswith("/used-dimensions")
    ]
    before = dict(zip(compared, answers(query_service, measured, [asked[number] for number in compared]), strict=True))
    expire(query_service, measured)
    kept_from, gone = first_kept_day(BEFORE, measured.zone), []
    for number, now in enumerate(answers(query_service, measured, asked)):
        if now.status_code == 422:
            assert (now.json()["code"], now.json()["keptFrom"]) == ("raw_events_expired", kept_from.isoformat())
            assert kept_from.isoformat() in now.json()["message"]
            gone.append(asked[number])
        else:
            was = before[number]
            assert (was.status_code, was.content) == (now.status_code, now.content), (asked[number], now.text[:300])
    assert len(gone) > 20 * filters_a_call and len(asked) - len(gone) > 30
    later = [(path, (kept_from, LAST), more) for path, _, more in chance.sample(gone, 4 * filters_a_call)]
    for one, found in zip(later, answers(query_service, measured, later), strict=True):
        assert found.status_code == 200, (one, found.text[:300])


def test_lists_of_single_clicks_say_from_when_on_they_are_whole(query_service: QueryService) -> None:
    measured = Measured(query_service, 3)
    link_id = uuid4()
    link = {"id": link_id, "website_id": measured.website, "code": 77_001, "partner_id": measured.partners[0]}
    more = {"slug": "kept-from", "destination": "https://partner.example/", "subs": "{}", "is_active": True}
    query_service.insert("links", {**link, **more, "created_at": datetime.now(UTC)})
    other = query_service.website(query_service.person(), domain="other.example")
    sale = a_conversion(query_service, measured.website, measured.partners[0], link_id, "kept-from-click")
    admin, all_clicks = query_service.person("member", "admin"), "/api/admin/clicks"
    shortened = [
        (f"/api/platform/links/{link_id}/clicks", measured.owner),
        (f"/api/platform/conversions/{sale}/clicks", measured.owner),
        *((f"{all_clicks}{file}?websiteId={measured.website}", admin) for file in ("", ".csv")),
        *((f"{all_clicks}{file}?linkId={link_id}", admin) for file in ("", ".csv")),
        *((f"{all_clicks}{file}?conversionId={sale}", admin) for file in ("", ".csv")),
    ]
    for path, person in shortened:
        answer = query_service.get(path, person)
        assert answer.status_code == 200 and KEPT_FROM not in answer.headers, path
    expire(query_service, measured)
    [website] = query_service.get("/api/platform/websites", measured.owner).json()
    first = min(row["occurred_at"] for row in measured.rows)
    seen = datetime.fromisoformat(website["firstEventAt"]).replace(tzinfo=None)
    assert timedelta() <= datetime.fromisoformat(first) - seen < timedelta(minutes=15)
    for path, person in shortened:
        assert query_service.get(path, person).headers[KEPT_FROM] == BEFORE.isoformat(), path
    for file in ("", ".csv"):
        assert date.fromisoformat(query_service.get(all_clicks + file, admin).headers[KEPT_FROM]) >= BEFORE
        assert KEPT_FROM not in query_service.get(f"{all_clicks}{file}?websiteId={other}", admin).headers
