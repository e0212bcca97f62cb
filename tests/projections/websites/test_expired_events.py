"""Events of days whose time is over go, and what they came to stays: also when their table is built again from the log,
after a crash at any step, and for the audit."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Any, Final
from uuid import UUID, uuid4

import pytest

from infra.domain.visits import tables
from infra.ops.audit.command import audit
from projectors.engine import generations
from projectors.rollups import traffic_marks
from schemas.base import DomainEvent
from schemas.events.websites import (
    WebsiteConnected,
    WebsiteEventsExpired,
    WebsiteRetentionChanged,
    WebsiteTrafficRemarked,
    WebsiteTrafficRemarkUndone,
    WebsiteUpdated,
)
from tests.support.projection_bench import WEBSITE, ProjectionBench, click, end
from tests.support.rounds import first_of
from tests.support.stack import wait_for

OTHER: Final = UUID("0190a1b2-0000-7000-8000-000000000002")
BEFORE: Final = date(2026, 11, 10)
EXPIRED: Final = f"website_id = '{WEBSITE}' AND toDate(occurred_at) < '{BEFORE}'"
VISITS: Final = tables.table(tables.VISIT_EVENTS)
FIGURES: Final = (
    "SELECT website_id, toDate(bucket) AS day, is_bot, sum(clicks), sum(pageviews), sum(customs), sum(c_pending)"
    " FROM traffic_15m GROUP BY ALL ORDER BY ALL",
    "SELECT website_id, toDate(bucket) AS day, partner_id, sum(clicks) FROM partner_15m GROUP BY ALL ORDER BY ALL",
    "SELECT website_id, toDate(bucket) AS day, country, sum(clicks) FROM country_15m GROUP BY ALL ORDER BY ALL",
    "SELECT website_id, toDate(bucket) AS day, uniqCombinedMerge(12)(visitors), uniqCombinedMerge(12)(clickers)"
    " FROM visitors_15m GROUP BY ALL ORDER BY ALL",
    "SELECT website_id, outcome, sum(events) FROM delivery_minute GROUP BY ALL ORDER BY ALL",
    "SELECT website_id, day, sum(events), sum(fingerprint) FROM event_days GROUP BY ALL ORDER BY ALL",
    "SELECT count(), sum(c_pending) FROM conversion_events",
)


class Site:
    """The website's decisions, in order, a minute after each other."""

    def __init__(self, bench: ProjectionBench, timezone: str = "Europe/Berlin") -> None:
        self._bench, self._version = bench, 0
        self.decide(WebsiteConnected, account_id=uuid4(), domain="a.example", timezone=timezone, currency="USD")

    def decide(self, event_class: type[DomainEvent], **values: Any) -> None:
        self._version += 1
        at = datetime(2026, 11, 20, 12, self._version, tzinfo=UTC)
        self._bench.decide(event_class(originator_id=WEBSITE, originator_version=self._version, timestamp=at, **values))

    def expire(self, before: date = BEFORE) -> None:
        self.decide(WebsiteRetentionChanged, raw_months=1)
        self.decide(WebsiteEventsExpired, before=before)


def publish(bench: ProjectionBench) -> None:
    """Events of twenty days of two websites, the old ones last: no later row of their partition is kept."""
    rows: list[dict[str, Any]] = [click(number, path=f"/{number % 7}") for number in range(1_200)]
    rows += [{**click(number), "website_id": str(OTHER)} for number in range(2_000, 2_200)]
    rows.sort(key=lambda row: str(row["occurred_at"]), reverse=True)
    bench.publish(rows, content=b"x")


def figures(bench: ProjectionBench) -> Sequence[Any]:
    return [bench.rows(query) for query in FIGURES]


def until_gone(bench: ProjectionBench) -> None:
    def are_gone() -> bool:
        [(events,)] = bench.rows(f"SELECT count() FROM events WHERE {EXPIRED} AND type <> 'conversion'")
        of_website = f"website_id = '{WEBSITE}' AND day < '{BEFORE}'"
        [(rows,)] = bench.rows(f"SELECT count() FROM {VISITS} WHERE {of_website}")
        return bool(events == rows == 0)

    wait_for(are_gone, "the expired events to be deleted", 90)


def kept(bench: ProjectionBench) -> Any:
    """Rows by website."""
    return bench.rows("SELECT website_id, count(), min(toDate(occurred_at)) FROM events GROUP BY 1 ORDER BY 1")


def checked(bench: ProjectionBench) -> None:
    report = audit(bench.settings)
    assert report.is_clean, report.as_text()
    assert report.checked["days whose events have expired"] == 9


def test_expired_events_go_and_figures_stay_also_when_the_table_is_built_again(projecting: ProjectionBench) -> None:
    site = Site(projecting)
    publish(projecting)
    with projecting.running():
        projecting.wait()
        before = figures(projecting)
        site.expire()
        until_gone(projecting)
        assert figures(projecting) == before
        of_website, of_other = kept(projecting)
        assert of_website[1:] == (660, BEFORE)
        assert of_other[1:] == (200, date(2026, 11, 1))
        checked(projecting)
        # A rollup alone would be built from rows that are gone.
        assert projecting.command("projections", "rebuild", "traffic_15m", "--json") == 1
        assert projecting.command("projections", "rebuild", "events", "--json") == 0
        assert projecting.command("projections", "verify", "events", "--json") == 0
        assert projecting.command("projections", "promote", "events", "--json") == 0
        until_gone(projecting)
        assert figures(projecting) == before
        assert kept(projecting) == [of_website, of_other]
        checked(projecting)
    with projecting.running():  # the newest rows of the partitions are gone, and that is no loss
        projecting.publish([click(5_000)])
        projecting.wait()
    assert projecting.sql("select state from engine.build where name = 'events' and generation = 2") == [("live",)]


