"""A small log for the auditor: events with repeated ids, a sale, one of every decision, refusals, and a ledger."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid5

import msgspec
import psycopg
from msgspec.structs import replace

from infra.kernel.log import Record, StoredRecord
from infra.kernel.postgres.pool import pool
from infra.kernel.security.audit_log import Entry, record
from infra.kernel.security.client_info import Client
from infra.kernel.security.subject_keys import Keyring
from infra.ops.audit.report import AuditReport, DefectKind
from schemas import envelope
from schemas.base import DomainEvent, Money
from schemas.events.conversions import (
    AttributedBy,
    Attribution,
    ConversionApproved,
    ConversionFacts,
    ConversionRecorded,
    ConversionReversed,
    CounterDelta,
)
from schemas.events.partners import Terms
from schemas.topics import CLICKS, DOMAIN, REJECTED
from schemas.tracking import HASH_HEADER, ConversionReported, Outcome, Refusal, TrackedEvent, log_time
from tests.support.decisions import ERASED_ACCOUNT, NOW, PARTNER, WEBSITE, history
from tests.support.pipeline import Pipeline

SEED = 20260517
WEBSITES = (WEBSITE, UUID("0192f3a0-0000-7000-8000-000000000012"))


def send(way: Pipeline, ledger: Path) -> None:
    """200 events, 42 of them again in another call beside 18 new ones, 10 of this minute, a sale with its decisions,
    one of them sent twice, one of every other decision, three entries of the audit trail, four refusals, one of them
    sent twice, and a ledger."""
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
    fresh = log_time(datetime.now(UTC))
    way.log.publish(
        [
            clicked(replace(tracked(rng, number), received_at=fresh, path=f"/{number}"), chosen=False)
            for number in range(10)
        ]
    ).result(10)
    way.log.publish([decided(event, position) for position, event in enumerate(a_sale(), start=1)]).result(10)
    way.log.publish([decided(a_sale()[0], 1)]).result(10)  # the relay may repeat itself
    with pool(way.settings, 1) as connections:
        keyring = Keyring(connections, way.settings)
        with connections.connection() as connection:
            for _ in range(3):
                record(connection, Entry("account.sign_in", "refused"), Client())
            anchor = connection.execute(
                "SELECT seq, encode(hash, 'hex') FROM kernel.audit ORDER BY seq DESC OFFSET 1 LIMIT 1"
            ).fetchone()
            assert anchor is not None
        events_of_all = history(keyring.encrypt, (anchor[0], anchor[1]))
        way.log.publish([decided(event, place) for place, event in enumerate(events_of_all, start=4)]).result(10)
        keyring.erase(ERASED_ACCOUNT)
    way.log.publish([refused(number) for number in (1, 2, 3, 4, 4)]).result(10)


def is_chosen(records: Sequence[Record], event: TrackedEvent) -> bool:
    return any(record.headers for record in records if record.key == UUID(event.event_id).bytes)


def tracked(rng: random.Random, number: int) -> TrackedEvent:
    at = NOW - timedelta(minutes=rng.randrange(3000), milliseconds=rng.randrange(60_000))
    is_bot = number % 11 == 0
    return TrackedEvent(
        event_id=str(UUID(int=rng.getrandbits(128), version=4)),
        website_id=str(rng.choice(WEBSITES)),
        type=rng.choice(["click", "pageview", "signup"]),
        occurred_at=log_time(at),
        received_at=log_time(NOW + timedelta(seconds=number)),
        visitor=rng.choice([0, rng.getrandbits(64), 12345678901234567890]),
        country=rng.choice(["DE", "DE", "IS", "ZZ"]),
        title='Tab\tund "Zeichen" – \U0001f600\\',
        is_bot=is_bot,
        bot_reason=rng.choice(["crawler", "prefetch", "spam_referrer", "rate", "changing_agents"]) if is_bot else "",
        partner_id=str(rng.choice([PARTNER, UUID(int=0)])),
        value=rng.randrange(-(2**63), 2**63),
        props='{"a": [1, null, "\\u0000"]}',
    )


def clicked(event: TrackedEvent, *, chosen: bool) -> Record:
    value = msgspec.json.encode(event)
    headers = ((HASH_HEADER, UUID(event.event_id).bytes[:8]),) if chosen else ()
    return Record(CLICKS.name, UUID(event.event_id).bytes, value, headers)


def write_down(file: Any, event: TrackedEvent, answer: str) -> None:
    key = {"id": event.event_id, "website": event.website_id}
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
            change=CounterDelta(currency="USD", pending=1, commission_pending=1000),
        ),
        ConversionApproved(
            **common,
            originator_version=2,
            change=CounterDelta(
                currency="USD", pending=-1, approved=1, commission_pending=-1000, commission_approved=1000
            ),
        ),
        ConversionReversed(
            **common,
            originator_version=3,
            amount=Money(amount=2_500, currency="USD"),
            commission=Money(amount=250, currency="USD"),
            whole=False,
            reason="part returned",
            change=CounterDelta(currency="USD", commission_approved=-250, commission_reversed=250),
        ),
    )


def decided(event: DomainEvent, position: int) -> Record:
    value = event.model_dump_json(exclude={"originator_id", "originator_version"}).encode()
    headers = envelope.headers(event.NAME, event.VERSION, position, event.originator_id, event.originator_version)
    return Record(DOMAIN.name, str(event.originator_id).encode(), value, headers)


def domain_records(way: Pipeline) -> list[StoredRecord]:
    """All of topic `domain`."""
    source = way.log.source(DOMAIN.name, 0)
    try:
        return source.read(1000, 5.0)
    finally:
        source.close()


def store(postgres: psycopg.Connection[Any], records: Sequence[StoredRecord]) -> None:
    """The event store that these records were copied from, and the position of the relay that did it."""
    for stored in records:
        told = {name: value.decode() for name, value in stored.headers}
        postgres.execute(
            "INSERT INTO events.stored_events (notification_id, originator_id, originator_version, topic, state)"
            " OVERRIDING SYSTEM VALUE VALUES (%s, %s, %s, %s, %s) ON CONFLICT DO NOTHING",
            (
                int(told["position"]),
                told["aggregate"],
                int(told["aggregate_version"]),
                f"{told['event']}.v{told['version']}",
                stored.value,
            ),
        )
    newest = max(envelope.position_of(stored.headers) for stored in records)
    postgres.execute("INSERT INTO engine.relay (name, position) VALUES ('relay:domain', %s)", (newest,))


def refused_badly() -> Record:
    return Record(REJECTED.name, WEBSITE.bytes, b'{"id": 1}')


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


def reported(name: str) -> ConversionReported:
    """The report of a sale that is different for each name."""
    return ConversionReported(
        report_id=uuid5(WEBSITE, f"report {name}"),
        conversion_id=uuid5(WEBSITE, f"conversion {name}"),
        website_id=WEBSITE,
        kind="sale",
        event="sale",
        txid=name,
        reported_by="sale",
        occurred_at=log_time(NOW),
        received_at=log_time(NOW),
        amount=Money(amount=100, currency="USD"),
    )


def findings(report: AuditReport) -> Counter[tuple[DefectKind, str]]:
    """How often the report names each kind of defect of a check, among its examples."""
    return Counter((kind, check) for kind, check, _ in report.examples)
