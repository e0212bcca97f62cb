"""The audit must be green when all is well, and red for every fault that is planted: else it proves nothing.

The product's own log, workers and tables run on real engines. The first five faults are those that a pipeline may
really make; the others change a stored figure behind its back.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid5

import psycopg
import pytest

from infra.audit import audit, main
from infra.auditing import continuous
from infra.auditing.clickhouse import Reader
from infra.auditing.quiet import wait_until_quiet
from infra.auditing.report import Kind, Report
from infra.log import Record
from infra.settings import Settings
from projectors.engine.clickhouse import ClickHouse, HttpClickHouse
from schemas import envelope
from schemas.base import DomainEvent, Money
from schemas.events.conversions import (
    AttributedBy,
    Attribution,
    Change,
    ConversionApproved,
    ConversionFacts,
    ConversionRecorded,
    ConversionReversed,
)
from schemas.events.partners import Terms
from schemas.topics import CLICKS, DOMAIN, REJECTED
from schemas.tracking import HASH_HEADER, Outcome, Refusal, TrackedEvent, log_time
from tests.support.pipeline import Pipeline, pipeline

SEED = 20260517
WEBSITES = (UUID("0192f3a0-0000-7000-8000-000000000002"), UUID("0192f3a0-0000-7000-8000-000000000012"))
PARTNER = UUID("0192f3a0-0000-7000-8000-000000000003")
NOW = datetime(2026, 5, 17, 10, 0, tzinfo=UTC)


@dataclass
class FaultyClickHouse:
    """Passes everything on, but does `fault` to the first insert into the raw table."""

    inner: ClickHouse
    fault: Callable[[ClickHouse, str, bytes, str], None]
    done: list[str] = field(default_factory=list)

    def run(self, statement: str, settings: Mapping[str, Any] | None = None) -> None:
        self.inner.run(statement, settings)

    def rows(self, query: str, parameters: Mapping[str, Any] | None = None) -> Sequence[Sequence[Any]]:
        return self.inner.rows(query, parameters)

    def insert(self, table: str, lines: bytes, token: str) -> None:
        if table.startswith("events__") and CLICKS.name in token and not self.done:
            self.done.append(token)
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


@pytest.fixture
def way(embedded_postgres: Settings, embedded_clickhouse: Settings, tmp_path: Path) -> Iterator[Pipeline]:
    with pipeline(embedded_postgres, embedded_clickhouse, tmp_path) as made:
        yield made


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    return tmp_path / "ledger.jsonl"


def test_a_sound_pipeline_is_green_and_everything_was_compared(
    way: Pipeline, ledger: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    send(way, ledger)
    with way.projecting():
        report = audit(way.settings, ledger=ledger)
        monkeypatch.setattr("infra.audit.load", lambda: way.settings)
        assert main(["--json", "--ledger", str(ledger)]) == 0
    assert report.is_clean, report.as_text()
    assert dict(report.checked) == {
        "records of topic clicks": 260,
        "recorded duplicates": 42,
        "records of topic domain": 4,
        "conversion changes": 3,
        "rows of read.conversions": 1,
        "refusals": 4,
        "cells of traffic_15m": report.checked["cells of traffic_15m"],
        "cells of partner_15m": report.checked["cells of partner_15m"],
        "cells of country_15m": report.checked["cells of country_15m"],
        "cells of delivery_minute": report.checked["cells of delivery_minute"],
        "cells of visitors_15m": report.checked["cells of visitors_15m"],
        "events in the ledger, accepted": 200,
        "events in the ledger, not accepted": 2,
    }
    assert all(report.checked.values())
    assert json.loads(capsys.readouterr().out)["missing"] == 0


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (drop_one, Kind.MISSING),
        (double_one, Kind.DUPLICATE),
        (advance_before_insert, Kind.MISSING),
        (retry_with_a_new_token, Kind.DUPLICATE),
        (change_one, Kind.WRONG),
    ],
)
def test_a_fault_on_the_way_into_clickhouse_is_found(
    way: Pipeline, ledger: Path, fault: Callable[[ClickHouse, str, bytes, str], None], kind: Kind
) -> None:
    send(way, ledger)
    faulty: list[FaultyClickHouse] = []

    def disturb(clickhouse: ClickHouse) -> ClickHouse:
        faulty.append(FaultyClickHouse(clickhouse, fault))
        return faulty[0]

    with way.projecting(disturb):
        report = audit(way.settings, ledger=ledger)
    assert faulty[0].done, "the fault was not planted"
    assert report.counts[kind] > 0, report.as_text()


def test_an_event_that_was_acknowledged_before_it_was_durable_is_missed(way: Pipeline, ledger: Path) -> None:
    send(way, ledger)
    lost = tracked(random.Random(1), 1)
    with ledger.open("a") as file:
        write_down(file, lost, "accepted")
    with way.projecting():
        report = audit(way.settings, ledger=ledger)
    assert report.counts == {Kind.MISSING: 1}, report.as_text()
    assert str(lost.event_id) in report.as_text()


CHANGES_IN_CLICKHOUSE = {
    "traffic_15m": "INSERT INTO traffic_15m__g1 (website_id, bucket, is_bot, clicks) "
    f"VALUES ('{WEBSITES[0]}', '2026-05-17 10:00:00', false, 1)",
    "visitors_15m": "INSERT INTO visitors_15m__g1 SELECT website_id, bucket, is_bot, clickers, "
    "(SELECT uniqCombinedState(12)(toUInt64(number + 1)) FROM numbers(50)) FROM visitors_15m__g1 LIMIT 1",
    "delivery_minute": "INSERT INTO delivery_minute__g1 SELECT * FROM delivery_minute__g1 LIMIT 1",
    "country_15m": "INSERT INTO country_15m__g1 (website_id, bucket, is_bot, country, pageviews) "
    f"VALUES ('{WEBSITES[0]}', '2026-05-17 10:00:00', false, 'IS', -1)",
    "partner_15m": "INSERT INTO partner_15m__g1 (website_id, bucket, is_bot, partner_id, c_approved) "
    f"VALUES ('{WEBSITES[0]}', '2026-05-17 10:00:00', false, '{PARTNER}', -1)",
    "refusals": "INSERT INTO refusals__g1 SELECT * FROM refusals__g1 LIMIT 1",
}
CHANGES_IN_POSTGRES = (
    "UPDATE read.conversions__g1 SET status = 'pending'",
    "UPDATE read.conversions__g1 SET commission = commission + 1",
    "DELETE FROM read.conversions__g1",
)


def test_a_figure_that_was_changed_behind_the_log_is_found(way: Pipeline, ledger: Path) -> None:
    send(way, ledger)
    changed: set[str] = set()
    with way.projecting(), psycopg.connect(way.settings.postgres_url or "", autocommit=True) as postgres:
        assert audit(way.settings).is_clean
        for check, statement in CHANGES_IN_CLICKHOUSE.items():
            HttpClickHouse(way.settings).run(statement)
            changed.add(check)
            report = audit(way.settings)
            assert {found for _, found, _ in report.examples} == changed, report.as_text()
        for statement in CHANGES_IN_POSTGRES:
            postgres.execute(statement)
            found_checks = {found for _, found, _ in audit(way.settings).examples} - changed
            assert "read.conversions" in found_checks
            assert found_checks <= {"read.conversions", "money"}


def test_a_projection_that_stands_still_is_named_and_nothing_is_audited(
    way: Pipeline, ledger: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    send(way, ledger)
    monkeypatch.setattr("infra.audit.load", lambda: way.settings)
    assert main(["--timeout", "0.2", "--json"]) == 1
    assert "is at" in json.loads(capsys.readouterr().out)["error"]


@pytest.mark.parametrize(
    ("fault", "missing", "duplicate"),
    [(None, 0, 0), (drop_one, 1, 0), (double_one, 0, 1)],
)
def test_the_check_that_runs_every_minute_counts_what_is_amiss(
    way: Pipeline,
    ledger: Path,
    fault: Callable[[ClickHouse, str, bytes, str], None] | None,
    missing: int,
    duplicate: int,
) -> None:
    send(way, ledger)
    after = NOW + timedelta(minutes=70)
    with psycopg.connect(way.settings.postgres_url or "", autocommit=True) as postgres, Reader(way.settings) as reader:
        assert max(continuous.freshness(way.log, postgres).values()) > 0
        with way.projecting(lambda clickhouse: FaultyClickHouse(clickhouse, fault) if fault else clickhouse):
            wait_until_quiet(way.log, postgres, 60)
            found = continuous.count(reader, postgres, after)
            assert set(continuous.freshness(way.log, postgres).values()) == {0.0}
        assert found.unread == 0 and found.checked > 200
        assert (found.missing, found.duplicate) == (missing, duplicate)
        assert continuous.count(reader, postgres, NOW).checked == 0, "the hour is not over"
        postgres.execute("UPDATE engine.position SET next_offset = 0 WHERE projection = 'events'")
        assert continuous.count(reader, postgres, after).checked == 0, "what is not read yet is not missing"
    assert "records counted" in continuous.check(way.settings)


def test_the_reader_reports_what_clickhouse_refuses(way: Pipeline) -> None:
    with Reader(way.settings) as clickhouse, pytest.raises(Exception, match="no_such_table"):
        clickhouse.rows("SELECT * FROM no_such_table")


def test_the_report_counts_all_and_keeps_the_first_examples() -> None:
    report = Report()
    for number in range(50):
        report.found(Kind.MISSING, "check", f"thing {number}")
    assert report.counts[Kind.MISSING] == 50
    assert "thing 19" in report.as_text() and "thing 20" not in report.as_text()
    assert "30 more" in report.as_text()
    assert report.as_json()["missing"] == 50


def send(way: Pipeline, ledger: Path) -> None:
    """200 events, 42 of them again in another call beside 18 new ones, a sale with its decisions, one of them sent
    twice, four refusals, one of them sent twice, and a ledger of the events."""
    rng = random.Random(SEED)
    events = [tracked(rng, number) for number in range(200)]
    records = [clicked(event, chosen=number % 10 < 7) for number, event in enumerate(events)]
    with ledger.open("w") as file:
        for event in events:
            write_down(file, event, "accepted")
        for number in (1001, 1002):
            write_down(file, tracked(rng, number), "refused")
    for start in range(0, 200, 25):
        way.log.publish(records[start : start + 25]).result(10)
    repeats = [clicked(event, chosen=True) for event in events[:60] if is_chosen(records, event)]
    others = [clicked(tracked(rng, number + 5000), chosen=False) for number in range(60 - len(repeats))]
    way.log.publish([*repeats, *others]).result(10)
    way.log.publish([decided(event, position) for position, event in enumerate(a_sale(), start=1)]).result(10)
    way.log.publish([decided(a_sale()[0], 1)]).result(10)  # the relay may repeat itself
    way.log.publish([refused(number) for number in (1, 2, 3, 4, 4)]).result(10)


def is_chosen(records: Sequence[Record], event: TrackedEvent) -> bool:
    return any(record.headers for record in records if record.key == event.event_id.bytes)


def tracked(rng: random.Random, number: int) -> TrackedEvent:
    at = NOW - timedelta(minutes=rng.randrange(3000), milliseconds=rng.randrange(60_000))
    is_bot = number % 11 == 0
    return TrackedEvent(
        event_id=UUID(int=rng.getrandbits(128), version=4),
        website_id=rng.choice(WEBSITES),
        type=rng.choice(["click", "pageview", "signup"]),
        occurred_at=log_time(at),
        received_at=log_time(NOW + timedelta(seconds=number)),
        visitor=rng.choice([0, rng.getrandbits(64), 12345678901234567890]),
        country=rng.choice(["DE", "DE", "IS", "ZZ"]),
        title='Tab\tund "Zeichen" – \U0001f600\\',
        is_bot=is_bot,
        bot_reason=rng.choice(["crawler", "prefetch", "spam_referrer"]) if is_bot else "",
        partner_id=rng.choice([PARTNER, UUID(int=0)]),
        value=rng.randrange(-(2**63), 2**63),
        props='{"a": [1, null, "\\u0000"]}',
    )


def clicked(event: TrackedEvent, *, chosen: bool) -> Record:
    value = event.model_dump_json(exclude_defaults=True).encode()
    headers = ((HASH_HEADER, event.event_id.bytes[:8]),) if chosen else ()
    return Record(CLICKS.name, event.event_id.bytes, value, headers)


def write_down(file: Any, event: TrackedEvent, answer: str) -> None:
    key = {"id": str(event.event_id), "website": str(event.website_id)}
    expect = {"type": event.type, "title": event.title, "value": event.value}
    file.write(json.dumps({**key, "kind": "event", "expect": expect}) + "\n")
    file.write(json.dumps({**key, "answer": answer}) + "\n")


def a_sale() -> tuple[DomainEvent, ...]:
    key = uuid5(WEBSITES[0], "sale")
    facts = ConversionFacts(
        website_id=WEBSITES[0],
        kind="sale",
        event="sale",
        txid="ORDER-1",
        amount=Money(amount=10_000, currency="USD"),
        occurred_at=NOW,
        attribution=Attribution(
            by=AttributedBy.CLICK_ID,
            partner_id=PARTNER,
            clicked_at=NOW - timedelta(hours=1),
            terms=Terms(kind="percent", rate_bp=1000),
            visitor=7,
            country="IS",
        ),
    )
    common = {"originator_id": key, "timestamp": NOW, "facts": facts}
    commission = Money(amount=1000, currency="USD")
    return (
        ConversionRecorded(
            **common,
            originator_version=1,
            received_at=NOW,
            reported_by="sale",
            commission=commission,
            change=Change(currency="USD", pending=1, commission_pending=1000),
        ),
        ConversionApproved(
            **common,
            originator_version=2,
            change=Change(currency="USD", pending=-1, approved=1, commission_pending=-1000, commission_approved=1000),
        ),
        ConversionReversed(
            **common,
            originator_version=3,
            amount=Money(amount=2_500, currency="USD"),
            commission=Money(amount=250, currency="USD"),
            whole=False,
            reason="part returned",
            change=Change(currency="USD", commission_approved=-250, commission_reversed=250),
        ),
    )


def decided(event: DomainEvent, position: int) -> Record:
    value = event.model_dump_json(exclude={"originator_id", "originator_version"}).encode()
    headers = envelope.headers(event.NAME, event.VERSION, position, event.originator_id, event.originator_version)
    return Record(DOMAIN.name, str(event.originator_id).encode(), value, headers)


def refused(number: int) -> Record:
    refusal = Refusal(
        id=uuid5(WEBSITES[0], f"refusal {number}"),
        website_id=WEBSITES[0],
        at=log_time(NOW),
        outcome=Outcome.INVALID,
        code="bad_json",
        message="not JSON",
        endpoint="/track",
        count=number,
    )
    return Record(REJECTED.name, WEBSITES[0].bytes, refusal.model_dump_json().encode())