@pytest.mark.parametrize("step", first_of("expiry_built", "expiry_deleted"))
def test_a_crash_at_any_step_ends_in_the_same_tables(projecting: ProjectionBench, step: str) -> None:
    site = Site(projecting)
    publish(projecting)
    site.expire()
    process = projecting.start(step)
    process.wait(90)
    assert end(process) == -9
    with projecting.running():
        projecting.wait()
        until_gone(projecting)
    assert [row[1] for row in kept(projecting)] == [660, 200]
    assert projecting.one("SELECT sum(clicks), sum(pageviews) FROM traffic_15m") == (700, 700)
    checked(projecting)


def test_days_that_were_never_built_are_built_from_the_rows_that_come_back(projecting: ProjectionBench) -> None:
    """As after a restore without ClickHouse, or with another version of the visits."""
    site = Site(projecting)
    publish(projecting)
    site.expire()
    with projecting.running():
        projecting.wait()
        until_gone(projecting)
        counted = "SELECT sum(visits), sum(events) FROM {} WHERE dimension = 'page' AND days = {}"
        before = [projecting.one(counted.format(tables.table(tables.BREAKDOWN), days)) for days in (1, *tables.PARTS)]
        assert all(events > 0 for _, events in before)
        for name in (tables.BREAKDOWN, tables.VISIT_BUILDS):
            projecting.clickhouse.run(f"TRUNCATE TABLE {tables.table(name)}")
        assert projecting.command("projections", "rebuild", "events", "--json") == 0
        wait_for(lambda: projecting.command("projections", "promote", "events", "--json") == 0, "the switch", 60)
        until_gone(projecting)
        after = [projecting.one(counted.format(tables.table(tables.BREAKDOWN), days)) for days in (1, *tables.PARTS)]
    assert after == before
    checked(projecting)


@pytest.fixture
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generations, "PARAMETERS_PAUSE_S", 0)


@pytest.mark.usefixtures("no_pause")
def test_traffic_rules_leave_expired_days_as_they_were(projecting: ProjectionBench) -> None:
    site, old, new = Site(projecting, "UTC"), uuid4(), uuid4()
    period = {"since": datetime(2026, 11, 5, tzinfo=UTC), "until": datetime(2026, 11, 13, tzinfo=UTC)}
    rule = {"mark": "bot", "conditions": {"type": "click"}, **period}
    site.decide(WebsiteTrafficRemarked, rule_id=old, **rule)
    publish(projecting)
    site.expire()
    site.decide(WebsiteTrafficRemarkUndone, rule_id=old)
    site.decide(WebsiteTrafficRemarked, rule_id=new, **{**rule, "conditions": {"type": "pageview"}})
    with projecting.running():
        for name in ("traffic_rules", "event_expiries"):
            projecting.wait(name)
        found = traffic_marks.parse_parameters(traffic_marks.read_parameters(projecting.connection))[WEBSITE]
        midnight = datetime(2026, 11, 10)  # noqa: DTZ001 - as rows have it
        assert [(one.since, one.until) for one in found] == [
            (midnight, datetime(2026, 11, 13)),  # noqa: DTZ001
            (datetime(2026, 11, 5), midnight),  # noqa: DTZ001
        ]
        wait_for(
            lambda: projecting.sql("select live_generation from engine.projection where name = 'events'") != [(1,)],
            "the rules to be followed",
            90,
        )
        projecting.wait()
        until_gone(projecting)
    bots = "SELECT toDate(bucket) AS day, sum(clicks), sum(pageviews) FROM traffic_15m WHERE is_bot AND"
    marked = {row[0]: row[1:] for row in projecting.rows(f"{bots} website_id = '{WEBSITE}' GROUP BY day")}
    assert {day.day for day, (clicks, _) in marked.items() if clicks} == {6, 8}
    assert {day.day for day, (_, views) in marked.items() if views} == {11}
    checked(projecting)


def test_a_day_in_another_zone_has_parts_of_its_own(projecting: ProjectionBench) -> None:
    site = Site(projecting, "UTC")
    publish(projecting)
    site.decide(WebsiteUpdated, timezone="America/New_York")
    site.expire()
    with projecting.running():
        projecting.wait()
        until_gone(projecting)
    parts = projecting.rows(
        "SELECT days, max(toHour(last_at)), min(toHour(first_at)) FROM"
        f" {tables.table(tables.VISIT_BUILDS)} WHERE days > 100 AND day > '2026-11-01' GROUP BY days ORDER BY days"
    )
    assert all(last < 5 for days, last, _ in parts if days == tables.BEFORE_MIDNIGHT)
    assert all(first >= 5 for days, _, first in parts if days == tables.FROM_MIDNIGHT)
    checked(projecting)
