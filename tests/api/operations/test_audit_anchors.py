"""The audit trail, written anew by somebody who owns its table: its anchors tell. On a real Postgres."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Event

import pytest

from command_api import relay
from command_api.anchoring import Anchoring
from command_api.leader import Leader
from infra.auditing.records import ends_of
from infra.auditing.report import Report
from infra.auditing.trail import audit_trail
from infra.settings import Settings
from schemas.identity import AUDIT_TRAIL
from schemas.topics import DOMAIN
from tests.support.command import World, world
from tests.support.engines import wait_until
from tests.support.people import call

ALL = "SELECT coalesce(broken, 0) FROM auth.check_audit(0, 1000000)"


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
    return Anchoring(made.core).anchor(made.postgres, Event())


def anchors(made: World) -> int:
    return made.count("SELECT count(*) FROM events.stored_events WHERE originator_id = %s", AUDIT_TRAIL)


def forge(made: World, change: str) -> None:
    """Changes the trail and works all hashes out anew, as its owner could."""
    run = made.postgres.execute
    run("ALTER TABLE auth.audit DISABLE TRIGGER USER")
    run("ALTER TABLE auth.audit_anchor DISABLE TRIGGER USER")
    run(change.encode())
    run(
        """DO $$ DECLARE r auth.audit; last bytea := ''; BEGIN
        FOR r IN SELECT * FROM auth.audit ORDER BY seq LOOP
            last := auth.audit_hash(last, r);
            UPDATE auth.audit SET hash = last WHERE seq = r.seq;
        END LOOP; END $$"""
    )


def relayed(made: World) -> None:
    """Copies what was decided to the log."""
    made.log.end_offset(DOMAIN.name, 0)
    leader = Leader(made.settings, relay.NAME, relay.Relay(made.log).run).start()
    try:
        wanted = made.count("SELECT max(notification_id) FROM events.stored_events")
        position = "SELECT coalesce(max(position), 0) FROM engine.relay"
        wait_until(lambda: made.count(position) >= wanted, 60, "the relay")
    finally:
        leader.stop()


def audited(made: World) -> Report:
    return audit_trail(made.log, made.postgres, ends_of(made.log, DOMAIN))


def test_an_anchor_is_set_when_the_trail_has_grown(anchored: World) -> None:
    assert anchors(anchored) == 1
    assert anchor(anchored) is None and anchors(anchored) == 2
    assert anchor(anchored) is None and anchors(anchored) == 2
    assert anchored.count("SELECT max(seq) FROM auth.audit_anchor") == anchored.count("SELECT max(seq) FROM auth.audit")
    assert anchored.count(ALL) == 0


FORGED = {
    "an entry": "UPDATE auth.audit SET action = 'harmless' WHERE seq = 1",
    "the end": "DELETE FROM auth.audit WHERE seq > 2",
    "everything": "DELETE FROM auth.audit",
}


@pytest.mark.parametrize("change", FORGED.values(), ids=FORGED)
def test_a_trail_that_was_written_anew_is_not_what_its_anchor_says(anchored: World, change: str) -> None:
    forge(anchored, change)
    assert anchored.count(ALL) > 0
    assert anchor(anchored) is not None and anchors(anchored) == 1


@pytest.mark.parametrize("change", FORGED.values(), ids=FORGED)
def test_who_writes_the_table_of_anchors_anew_too_is_told_of_by_the_event(anchored: World, change: str) -> None:
    relayed(anchored)
    assert audited(anchored).is_clean and audited(anchored).checked["anchors of the audit trail"] == 1
    forge(anchored, change)
    anchored.postgres.execute("DELETE FROM auth.audit_anchor")
    assert anchored.count(ALL) == 0, "nothing in these tables tells"
    assert not audited(anchored).is_clean
    assert anchor(anchored) is not None and anchors(anchored) == 1


def test_a_change_behind_the_anchor_breaks_the_chain(anchored: World) -> None:
    anchored.postgres.execute("ALTER TABLE auth.audit DISABLE TRIGGER USER")
    last = anchored.count("SELECT max(seq) FROM auth.audit")
    anchored.postgres.execute("UPDATE auth.audit SET device = 'another' WHERE seq = %s", (last - 1,))
    assert anchor(anchored) == last - 1 and anchors(anchored) == 1
