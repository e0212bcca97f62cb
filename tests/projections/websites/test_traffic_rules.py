"""An event excludes the fake traffic of a day: figures follow it, also for late events, and follow its removal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from threading import Event, Thread
from typing import Any
from uuid import UUID, uuid4

import pytest

from infra.ops.audit.command import audit
from infra.ops.audit.report import AuditReport
from projectors.engine import generations
from projectors.registry import EVENTS_PROJECTION
from schemas.base import DomainEvent
from schemas.events.websites import WebsiteConnected, WebsiteTrafficRemarked, WebsiteTrafficRemarkUndone
from tests.support.projection_bench import WEBSITE, ProjectionBench, click, end
from tests.support.stack import wait_for

DAY = {"since": datetime(2026, 11, 6, tzinfo=UTC), "until": datetime(2026, 11, 7, tzinfo=UTC)}
LINK = UUID("0190a1b2-0000-7000-8000-0000000000bb")
VIEWS = len(EVENTS_PROJECTION.tables)
OTHER = UUID("0190a1b2-0000-7000-8000-000000000002")


class Site:
    """The website's decisions, in order."""

    def __init__(self, bench: ProjectionBench) -> None:
        self._bench, self._version = bench, 0
        self.decide(WebsiteConnected, account_id=uuid4(), domain="a.example", timezone="UTC", currency="USD")

    def decide(self, event_class: type[DomainEvent], **values: Any) -> None:
        self._version += 1
        at = datetime(2026, 11, 20, 12, self._version, tzinfo=UTC)
        event = event_class(originator_id=WEBSITE, originator_version=self._version, timestamp=at, **values)
        self._bench.decide(event)

    def remark(self, mark: str, **conditions: Any) -> UUID:
        rule = uuid4()
        self.decide(WebsiteTrafficRemarked, rule_id=rule, mark=mark, conditions=conditions, **DAY)
        return rule


@pytest.fixture
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rules are not gathered for minutes before a generation is built by them."""
    monkeypatch.setattr(generations, "PARAMETERS_PAUSE_S", 0)


def generation(bench: ProjectionBench) -> int:
    [(live,)] = bench.sql("select live_generation from engine.projection where name = 'events'")
    return int(live)


def until_live(bench: ProjectionBench, wanted: int) -> None:
    until_switched(bench, wanted)
    bench.wait()


def until_switched(bench: ProjectionBench, wanted: int) -> None:
    """The switch in Postgres comes first, that of ClickHouse's views a moment later."""
    views = "SELECT countIf(as_select LIKE '%__g{}%') FROM system.tables WHERE database = currentDatabase()"

    def switched() -> bool:
        return generation(bench) == wanted and bench.one(views.format(wanted) + " AND engine = 'View'") == (VIEWS,)

    wait_for(switched, f"generation {wanted} to be live", 120)


def clicks(bench: ProjectionBench) -> dict[str, int]:
    """Counted clicks, by the rollup, and excluded clicks, by reason."""
    [(counted,)] = bench.rows("SELECT sum(clicks) FROM traffic_15m WHERE NOT is_bot")
    rows = bench.rows(
        "SELECT bot_reason, countIf(type = 'click') AS n FROM events WHERE is_bot GROUP BY 1 HAVING n > 0"
    )
    return {"counted": counted, **dict(rows)}


def checked(bench: ProjectionBench) -> AuditReport:
    report = audit(bench.settings)
    assert report.is_clean, report.as_text()
    return report


@contextmanager
def traffic(bench: ProjectionBench) -> Iterator[None]:
    """Page views of another website that keep coming."""
    stopping = Event()

    def send() -> None:
        number = 100_000
        while not stopping.is_set():
            rows = [click(one, website_id=str(OTHER), type="pageview") for one in range(number, number + 20)]
            bench.publish(rows, content=b"x")
            number += 20
            stopping.wait(0.05)

    thread = Thread(target=send)
    thread.start()
    try:
        yield
    finally:
        stopping.set()
        thread.join()


