"""The audit must be green when all is well, and red for every fault that a pipeline may really make.

The product's own log, workers and tables run on real engines. Rows that are changed behind its back:
`tests/crash/infra/test_changed_rows.py`.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid5

import psycopg
import pytest
from msgspec import structs

from infra.kernel.clickhouse.reader import Reader
from infra.kernel.log import Record
from infra.kernel.postgres.pool import pool
from infra.kernel.security.subject_keys import Keyring
from infra.ops.audit import continuous, wide_rows
from infra.ops.audit.command import audit, main
from infra.ops.audit.domain_events import audit_domain_events
from infra.ops.audit.log_reader import ends_of
from infra.ops.audit.quiescence import wait_until_quiescent
from infra.ops.audit.read_models import read_models
from infra.ops.audit.reference_projections import REFERENCES
from infra.ops.audit.report import AuditReport, DefectKind
from infra.ops.audit.rollups import ROLLUPS
from projectors.engine.clickhouse import ClickHouse
from projectors.registry import REGISTRY
from schemas.events.links import LinkCreated, LinkUpdated
from schemas.topics import CLICKS, CONVERSIONS, DOMAIN, REJECTED
from schemas.tracking import TEXT_KEY, ConversionReported, Outcome, Refusal
from tests.support.audit_history import (
    a_sale,
    decided,
    findings,
    refused_badly,
    reported,
    send,
    tracked,
    write_down,
)
from tests.support.decisions import ACCOUNT, NOW, PARTNER, WEBSITE, history
from tests.support.pipeline import Pipeline

pytestmark = pytest.mark.timeout(900)  # each projects and audits a whole log


@dataclass
class FaultyClickHouse:
    """Passes everything on, but does `fault` to the first insert into the raw table, also when that is repeated: a
    worker whose position could not be stored inserts again, and would mend what was planted."""

    inner: ClickHouse
    fault: Callable[[ClickHouse, str, bytes, str], None]
    planted: str | None = None
    cluster: str | None = None

    def run(self, statement: str, settings: Mapping[str, Any] | None = None) -> None:
        self.inner.run(statement, settings)

    def rows(self, query: str, parameters: Mapping[str, Any] | None = None) -> Sequence[Sequence[Any]]:
        return self.inner.rows(query, parameters)

    def insert(self, table: str, lines: bytes, token: str) -> None:
        if self.planted is None and table.startswith("events__") and CLICKS.name in token:
            self.planted = token
        if token == self.planted and table.startswith("events__"):
            self.fault(self.inner, table, lines, token)
        else:
            self.inner.insert(table, lines, token)

    def ready(self) -> bool:
        return self.inner.ready()


def drop_one(clickhouse: ClickHouse, table: str, lines: bytes, token: str) -> None:
    clickhouse.insert(table, b"\n".join(lines.split(b"\n")[1:]), token)


def double_one(clickhouse: ClickHouse, table: str, lines: bytes, token: str) -> None:
    clickhouse.insert(table, lines + b"\n" + lines.split(b"\n")[0], token)


def advance_before_insert(clickhouse: ClickHouse, table: str, lines: bytes, token: str) -> None:
    """The position moves; the process dies before the rows are there."""


def retry_with_a_new_token(clickhouse: ClickHouse, table: str, lines: bytes, token: str) -> None:
    clickhouse.insert(table, lines, token)
    clickhouse.insert(table, lines, f"{token}:again")


def change_one(clickhouse: ClickHouse, table: str, lines: bytes, token: str) -> None:
    clickhouse.insert(table, lines.replace(b'"country":"DE"', b'"country":"FR"', 1), token)


def steps_of_marketplace() -> int:
    names = (event.NAME for event in history(lambda _subject, _field, text: text))
    return sum(name.startswith(("listing.", "offer.", "escrow.", "direct_deal.")) for name in names)


def test_a_sound_pipeline_is_green_and_everything_was_compared(
    way: Pipeline, ledger: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Beside it, a ledger with an event that was acknowledged before it was durable, and the check of every minute."""
    send(way, ledger)
    lost = tracked(random.Random(1), 1)
    with psycopg.connect(way.settings.postgres_url or "", autocommit=True) as postgres:
        assert max(continuous.freshness(way.log, postgres).values()) > 0
    with way.projecting():
        report = audit(way.settings, ledger=ledger)
        monkeypatch.setattr("infra.ops.audit.command.load", lambda: way.settings)
        assert main(["--json", "--ledger", str(ledger)]) == 0
        with ledger.open("a") as file:
            write_down(file, lost, "accepted")
        missed = audit(way.settings, ledger=ledger)
    assert_counted_every_minute(way, (0, 0))
    assert missed.counts == {DefectKind.MISSING: 1}, missed.as_text()
    assert str(lost.event_id) in missed.as_text()
    assert report.is_clean, report.as_text()
    assert dict(report.checked) == {
        "records of topic clicks": 270,
        "recorded duplicates": 42,
        "records of topic domain": 4 + len(history(lambda _subject, _field, text: text)),
        "conversion changes": 6,
        "rows of read.accounts": 2,
        "rows of read.early_access": 2,
        "rows of read.inquiries": 2,
        "rows of read.inquiry_steps": 7,
        "rows of read.subscriptions": 1,
        "rows of read.account_details": 2,
        "rows of read.invites": 1,
        "rows of read.invite_joins": 1,
        "rows of read.websites": 2,
        "rows of read.website_keys": 1,
        "rows of read.website_zones": 3,
        "rows of read.traffic_rules": 1,
        "rows of read.retention": 1,
        "rows of read.event_expiries": 1,
        "rows of read.partners": 3,
        "rows of read.partner_terms": 5,
        "rows of read.partner_requests": 3,
        "rows of read.links": 2,
        "rows of read.link_bulk_outcomes": 2,
        "rows of read.link_bulks": 3,
        "rows of read.link_changes": 7,
        "rows of read.social_channels": 1,
        "rows of read.social_channel_figures": 1,
        "rows of read.social_posts": 1,
        "rows of read.social_post_figures": 1,
        "rows of read.conversions": 3,
        "rows of read.conversion_steps": 11,
        "rows of read.conversion_decisions": 2,
        "rows of read.statement_months": 1,
        "rows of read.reconciled_sales": 3,
        "rows of read.accepted_months": 1,
        "rows of read.payouts": 1,
        "rows of read.payout_steps": 5,
        "rows of read.custom_domains": 1,
        "rows of read.activity": 48,
        "rows of read.annotations": 1,
        "rows of read.costs": 2,
        "rows of read.cost_imports": 2,
        "rows of read.network_imports": 1,
        "rows of read.destinations": 1,
        "rows of read.network_connections": 1,
        "rows of cost_changes": 10,
        "rows of read.imports": 1,
        "rows of read.saved_views": 1,
        "rows of read.default_views": 1,
        "rows of read.saved_queries": 1,
        "rows of read.query_versions": 2,
        "rows of read.pinned_charts": 1,
        "rows of read.reports": 1,
        "rows of read.forum_categories": 1,
        "rows of read.forum_threads": 1,
        "rows of read.forum_posts": 4,
        "rows of read.forum_edits": 2,
        "rows of read.forum_likes": 1,
        "rows of read.forum_follows": 1,
        "rows of read.forum_flags": 2,
        "rows of read.forum_members": 2,
        "rows of read.forum_suspensions": 1,
        "rows of read.forum_log": 15,
        "rows of read.notification_choices": 3,
        "rows of read.alert_rules": 1,
        "rows of read.alerts": 2,
        "rows of read.alert_deliveries": 1,
        "rows of read.webhooks": 1,
        "rows of read.offers": 11,
        "rows of read.offer_messages": 14,
        "rows of read.escrows": 7,
        "rows of read.deal_settings": 1,
        "rows of read.listings": 2,
        "rows of read.listing_questions": 2,
        "rows of read.listing_watches": 1,
        "rows of read.saved_searches": 3,
        "rows of read.sellers": 2,
        "rows of read.market_steps": steps_of_marketplace(),
        "rows of read.programs": 1,
        "rows of read.matching_profiles": 2,
        "rows of read.idea_rounds": 2,
        "rows of read.idea_choices": 6,
        "rows of read.applications": 2,
        "rows of read.application_steps": 4,
        "rows of read.lessons_done": 2,
        "rows of read.insights": 2,
        "rows of read.insight_digests": 2,
        "rows of read.exchange_rates": 1,
        "refusals": 4,
        "signatures": 270 + report.checked["records of topic domain"] + 5,
        "sums of money": report.checked["sums of money"],
        "money of conversions": 3,
        "cells of traffic_15m": report.checked["cells of traffic_15m"],
        "cells of partner_15m": report.checked["cells of partner_15m"],
        "cells of country_15m": report.checked["cells of country_15m"],
        "cells of delivery_minute": report.checked["cells of delivery_minute"],
        "cells of visitors_15m": report.checked["cells of visitors_15m"],
        "cells of event_days": report.checked["cells of event_days"],
        "cells of conversion_events": report.checked["cells of conversion_events"],
        "rows of recent_events": 10,
        "entries of the audit trail": 3,
        "anchors of the audit trail": 1,
        "events in the ledger, accepted": 200,
        "events in the ledger, not accepted": 2,
    }
    assert all(report.checked.values())
    assert json.loads(capsys.readouterr().out)["missing"] == 0


