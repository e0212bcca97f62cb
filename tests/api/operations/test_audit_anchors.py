"""The audit trail, rewritten by an attacker who owns its table: its anchors reveal it. On a real Postgres."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Event

import pytest

from command_api.kernel import audit_anchor, outbox_relay
from command_api.kernel.leader_election import Leader
from infra.kernel.config.settings import Settings
from infra.ops.audit.audit_log import check_audit_log
from infra.ops.audit.log_reader import ends_of
from infra.ops.audit.report import AuditReport
from schemas.identity import AUDIT_TRAIL
from schemas.topics import DOMAIN
from tests.support.command import World, world
from tests.support.engines import wait_until
from tests.support.people import call

ALL = "SELECT coalesce(broken, 0) FROM kernel.check_audit(0, 1000000)"


@pytest.fixture
def anchored(embedded_postgres: Settings) -> Iterator[World]:
    """A trail of some entries, three of them behind the anchor."""
    with world(embedded_postgres) as made:
        for _ in range(4):
            entry(made)
        assert anchor(made) is None
        for _ in range(3):
            entry(made)
        yield made


def entry(made: World) -> None:
    body = {"email": "nobody@example.com", "password": "not that one"}
    assert call(made, "POST", "/api/platform/login", json=body).status_code == 401


def anchor(made: World) -> int | None:
    return audit_anchor.anchor(made.core, made.postgres, Event())


def anchors(made: World) -> int:
    return made.count("SELECT count(*) FROM events.stored_events WHERE originator_id = %s", AUDIT_TRAIL)


def forge(made: World, change: str) -> None:
    """Changes the trail and calculates all hashes again, as its owner could."""
    run = made.postgres.execute
    run("ALTER TABLE kernel.audit DISABLE TRIGGER USER")
    run("ALTER TABLE kernel.audit_anchor DISABLE TRIGGER USER")
    run(change.encode())
    run(
        """DO $$ DECLARE r kernel.audit; last bytea := ''; BEGIN
        FOR r IN SELECT * FROM kernel.audit ORDER BY seq LOOP
            last := kernel.audit_hash(last, r);
            UPDATE kernel.audit SET hash = last WHERE seq = r.seq;
        END LOOP; END $$"""
    )


def relayed(made: World) -> None:
    """Copies what was decided to the log."""
    made.log.end_offset(DOMAIN.name, 0)
    leader = Leader(made.settings, outbox_relay.NAME, outbox_relay.Relay(made.log).run).start()
    try:
        wanted = made.count("SELECT max(notification_id) FROM events.stored_events")
        position = "SELECT coalesce(max(position), 0) FROM engine.relay"
        wait_until(lambda: made.count(position) >= wanted, 60, "the relay")
    finally:
        leader.stop()


def audited(made: World) -> AuditReport:
    return check_audit_log(made.log, made.postgres, ends_of(made.log, made.postgres, DOMAIN))


def test_an_anchor_is_set_when_the_trail_has_grown(anchored: World) -> None:
    assert anchors(anchored) == 1
    assert anchor(anchored) is None and anchors(anchored) == 2
    assert anchor(anchored) is None and anchors(anchored) == 2
    assert anchored.count("SELECT max(seq) FROM kernel.audit_anchor") == anchored.count(
        "SELECT max(seq) FROM kernel.audit"
    )
    assert anchored.count(ALL) == 0


FORGED = {
    "an entry": "UPDATE kernel.audit SET action = 'harmless' WHERE seq = 1",
    "the end": "DELETE FROM kernel.audit WHERE seq > 2",
    "everything": "DELETE FROM kernel.audit",
}


@pytest.mark.parametrize("change", FORGED.values(), ids=FORGED)
def test_a_rewritten_audit_trail_differs_from_its_anchor(anchored: World, change: str) -> None:
    forge(anchored, change)
    assert anchored.count(ALL) > 0
    assert anchor(anchored) is not None and anchors(anchored) == 1


@pytest.mark.parametrize("change", FORGED.values(), ids=FORGED)
def test_the_event_reveals_a_rewritten_table_of_anchors(anchored: World, change: str) -> None:
    relayed(anchored)
    assert audited(anchored).is_clean and audited(anchored).checked["anchors of the audit trail"] == 1
    forge(anchored, change)
    anchored.postgres.execute("DELETE FROM kernel.audit_anchor")
    assert anchored.count(ALL) == 0, "nothing in these tables tells"
    assert not audited(anchored).is_clean
    assert anchor(anchored) is not None and anchors(anchored) == 1


def test_a_change_behind_the_anchor_breaks_the_chain(anchored: World) -> None:
    anchored.postgres.execute("ALTER TABLE kernel.audit DISABLE TRIGGER USER")
    last = anchored.count("SELECT max(seq) FROM kernel.audit")
    anchored.postgres.execute("UPDATE kernel.audit SET device = 'another' WHERE seq = %s", (last - 1,))
    assert anchor(anchored) == last - 1 and anchors(anchored) == 1
