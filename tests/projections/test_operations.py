"""What admins ask of projections: carried out once by whoever gets to it, and an event with actor and reason."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Any
from uuid import UUID, uuid4

import pytest
from fastapi.testclient import TestClient

from command_api.app import create_app
from command_api.core import Core, open_core
from command_api.leader import Leader
from command_api.operations.recording import NAME, Recording
from command_api.store import create_schema
from infra.identity import open_session
from projectors.catalogue import CATALOGUE
from projectors.engine import requests
from projectors.engine.requests import Cancelled, Means, Request
from projectors.engine.verify import Report
from schemas.identity import projection_id
from tests.support.projecting import Bench, click
from tests.support.stack import wait_for


class Desk:
    """An admin at the command service over a bench's databases."""

    def __init__(self, core: Core, projecting: Bench) -> None:
        self.core, self.projecting = core, projecting
        self.account = uuid4()
        opened = open_session(
            projecting.connection,
            account_id=self.account,
            session_id=uuid4(),
            email="ada@example.com",
            name="Ada",
            roles=["admin"],
        )
        headers = {"Authorization": f"Bearer {opened.token}", "Content-Type": "application/json"}
        self.http = TestClient(create_app(core), headers=headers, client=("127.0.0.1", 50000))

    def ask(self, name: str, action: str, reason: str = "a look", **more: Any) -> UUID:
        answer = self.http.post(f"/api/admin/projections/{name}/{action}", json={"reason": reason, **more})
        assert answer.status_code == 202, answer.text
        return UUID(answer.json()["id"])

    def outcome(self, request_id: UUID) -> tuple[str, int | None, str]:
        """State, generation and error, once it has ended."""
        return wait_for(  # type: ignore[no-any-return]
            lambda: (
                self.projecting.sql(
                    "select state, generation, error from engine.request where id = %s and finished_at is not null",
                    request_id,
                )
                or [None]
            )[0],
            "the request to end",
        )

    def events(self, aggregate: UUID) -> list[tuple[str, dict[str, Any]]]:
        rows = self.projecting.sql(
            "select topic, convert_from(state, 'UTF8') from events.stored_events where originator_id = %s "
            "order by originator_version",
            aggregate,
        )
        return [(topic.removesuffix(".v1"), json.loads(state)) for topic, state in rows]

    @contextmanager
    def recording(self) -> Iterator[None]:
        leader = Leader(self.core.settings, NAME, Recording(self.core).run).start()
        try:
            yield
        finally:
            leader.stop()

    def wait_recorded(self) -> None:
        open_ones = "select 1 from engine.request where recorded_at is null and finished_at is not null"
        wait_for(lambda: not self.projecting.sql(open_ones), "everything to be recorded")


@pytest.fixture
def desk(projecting: Bench) -> Iterator[Desk]:
    create_schema(projecting.settings)
    core = open_core(projecting.settings)
    try:
        yield Desk(core, projecting)
    finally:
        core.close()


def test_the_whole_life_of_a_rebuild_is_in_the_log(projecting: Bench, desk: Desk) -> None:
    projecting.publish([click(number) for number in range(400)])
    with projecting.running(), desk.recording():
        projecting.wait()
        assert desk.outcome(desk.ask("traffic_15m", "pause"))[0] == "refused"
        assert desk.outcome(desk.ask("events", "pause", "quiet, please"))[0] == "done"
        assert desk.outcome(desk.ask("events", "resume"))[0] == "done"
        assert desk.outcome(desk.ask("events", "rebuild", "new rule"))[:2] == ("done", 2)
        assert desk.outcome(desk.ask("events", "rebuild"))[0] == "refused"
        ready = "select 1 from engine.build where name = 'events' and generation = 2 and state = 'ready'"
        wait_for(lambda: projecting.sql(ready), "the build")
        compared = desk.ask("events", "verify")
        assert desk.outcome(compared)[:2] == ("done", 2)
        [(result,)] = projecting.sql("select result from engine.request where id = %s", compared)
        assert result["isEqual"] and result["differenceCount"] == 0
        traffic = next(one for one in result["tables"] if one["table"] == "traffic_15m")
        assert traffic["liveRows"] == traffic["rebuiltRows"] > 0
        assert {"column": "clicks", "live": "200", "rebuilt": "200"} in traffic["sums"]
        assert desk.outcome(desk.ask("events", "promote"))[:2] == ("done", 2)
        assert projecting.one("SELECT count() FROM events") == (400,)
        assert desk.outcome(desk.ask("events", "rollback"))[:2] == ("done", 1)
        projecting.exact()
        desk.wait_recorded()
    history = desk.events(projection_id("events"))
    assert [name for name, _ in history] == [
        "projection.paused", "projection.resumed", "projection.rebuild_requested", "projection.verified",
        "projection.promoted", "projection.rolled_back",
    ]  # fmt: skip
    assert all(state["actor_id"] == str(desk.account) and state["operator"] == "" for _, state in history)
    assert history[0][1]["reason"] == "quiet, please" and history[4][1]["generation"] == 2
    refused = projecting.sql(
        "select count(*) from auth.audit where outcome = 'refused' and action like 'projection.%%'"
    )
    assert refused == [(2,)]


