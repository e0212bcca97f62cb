"""A day that grew since it was built has the same rows as the same day without a build."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from infra.kernel.clickhouse.reader import Reader
from infra.kernel.config.settings import Settings
from infra.ops.audit.built_visits import audit_built_visits
from infra.ops.audit.expired_events import Expired
from projectors.engine.clickhouse import HttpClickHouse
from projectors.engine.ownership import Ownership
from projectors.visits import builder as visit_builder
from projectors.visits.builder import VisitBuilder
from query_api.analytics import statement, visit_growth, visit_rows
from query_api.analytics.kept_events import KeptEvents
from query_api.analytics.visit_rows import VisitRows
from query_api.kernel.clickhouse_reader import Query
from tests.support.query import QueryService, event, own_tables
from tests.support.rounds import first_of

DAY = datetime(2026, 2, 3, tzinfo=UTC)
SPAN = (DAY + timedelta(hours=2), DAY + timedelta(days=1))
TABLES = {"events": "events__g1", "event_days": "event_days__g1"}


@pytest.fixture(scope="module")
def query_service(embedded_postgres: Settings, embedded_clickhouse: Settings) -> Iterator[QueryService]:
    """Only its tables, in databases of its own: builder and audit read every website."""
    with own_tables(embedded_postgres, embedded_clickhouse) as settings:
        yield QueryService("", settings)


class Day:
    """A website with random events of one day, in four partitions."""

    def __init__(self, service: QueryService, seed: int) -> None:
        self.service, self.chance = service, random.Random(seed)
        self.website: UUID = service.website(service.person())
        self.offsets = [0, 0, 0, 0]

    def add(self, events: int, partitions: Sequence[int] = (0, 1, 2, 3), **more: Any) -> None:
        """More events, the later ones further in the log; visitor 0 is unknown."""
        self.service.events([self._row(self.chance.choice(partitions), more) for _ in range(events)])

    def _row(self, partition: int, more: dict[str, Any]) -> dict[str, Any]:
        chance = self.chance
        self.offsets[partition] += 1
        at = DAY + timedelta(milliseconds=chance.randrange(86_400_000))
        row = {
            "visitor": chance.randrange(0, 20),
            "session": chance.choice([0, 0, 3]),
            "path": chance.choice(["/a", "/b", ""]),
            "source": chance.choice(["google", ""]),
            "is_bot": chance.random() < 0.1,
            "_topic": "clicks",
            "_partition": partition,
            "_offset": self.offsets[partition],
        }
        return event(self.website, at, chance.choice(["click", "pageview"]), **{**row, **more})

    def plan(self) -> VisitRows:
        """As `request_for` makes it."""
        days, builds = (self._read(query) for query in visit_rows.plan_queries(str(self.website), [SPAN]))
        rows = visit_rows.plan(str(self.website), days, builds, KeptEvents())
        if not rows.outdated:
            return rows
        return rows.with_grown(self._read(visit_growth.check_query(str(self.website), rows.outdated)))

    def rows(self, rows: VisitRows) -> list[tuple[Any, ...]]:
        """The rows of the span, sorted."""
        shown = tuple(name for name in statement.COLUMNS if name != "props")
        columns = ", ".join(f"toString({name})" for name in shown)
        sql = f"SELECT {columns} FROM ({statement.traffic(rows.rows(*SPAN), shown)})"
        start, end = (int(moment.timestamp()) for moment in SPAN)
        return sorted(self.service.rows(sql, website=rows.website_id, start=start, end=end, **TABLES))

    def _read(self, query: Query) -> list[dict[str, Any]]:
        return self.service.named_rows(query.sql, **query.parameters, **TABLES)


@pytest.fixture
def builder(query_service: QueryService) -> VisitBuilder:
    settings = query_service.settings
    assert settings.postgres_url is not None
    return VisitBuilder(HttpClickHouse(settings), Ownership(settings.postgres_url))


@pytest.fixture(autouse=True)
def every_day_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visit_growth, "GROWN_DAY_EVENTS", 1)
    monkeypatch.setattr(visit_builder, "MIN_EVENTS", 1)


@pytest.mark.parametrize("seed", first_of(0, *range(1, 4)))
def test_a_grown_day_has_the_rows_that_are_found_without_a_build(
    query_service: QueryService, builder: VisitBuilder, seed: int
) -> None:
    day = Day(query_service, seed)
    day.add(300, partitions=(0, 1, 2))
    live = day.plan()
    assert DAY.date() in live.live
    build(builder)
    day.add(20)  # also in a partition that the build has nothing of
    grown = day.plan()
    assert [each.newer for each in grown.grown.values()] == [20] and not grown.live
    assert day.rows(grown) == day.rows(live)
    assert len(day.rows(grown)) > 250
    with Reader(query_service.settings) as clickhouse:  # it finds the build's visits in another way
        found = audit_built_visits(clickhouse, expired=Expired.read(query_service.postgres))
    assert found.is_clean and found.checked["rows of visit_events"] >= 300, found.as_text()


def test_what_arrives_after_the_plan_is_in_the_next_one(query_service: QueryService, builder: VisitBuilder) -> None:
    day = Day(query_service, 4)
    day.add(100)
    build(builder)
    day.add(5)
    grown = day.plan()
    before = day.rows(grown)
    day.add(5)
    assert day.rows(grown) == before
    later = day.plan()
    assert [each.newer for each in later.grown.values()] == [10]
    assert day.rows(later) == day.rows(VisitRows(str(day.website), {}, {DAY.date(): 110}, {}))


def test_a_repaired_record_makes_the_day_live(query_service: QueryService, builder: VisitBuilder) -> None:
    """Its offset is one that the build should have."""
    day = Day(query_service, 5)
    day.offsets[0] = 10
    day.add(100)
    build(builder)
    day.add(1, partitions=(0,), _offset=3)
    rows = day.plan()
    assert not rows.grown and rows.live == {DAY.date(): 101}


def test_a_day_whose_events_were_marked_is_live(query_service: QueryService, builder: VisitBuilder) -> None:
    """A traffic rule marks rows of the build: `events` is built again, with the same number of rows."""
    day = Day(query_service, 6)
    day.add(100, is_bot=False)
    build(builder)
    query_service.command(
        "ALTER TABLE events__g1 UPDATE is_bot = true, bot_reason = 'rate'"
        f" WHERE website_id = '{day.website}' AND _offset = 2 SETTINGS mutations_sync = 1"
    )
    day.add(1)
    rows = day.plan()
    assert not rows.grown and rows.live == {DAY.date(): 101}


def test_the_audit_takes_equal_states_of_256_visitors_as_equal(
    query_service: QueryService, builder: VisitBuilder
) -> None:
    """So many are the most that a state holds exactly: merged with an equal one it becomes an estimate."""
    day = Day(query_service, 7)
    of_page = [(f"/{page}", 1_000 * page + number) for page in range(1, 21) for number in range(256)]
    day.service.events([day._row(0, {"path": path, "visitor": visitor, "is_bot": False}) for path, visitor in of_page])
    build(builder)
    with Reader(query_service.settings) as clickhouse:
        found = audit_built_visits(clickhouse, expired=Expired.read(query_service.postgres))
    assert found.is_clean and found.checked["rows of visit_events"] >= 5_120, found.as_text()


def build(builder: VisitBuilder) -> None:
    for _ in range(3):
        builder.build()
