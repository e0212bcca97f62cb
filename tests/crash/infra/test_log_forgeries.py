"""Records of an attacker who can write to the log but does not have the installation's key: the audit fails, and no
table, figure, role or sum of money follows from them. And changes of topic `domain` that bypass the event store.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import pytest

from command_api.schema import create_schema as create_event_store
from infra.kernel.clickhouse.reader import Reader
from infra.kernel.log import Record
from infra.kernel.log.postgres_log import PostgresLog
from infra.kernel.security.subject_keys import open_keyring
from infra.ops.audit.command import audit
from infra.ops.audit.domain_events import audit_domain_events
from infra.ops.audit.quiescence import wait_until_quiescent
from infra.ops.audit.report import AuditReport, DefectKind
from projectors.engine.clickhouse import HttpClickHouse
from schemas.events.accounts import RolesChanged
from schemas.events.conversions import ConversionApproved
from schemas.topics import CONVERSIONS, DOMAIN
from tests.support.audit_history import (
    a_sale,
    clicked,
    decided,
    domain_records,
    refused,
    reported,
    send,
    store,
    tracked,
)
from tests.support.decisions import ACCOUNT, NOW
from tests.support.pipeline import Pipeline

pytestmark = pytest.mark.timeout(600)


def forgeries() -> Sequence[Record]:
    """A click, a report with money in it, an approval, a role, and a refusal, each in a service's own form;
    the decisions pretend to be the newest."""
    approved = a_sale()[1]
    assert isinstance(approved, ConversionApproved)
    approved = approved.model_copy(update={"originator_id": uuid4()})
    role = RolesChanged(originator_id=ACCOUNT, originator_version=99, timestamp=NOW, roles=["moderator"])
    report = Record(CONVERSIONS.name, b"key", reported("forged").model_dump_json().encode())
    return [
        clicked(tracked(random.Random(7), 1), chosen=True),
        report,
        decided(approved, 10**9),
        decided(role, 10**9 + 1),
        refused(9),
    ]


@contextmanager
def forger(way: Pipeline) -> Iterator[PostgresLog]:
    log = PostgresLog(way.settings)
    try:
        yield log
    finally:
        log.close()


def test_forged_records_fail_the_audit_and_have_no_effect(way: Pipeline, ledger: Path) -> None:
    send(way, ledger)
    with way.projecting():
        assert audit(way.settings).is_clean
        before = _figures(way)
        with forger(way) as log:
            log.publish(forgeries()).result(10)
        _pass_over_reports(way)
        # Among the forged ones: a true click is counted, and a true decision after a forged position is followed.
        way.log.publish([clicked(tracked(random.Random(8), 2), chosen=True)]).result(10)
        sale = [event.model_copy(update={"originator_id": uuid4()}) for event in a_sale()[:1]]
        way.log.publish([decided(event, 5000 + number) for number, event in enumerate(sale)]).result(10)
        report = audit(way.settings)
    found = Counter((kind, check) for kind, check, _ in report.examples)
    assert found == {(DefectKind.WRONG, "signatures"): 5}, report.as_text()
    after = _figures(way)
    assert after == before | {"clicks": before["clicks"] + 1, "conversions": before["conversions"] + 1}
    assert "moderator" not in after["roles"]


def _pass_over_reports(way: Pipeline) -> None:
    """As the attribution policy does, which `tests/crash/command_api/test_attribution.py` shows."""
    with psycopg.connect(way.settings.postgres_url or "", autocommit=True) as postgres:
        for partition in range(CONVERSIONS.partitions):
            postgres.execute(
                "INSERT INTO engine.position (projection, generation, topic, partition, next_offset)"
                " VALUES ('policy:attribution', 0, %s, %s, %s)",
                (CONVERSIONS.name, partition, way.log.end_offset(CONVERSIONS.name, partition)),
            )


def _figures(way: Pipeline) -> dict[str, Any]:
    """What a forger would want to move."""
    house = HttpClickHouse(way.settings)
    with psycopg.connect(way.settings.postgres_url or "") as postgres:
        roles = postgres.execute("SELECT roles FROM read.accounts WHERE id = %s", (ACCOUNT,)).fetchone()
        conversions = postgres.execute("SELECT count(*) FROM read.conversions").fetchone()
        earned = postgres.execute("SELECT sum(commission) FROM read.conversions WHERE status = 'approved'").fetchone()
    assert roles is not None and conversions is not None
    return {
        "roles": roles[0],
        "conversions": conversions[0],
        "earned": earned,
        "clicks": house.rows("SELECT count() FROM events WHERE _topic = 'clicks'")[0][0],
        "approved": house.rows("SELECT sum(c_approved), sum(d_approved) FROM events")[0],
        "refusals": house.rows("SELECT count() FROM refusals")[0][0],
    }


CHANGES_OF_THE_LOG = {
    "one is removed": (
        "DELETE FROM log.record WHERE topic = 'domain' AND \"offset\" = 20",
        {(DefectKind.MISSING, "relay"): 1},
    ),
    "two change places": (
        'UPDATE log.record SET "offset" = CASE "offset" WHEN 1020 THEN 21 WHEN 1021 THEN 20 END'
        " WHERE topic = 'domain' AND \"offset\" >= 1000",
        {(DefectKind.MISSING, "relay"): 1},
    ),
    "one says something else": (
        "UPDATE log.record SET value = value || ' '::bytea WHERE topic = 'domain' AND \"offset\" = 20",
        {(DefectKind.WRONG, "signatures"): 1, (DefectKind.MISSING, "relay"): 1},
    ),
    "one was never decided": (
        "DELETE FROM events.stored_events WHERE notification_id = 20",
        {(DefectKind.WRONG, "relay"): 1},
    ),
    "the store says something else": (
        "UPDATE events.stored_events SET state = state || ' '::bytea WHERE notification_id = 20",
        {(DefectKind.WRONG, "relay"): 1},
    ),
}


_AWAY = 'UPDATE log.record SET "offset" = "offset" + 1000 WHERE topic = \'domain\' AND "offset" IN (20, 21)'


def test_topic_domain_is_held_against_the_event_store_record_by_record(way: Pipeline, ledger: Path) -> None:
    send(way, ledger)
    create_event_store(way.settings)
    records = domain_records(way)
    with psycopg.connect(way.settings.postgres_url or "", autocommit=True) as postgres:
        store(postgres, records)
        with way.projecting():
            wait_until_quiescent(way.log, postgres, 60)
        postgres.execute("CREATE TABLE kept_records AS TABLE log.record")
        postgres.execute("CREATE TABLE kept_events AS TABLE events.stored_events")
        sound = _audit_domain(way, postgres)
        assert sound.is_clean, sound.as_text()
        assert sound.checked["decisions in the event store"] == len(records)
        for what, (statement, wanted) in CHANGES_OF_THE_LOG.items():
            if what == "two change places":  # by way of places that are free
                postgres.execute(_AWAY)
            assert postgres.execute(statement.encode()).rowcount > 0, what
            report = _audit_domain(way, postgres)
            found = Counter((kind, check) for kind, check, _ in report.examples)
            assert found.items() >= wanted.items(), f"{what}: {report.as_text()}"
            for table, kept in (("log.record", "kept_records"), ("events.stored_events", "kept_events")):
                postgres.execute(f"DELETE FROM {table}; INSERT INTO {table} TABLE {kept}".encode())
        assert _audit_domain(way, postgres).is_clean


def _audit_domain(way: Pipeline, postgres: psycopg.Connection[Any]) -> AuditReport:
    ends = {(topic, partition): way.log.end_offset(topic, partition) for topic, partition in _PLACES}
    with Reader(replace(way.settings)) as clickhouse, open_keyring(way.settings) as decrypt:
        return audit_domain_events(way.log, clickhouse, postgres, ends, decrypt)


_PLACES = [(DOMAIN.name, 0), *((CONVERSIONS.name, partition) for partition in range(CONVERSIONS.partitions))]