def test_a_build_that_differs_is_promoted_only_by_force(projecting: Bench, desk: Desk) -> None:
    with projecting.running():
        projecting.wait("links")
        assert desk.outcome(desk.ask("partner_terms", "rebuild"))[0] == "done"
        ready = "select 1 from engine.build where name = 'partner_terms' and state = 'ready'"
        wait_for(lambda: projecting.sql(ready), "the build")
        projecting.connection.execute("insert into read.partner_terms__g1 values (gen_random_uuid(), now(), '{}')")
        assert desk.outcome(desk.ask("partner_terms", "verify"))[0] == "done"
        answer = desk.http.post("/api/admin/projections/partner_terms/promote", json={"reason": "now"})
        assert (answer.status_code, answer.json()["code"]) == (409, "differs")
        assert desk.outcome(desk.ask("partner_terms", "promote", force=True))[:2] == ("done", 2)


def test_an_operators_command_is_recorded_once_the_service_runs(
    projecting: Bench, desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    with projecting.running():
        assert projecting.command("projections", "pause", "links", "--reason", "by hand", "--json") == 0
        assert "it becomes an event as soon as the command service runs" in capsys.readouterr().err
        assert projecting.command("projections", "pause", "links") == 1
        assert projecting.command("projections", "resume", "links", "--json") == 0
    assert desk.events(projection_id("links")) == []
    with desk.recording():
        desk.wait_recorded()
    [paused, resumed] = desk.events(projection_id("links"))
    assert (paused[0], resumed[0]) == ("projection.paused", "projection.resumed")
    assert (paused[1]["reason"], paused[1]["actor_id"]) == ("by hand", None) and paused[1]["operator"]


def test_what_was_begun_and_never_ended_is_done_once(projecting: Bench, desk: Desk) -> None:
    """The process that took the request died: another takes it up; two at once carry it out once."""
    died = desk.ask("links", "rebuild")
    projecting.connection.execute(
        "update engine.request set state = 'running', lease_until = now() - interval '1 second' where id = %s", (died,)
    )
    with projecting.running():
        assert desk.outcome(died)[:2] == ("done", 2)
    assert projecting.sql("select count(*) from engine.build where name = 'links' and generation > 1") == [(1,)]
    request = Request(died, "links", "cancel", "", force=False)
    means = Means(projecting.clickhouse, CATALOGUE, None, lambda _place: 0)
    with pytest.raises(requests.Lost):
        requests.carry_out(projecting.connection, means, request)
    state = "select state <> 'cancelled' from engine.build where name = 'links' and generation = 2"
    assert projecting.sql(state) == [(True,)]


def test_a_comparison_can_be_stopped(projecting: Bench, desk: Desk) -> None:
    assert desk.http.post("/api/admin/projections/events/verify/cancel", json={}).status_code == 409
    asked = desk.ask("events", "verify")
    assert desk.http.post("/api/admin/projections/events/verify/cancel", json={}).status_code == 202
    assert desk.outcome(asked)[0] == "cancelled"
    running = desk.ask("events", "verify")
    projecting.connection.execute("update engine.request set state = 'running' where id = %s", (running,))
    assert desk.http.post("/api/admin/projections/events/verify/cancel", json={}).status_code == 202
    with pytest.raises(Cancelled):
        request = Request(running, "events", "verify", "", force=False)
        requests.note_progress(projecting.connection, request, Report("events", 1, 2), 9)


def test_races_for_one_rebuild_leave_one(projecting: Bench, desk: Desk) -> None:
    gate = Event()
    asked: list[UUID] = []

    def ask() -> None:
        gate.wait()
        asked.append(desk.ask("accounts", "rebuild"))

    threads = [Thread(target=ask) for _ in range(6)]
    for thread in threads:
        thread.start()
    gate.set()
    for thread in threads:
        thread.join()
    with projecting.running():
        outcomes = [desk.outcome(one)[0] for one in asked]
    assert sorted(outcomes) == ["done", *["refused"] * 5]
