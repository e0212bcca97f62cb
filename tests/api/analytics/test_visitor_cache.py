"""Visitors of a large past that is merged once are those of the table, after late events and merges, with today's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import cast
from uuid import UUID

import pytest

from query_api.analytics import ranges, series
from query_api.analytics.query_plan import TrafficSelection
from query_api.analytics.ranges import Range, TimeRange
from query_api.kernel.clickhouse_reader import ClickHouseReader, Query, Row
from query_api.kernel.query_coalescing import QueryCoalescer
from query_api.kernel.read_your_writes import ProjectionPositions
from query_api.kernel.visitor_cache import LARGE, CachedVisitorQuery, VisitorCache
from schemas.http.analytics import Bots
from schemas.zones import ZoneInfo
from tests.support.query import Person, QueryService, event

NOW = datetime.now(UTC).replace(hour=12, minute=0, second=0, microsecond=0)
DAYS = 40
TABLES = {"visitors_15m": "visitors_15m__g1"}


class Recorder:
    """A coalescer that runs every statement, and the positions of a service that knows its tables."""

    tables = TABLES

    def __init__(self, reader: ClickHouseReader) -> None:
        self.asked: list[Query] = []
        self._reader = reader

    def all(self, *queries: Query) -> list[list[Row]]:
        self.asked.extend(queries)
        return self._reader.all(*queries)


class Site:
    """A website with visitors on each of 40 days."""

    def __init__(self, service: QueryService, recorder: Recorder) -> None:
        self.service, self.recorder = service, recorder
        self.owner: Person = service.person()
        self.website: UUID = service.website(self.owner, "Asia/Kathmandu")
        self.cache = VisitorCache(cast(QueryCoalescer, recorder), cast(ProjectionPositions, recorder), large=1)
        self.seen(*[(NOW - timedelta(days=day), visitor) for day in range(DAYS) for visitor in range(day, day + 30)])
        for hours in (0, 5, 5 * 24, 40 * 24):
            at = NOW - timedelta(hours=hours)
            bot = event(self.website, at, visitor=hours + 1, is_bot=True, bot_reason="crawler")
            service.events([bot, event(self.website, at, visitor=hours + 2)])

    def seen(self, *visits: tuple[datetime, int]) -> None:
        self.service.events(
            [event(self.website, at, "click" if visitor % 2 else "pageview", visitor=visitor) for at, visitor in visits]
        )

    def query(self, asked: Range | TimeRange = TimeRange.LAST_30D, bots: Bots = Bots.EXCLUDE) -> CachedVisitorQuery:
        if not isinstance(asked, Range):
            asked = ranges.resolve(asked, ZoneInfo("Asia/Kathmandu"), NOW, since=None)
        query = series.visitors(TrafficSelection(str(self.website), (), bots), asked)
        assert isinstance(query, CachedVisitorQuery)
        return query

    def ask(self, query: CachedVisitorQuery) -> list[str]:
        """Which of its statements were run. Their rows are those of the statement over the whole range."""
        self.recorder.asked.clear()
        [rows] = self.cache.all(query)
        asked = [self._name(query, each) for each in self.recorder.asked]
        [whole] = self.recorder.all(Query(query.sql, query.parameters))
        names = "edge", "unique_clickers", "unique_visitors"
        assert sorted([row[name] for name in names] for row in rows) == sorted([*row.values()] for row in whole)
        return asked

    @staticmethod
    def _name(query: CachedVisitorQuery, asked: Query) -> str:
        named = {query.sql: "whole", query.past.sql: "past", query.parts.sql: "parts"}
        return named.get(asked.sql, "last")


@pytest.fixture(scope="module")
def recorder(query_service: QueryService) -> Iterator[Recorder]:
    with closing(ClickHouseReader(query_service.settings, lambda: TABLES)) as reader:
        yield Recorder(reader)


@pytest.fixture
def site(query_service: QueryService, recorder: Recorder) -> Site:
    return Site(query_service, recorder)


@pytest.mark.parametrize("bots", list(Bots))
@pytest.mark.parametrize("time_range", [TimeRange.LAST_30D, TimeRange.LAST_12M, TimeRange.LAST_24H])
def test_the_cached_past_gives_the_same_as_the_table(site: Site, time_range: TimeRange, bots: Bots) -> None:
    query = site.query(time_range, bots)
    assert [site.ask(query) for _ in range(3)] == [["whole"], ["past", "last"], ["parts", "last"]]


def test_an_event_of_today_is_in_and_the_past_stays_cached(site: Site, cached: CachedVisitorQuery) -> None:
    site.seen((NOW, 500), (NOW, 501))
    assert site.ask(cached) == ["parts", "last"]


def test_a_late_event_of_the_past_is_in_at_once(site: Site, cached: CachedVisitorQuery) -> None:
    site.seen((NOW - timedelta(days=9), 501))
    assert site.ask(cached) == ["parts", "last", "whole"]
    assert site.ask(cached) == ["whole"]


def test_merged_parts_are_read_again(site: Site, cached: CachedVisitorQuery) -> None:
    site.seen((NOW, 500))
    site.service.command("OPTIMIZE TABLE visitors_15m__g1 FINAL")
    assert site.ask(cached) == ["parts", "last", "whole"]


def test_a_range_that_is_over_needs_no_last_bucket(site: Site) -> None:
    days = ranges.of_days(ZoneInfo("Asia/Kathmandu"), (NOW - timedelta(days=35)).date(), NOW.date() - timedelta(days=5))
    whole = Range(days.timezone, days.bucket, (days.start, days.end))
    assert [site.ask(site.query(whole)) for _ in range(2)] == [["whole"], ["past"]]
    assert site.ask(site.query(whole)) == ["parts"]


@pytest.fixture
def cached(site: Site) -> CachedVisitorQuery:
    """A range whose past is cached."""
    query = site.query()
    assert [site.ask(query) for _ in range(2)] == [["whole"], ["past", "last"]]
    assert site.ask(query) == ["parts", "last"]
    return query


def test_the_dashboard_of_a_large_website_has_the_visitors_of_the_table(query_service: QueryService) -> None:
    owner = query_service.person()
    website = query_service.website(owner, "Europe/Berlin")
    service = query_service
    service.command(
        "INSERT INTO events__g1 (website_id, event_id, type, occurred_at, received_at, visitor, _topic)"
        f" SELECT toUUID('{website}'), generateUUIDv4(), 'pageview', now() - toIntervalSecond(100000 + number * 40),"
        f" now(), 1 + number, 'clicks' FROM numbers({2 * (LARGE + 10_000)})"
    )

    def visitors() -> tuple[int, int, int]:
        path = f"/api/platform/analytics/overview?websiteId={website}&timeRange=30d"
        found = service.get(path, owner).raise_for_status().json()
        points = service.get(path.replace("overview", "clicks"), owner).raise_for_status().json()
        return found["visitors"], found["previous"]["visitors"], sum(point["visitors"] for point in points)

    first = visitors()
    assert min(first) > LARGE
    assert [visitors() for _ in range(3)] == [first] * 3
    for days in (4, 40):
        late = datetime.now(UTC) - timedelta(days=days)
        service.events([event(website, late, visitor=days * 2**50 + number) for number in range(5_000)])
    later = visitors()
    assert all(after == pytest.approx(before + 5_000, rel=0.03) for before, after in zip(first, later, strict=True))
    assert [visitors() for _ in range(2)] == [later] * 2