@pytest.mark.usefixtures("no_pause")
def test_a_traffic_rule_excludes_fake_traffic_and_can_be_undone(projecting: ProjectionBench) -> None:
    site = Site(projecting)
    on_day = {"occurred_at": "2026-11-06 10:00:00.000", "type": "click", "link_id": str(LINK)}
    other_link = {**on_day, "link_id": str(uuid4())}
    at_end = {**on_day, "occurred_at": "2026-11-07 00:00:00.000"}
    crawler = {"is_bot": True, "bot_reason": "crawler"}
    projecting.publish([click(number, **on_day) for number in range(100)], content=b"x")
    projecting.publish([click(200, **other_link), click(201, **at_end), click(202, **on_day, **crawler)])
    projecting.publish([click(203, **{**on_day, "website_id": str(OTHER)})])
    with projecting.running():
        projecting.wait()
        assert clicks(projecting) == {"counted": 103, "crawler": 1}
        rule = site.remark("suspicious", link_id=LINK, type="click")
        with traffic(projecting):
            until_switched(projecting, 2)
        projecting.wait()
        assert clicks(projecting) == {"counted": 3, "remarked": 101}
        assert projecting.rows("SELECT sum(events) FROM delivery_minute WHERE outcome = 'suspicious'") == [(101,)]
        [(seen,)] = projecting.rows(
            f"SELECT uniqCombinedMerge(12)(clickers) FROM visitors_15m WHERE NOT is_bot AND website_id = '{WEBSITE}'"
        )
        assert seen == 2
        # What comes late, and what is sent again, is judged by the rule too.
        projecting.publish([click(300, **on_day), click(5, **on_day)], content=b"x")
        projecting.wait()
        assert clicks(projecting) == {"counted": 3, "remarked": 102}
        projecting.exact()
        assert checked(projecting).checked["rules that events follow"] == 1

        # The newer of two matching rules holds; the mark that ingest set is a condition too.
        site.remark("genuine", reason="crawler")
        until_live(projecting, 3)
        assert clicks(projecting) == {"counted": 4, "remarked": 101}
        site.decide(WebsiteTrafficRemarkUndone, rule_id=rule)
        until_live(projecting, 4)
        assert clicks(projecting) == {"counted": 105}
        checked(projecting)
        assert projecting.command("projections", "rebuild", "events", "--json") == 0
        assert projecting.command("projections", "verify", "events", "--json") == 0, "the same log and rules: equal"
        assert projecting.command("projections", "cancel", "events", "--json") == 0


def test_killed_while_it_follows_a_rule_it_follows_it_after_the_next_start(projecting: ProjectionBench) -> None:
    site = Site(projecting)
    projecting.publish([click(number, occurred_at="2026-11-06 10:00:00.000") for number in range(2000)])
    with projecting.running("events"):
        projecting.wait()
    site.remark("bot")
    for failpoint in ("after_intent", "after_insert"):
        process = projecting.start(failpoint)  # only the new generation has anything to insert
        assert process.wait(120) < 0
        end(process)
    with projecting.running():
        until_live(projecting, 2)
        assert clicks(projecting) == {"counted": 0, "remarked_bot": 1000}
        checked(projecting)


def test_a_row_that_follows_no_rule_or_a_rule_that_nobody_made_is_found(projecting: ProjectionBench) -> None:
    site = Site(projecting)
    projecting.publish([click(number, occurred_at="2026-11-06 10:00:00.000") for number in range(10)])
    with projecting.running():
        projecting.wait()
        site.remark("bot")
        until_live(projecting, 2)
        checked(projecting)
        projecting.clickhouse.run(
            "ALTER TABLE events__g2 UPDATE is_bot = false WHERE _offset = 1 SETTINGS mutations_sync = 2"
        )
        found = audit(projecting.settings)
        assert not found.is_clean and "is_bot" in found.as_text()
    projecting.connection.execute(
        "update engine.build set progress = jsonb_set(progress, '{parameters,0,mark}', '\"genuine\"')"
        " where name = 'events' and generation = 2"
    )
    assert "which does not exist in this form" in audit(projecting.settings).as_text()
