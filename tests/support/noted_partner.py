"""CONTRIBUTING's examples from the command to the API: `tests/projections/engine/test_worked_examples.py` runs it in
a copy of the tree that has them. The tree itself does not, so the command is found by its name.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from fastapi.testclient import TestClient

from command_api.kernel import outbox_relay
from command_api.kernel.container import Container
from command_api.kernel.decision import CommandContext, CommandRejected
from command_api.kernel.leader_election import Leader
from command_api.partners import commands
from command_api.partners.schemas import AddPartner
from command_api.registry import open_container
from command_api.schema import create_schema as create_event_store
from infra.kernel.config.settings import Settings
from infra.ops.audit.command import audit
from infra.ops.audit.report import DefectKind
from query_api.app import create_app
from tests.projections.engine.test_row_security import reading_for
from tests.support.projection_bench import ProjectionBench, bench
from tests.support.query import QueryService
from tests.support.stack import wait_for

NOTE = "Pays late in August."


def test_a_note_comes_from_the_command_to_the_api(
    embedded_postgres: Settings,
    embedded_clickhouse: Settings,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with bench(embedded_postgres, embedded_clickhouse, tmp_path) as projecting:
        create_event_store(projecting.settings)
        with closing(open_container(projecting.settings)) as container, relaying(projecting), projecting.running():
            partner = noted(container)
            wait_for(lambda: projecting.log.end_offset("domain", 0) == 3, "the relay to copy what was decided")
            projecting.wait("partner_notes")
            check_event(projecting, capsys)
            check_audit(projecting)
            check_readers(projecting)
            check_api(projecting.settings, partner)


@contextmanager
def relaying(projecting: ProjectionBench) -> Iterator[None]:
    leader = Leader(projecting.settings, outbox_relay.NAME, outbox_relay.Relay(projecting.log).run).start()
    try:
        yield
    finally:
        leader.stop()


def noted(container: Container) -> UUID:
    """A partner with a note of an admin's; a member may not put one on it."""
    partner, admin = uuid4(), CommandContext(datetime.now(UTC), uuid4(), is_admin=True)
    program = AddPartner.model_validate({"name": "Acme", "baseUrl": "https://acme.example/", "commission": 10})
    container.commands.dispatch(commands.AddPartner(partner, program), admin)
    note_partner = vars(commands)["NotePartner"](partner, NOTE)
    with pytest.raises(CommandRejected) as rejected:
        container.commands.dispatch(note_partner, replace(admin, is_admin=False))
    assert rejected.value.kind == "forbidden"
    container.commands.dispatch(note_partner, admin)
    return partner


def check_event(projecting: ProjectionBench, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert projecting.command("events", "tail", "--topic", "domain", "-n", "1", "--no-follow", "--json") == 0
    shown = capsys.readouterr().out
    assert "partner.noted" in shown and NOTE in shown


def check_audit(projecting: ProjectionBench) -> None:
    """Clean, with the row among what was compared; red once the row is changed by hand."""
    report = audit(projecting.settings)
    assert report.is_clean and report.checked["rows of read.partner_notes"] == 1, report.as_text()
    projecting.connection.execute("update read.partner_notes__g1 set note = 'Pays at once.'")
    changed = audit(projecting.settings)
    assert [(kind, check) for kind, check, _ in changed.examples] == [(DefectKind.WRONG, "read.partner_notes")]
    projecting.connection.execute("update read.partner_notes__g1 set note = %s", (NOTE,))
    assert audit(projecting.settings).is_clean


def check_readers(projecting: ProjectionBench) -> None:
    """`readers` holds in Postgres itself."""
    for whom, count in ((None, 0), ("service", 0), (str(uuid4()), 0), ("admin", 1)):
        with reading_for(projecting.connection, whom):
            assert projecting.sql("select count(*) from read.partner_notes") == [(count,)], whom


def check_api(settings: Settings, partner: UUID) -> None:
    """Admins find the read model in the list of projections, and the note at its route; members find neither."""
    people = QueryService("", settings)
    admin, member = people.person("member", "admin"), people.person()
    with TestClient(create_app(settings)) as client:
        projections = client.get("/api/admin/projections", headers=admin.headers).json()
        assert "partner_notes" in {each["name"] for each in projections}
        path = "/api/admin/partner-notes"
        [shown] = client.get(path, headers=admin.headers).json()
        assert (shown["partnerId"], shown["note"]) == (str(partner), NOTE)
        assert client.get(path, headers=member.headers).status_code == 403
        assert client.get(path).status_code == 401
    people.postgres.close()