@pytest.mark.parametrize(
    ("fault", "kind", "counted"),
    [
        (drop_one, DefectKind.MISSING, (1, 0)),
        pytest.param(double_one, DefectKind.DUPLICATE, (0, 1), marks=pytest.mark.slow),
        (change_one, DefectKind.WRONG, None),
        pytest.param(advance_before_insert, DefectKind.MISSING, None, marks=pytest.mark.slow),
        pytest.param(retry_with_a_new_token, DefectKind.DUPLICATE, None, marks=pytest.mark.slow),
    ],
)
def test_the_audit_finds_a_fault_of_the_insert_into_clickhouse(
    way: Pipeline,
    ledger: Path,
    fault: Callable[[ClickHouse, str, bytes, str], None],
    kind: DefectKind,
    counted: tuple[int, int] | None,
) -> None:
    """`counted`: what the check that runs every minute says is missing and there twice, where it sees the fault."""
    send(way, ledger)
    faulty: list[FaultyClickHouse] = []

    def disturb(clickhouse: ClickHouse) -> ClickHouse:
        faulty.append(FaultyClickHouse(clickhouse, fault))
        return faulty[0]

    with way.projecting(disturb, may_give_up=counted is None):
        report = audit(way.settings, ledger=ledger)
    assert faulty[0].planted, "the fault was not planted"
    assert report.counts[kind] > 0, report.as_text()
    if counted is not None:
        assert_counted_every_minute(way, counted)


def assert_counted_every_minute(way: Pipeline, counted: tuple[int, int]) -> None:
    """What the check that runs every minute says is missing and there twice of all that was projected."""
    after = NOW + timedelta(minutes=70)
    with psycopg.connect(way.settings.postgres_url or "", autocommit=True) as postgres, Reader(way.settings) as reader:
        found = continuous.count(reader, postgres, after, way.log)
        assert set(continuous.freshness(way.log, postgres).values()) == {0.0}
        assert found.unread == 0 and found.checked > 200
        assert (found.missing, found.duplicate) == counted
        assert continuous.count(reader, postgres, NOW, way.log).checked == 0, "the hour is not over"
        postgres.execute("UPDATE engine.position SET next_offset = 0 WHERE projection = 'events'")
        assert continuous.count(reader, postgres, after, way.log).checked == 0, "what is not read yet is not missing"
    assert "records counted" in continuous.check(way.settings)


def test_a_person_whose_key_is_gone_before_the_event_that_says_so_is_no_difference(way: Pipeline, ledger: Path) -> None:
    send(way, ledger)
    url = way.settings.postgres_url or ""
    with way.projecting(), psycopg.connect(url, autocommit=True) as postgres, pool(way.settings, 1) as connections:
        wait_until_quiescent(way.log, postgres, 60)
        Keyring(connections, way.settings).erase(ACCOUNT)
        report = audit(way.settings)
        assert report.is_clean, report.as_text()
        postgres.execute("UPDATE read.accounts__g1 SET name = 'Eve', roles = '{}' WHERE id = %s", (ACCOUNT,))
        report = audit(way.settings)
    assert findings(report) == {(DefectKind.WRONG, "read.accounts"): 1}, report.as_text()
    assert "Eve" not in report.as_text() and "name=" not in report.as_text()


def test_the_audits_session_may_wait_as_long_as_the_log_takes_to_read(way: Pipeline) -> None:
    with psycopg.connect(way.settings.postgres_url or "", autocommit=True) as postgres, read_models(postgres):
        assert postgres.execute("SHOW idle_in_transaction_session_timeout").fetchone() == ("0",)


def test_an_event_that_a_read_model_could_not_take_is_no_difference(way: Pipeline, ledger: Path) -> None:
    send(way, ledger)
    other = uuid5(WEBSITE, "another link with the same slug")
    created = {
        "website_id": WEBSITE,
        "partner_id": PARTNER,
        "slug": "go",
        "code": 1,
        "destination": "https://p.example/",
    }
    common = {"originator_id": other, "timestamp": NOW}
    lost = [
        LinkCreated(**common, originator_version=1, **created),
        LinkUpdated(**common, originator_version=2, coupon="LATER"),
    ]
    way.log.publish([decided(event, 1000 + number) for number, event in enumerate(lost)]).result(10)
    recorded = a_sale()[0].model_copy(update={"originator_id": other})
    unreadable = decided(recorded, 2000)
    way.log.publish([structs.replace(unreadable, value=b"{}"), refused_badly()]).result(10)
    approved = a_sale()[1].model_copy(update={"originator_id": other})
    way.log.publish([decided(approved, 2001)]).result(10)
    with way.projecting():
        report = audit(way.settings)
        assert report.is_clean, report.as_text()


def test_a_report_is_decided_or_refused_or_waits_or_is_a_dead_letter(way: Pipeline) -> None:
    reports = [reported(name) for name in ("lost", "refused", "waiting")]
    records = [Record(CONVERSIONS.name, b"key", report.model_dump_json().encode()) for report in reports]
    places = way.log.publish([*records, Record(CONVERSIONS.name, b"key", b"{}")]).result(10)
    url = way.settings.postgres_url or ""
    with (
        psycopg.connect(url, autocommit=True) as postgres,
        Reader(way.settings) as clickhouse,
        pool(way.settings, 1) as connections,
    ):
        ends = ends_of(way.log, postgres, CONVERSIONS, DOMAIN)
        keyring = Keyring(connections, way.settings)
        before = audit_domain_events(way.log, clickhouse, postgres, ends, keyring)
        assert before.counts == {DefectKind.MISSING: 3, DefectKind.WRONG: 1}, before.as_text()
        way.log.publish([Record(REJECTED.name, b"key", refusal_of(reports[1]).model_dump_json().encode())]).result(10)
        refuse = "INSERT INTO conversions.rejected_report VALUES (%s, %s, %s, 'test', 'test', %s)"
        postgres.execute(refuse, (reports[1].report_id, reports[1].conversion_id, WEBSITE, NOW))
        wait = "INSERT INTO conversions.awaiting_exchange_rate (report_id, conversion_id, report) VALUES (%s, %s, %s)"
        postgres.execute(wait, (reports[2].report_id, reports[2].conversion_id, reports[2].model_dump_json()))
        postgres.execute(
            "INSERT INTO engine.dead_letter (id, projection, generation, topic, partition,"
            ' "offset", reason, error, key, value, headers)'
            " VALUES (gen_random_uuid(), 'attribution', 0, %s, %s, %s, 'invalid', '', '', '', '[]')",
            (CONVERSIONS.name, places[-1].partition, places[-1].offset),
        )
        with way.projecting(may_give_up=True):
            wait_until_quiescent(way.log, postgres, 60)
        after = audit_domain_events(way.log, clickhouse, postgres, ends, keyring)
        assert after.counts == {DefectKind.MISSING: 1} and str(reports[0].conversion_id) in after.as_text()


def refusal_of(report: ConversionReported) -> Refusal:
    return Refusal(
        id=report.report_id,
        website_id=report.website_id,
        at=report.received_at,
        outcome=Outcome.INVALID,
        code="test",
        message="test",
        endpoint="/track/sale",
        report_id=report.report_id,
    )


def test_all_that_the_projectors_build_is_audited() -> None:
    built = {model.name for model in REGISTRY.postgres}
    money = {"conversions", "conversion_steps", "statement_months", "payouts", "partner_terms", "exchange_rates"}
    assert REFERENCES.keys() == money | {"traffic_rules"} <= built
    rollups = {rollup.name for rollup in ROLLUPS} | {"visitors_15m", "recent_events", "conversion_events"}
    assert rollups == set(REGISTRY.rollups)
    tables = {
        table.name: set(table.column_names) for family in REGISTRY.clickhouse for table in (family.main, *family.others)
    }
    place = {"_topic", "_partition", "_offset"}
    assert tables.keys() == {"events", "duplicates", "refusals", "conversion_reports", "cost_changes"}
    assert tables["events"] - place == set(wide_rows.COLUMNS)
    assert tables["refusals"] - place == {*Refusal.model_fields, TEXT_KEY}


def test_a_projection_that_stands_still_is_named_and_nothing_is_audited(
    way: Pipeline, ledger: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    send(way, ledger)
    monkeypatch.setattr("infra.ops.audit.command.load", lambda: way.settings)
    assert main(["--timeout", "0.2", "--json"]) == 1
    assert "is at" in json.loads(capsys.readouterr().out)["error"]


def test_the_reader_reports_what_clickhouse_refuses(way: Pipeline) -> None:
    with Reader(way.settings) as clickhouse, pytest.raises(Exception, match="no_such_table"):
        clickhouse.rows("SELECT * FROM no_such_table")


def test_the_report_counts_all_and_keeps_the_first_examples() -> None:
    report = AuditReport()
    for number in range(50):
        report.found(DefectKind.MISSING, "check", f"thing {number}")
    assert report.counts[DefectKind.MISSING] == 50
    assert "thing 19" in report.as_text() and "thing 20" not in report.as_text()
    assert "30 more" in report.as_text()
    assert report.as_json()["missing"] == 50
