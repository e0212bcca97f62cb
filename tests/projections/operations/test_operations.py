"""Requests about projections: executed once by the first free process, and recorded with actor and reason."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Thread
from typing import Any, cast
from uuid import UUID

import psycopg
import pytest

from command_api.operations.operation_recorder import NAME
from infra.kernel.log import Record, StoredRecord
from infra.kernel.subscriptions import dead_letters
from infra.kernel.subscriptions.dead_letters import FailedRecord
from infra.kernel.subscriptions.positions import WorkerKey
from projectors.engine import generations, requests
from projectors.engine.generations import NotAllowed
from projectors.engine.requests import QueuedRequest, RequestCancelled, RequestExecution
from projectors.engine.verify import VerifyReport
from projectors.registry import REGISTRY
from schemas.identity import projection_id
from tests.support.operations_bench import OperationsBench, operations
from tests.support.projection_bench import ProjectionBench, click
from tests.support.stack import wait_for

__all__ = ["operations"]


def test_waiting_requests_run_in_the_order_of_arrival(projecting: ProjectionBench, operations: OperationsBench) -> None:
    asked = [operations.ask("events", action) for _ in range(4) for action in ("pause", "resume")]
    with projecting.running("events"):
        assert [operations.outcome(one)[0] for one in asked] == ["done"] * len(asked)
    [(state,)] = projecting.sql("select state from engine.build where name = 'events'")
    assert state == "live"


def test_the_whole_life_of_a_rebuild_is_in_the_log(projecting: ProjectionBench, operations: OperationsBench) -> None:
    projecting.publish([click(number) for number in range(400)])
    with projecting.running("events"), operations.recording():
        projecting.wait()
        assert operations.outcome(operations.ask("traffic_15m", "pause"))[0] == "refused"
        assert operations.outcome(operations.ask("events", "pause", "quiet, please"))[0] == "done"
        assert operations.outcome(operations.ask("events", "resume"))[0] == "done"
        assert operations.outcome(operations.ask("events", "rebuild", "new rule"))[:2] == ("done", 2)
        assert operations.outcome(operations.ask("events", "rebuild"))[0] == "refused"
        ready = "select 1 from engine.build where name = 'events' and generation = 2 and state = 'ready'"
        wait_for(lambda: projecting.sql(ready), "the build")
        compared = operations.ask("events", "verify")
        assert operations.outcome(compared)[:2] == ("done", 2)
        [(result,)] = projecting.sql("select result from engine.request where id = %s", compared)
        assert result["isEqual"] and result["differenceCount"] == 0
        traffic = next(one for one in result["tables"] if one["table"] == "traffic_15m")
        assert traffic["liveRows"] == traffic["rebuiltRows"] > 0
        assert {"column": "clicks", "live": "200", "rebuilt": "200"} in traffic["sums"]
        assert operations.outcome(operations.ask("events", "promote"))[:2] == ("done", 2)
        assert projecting.one("SELECT count() FROM events") == (400,)
        assert operations.outcome(operations.ask("events", "rollback"))[:2] == ("done", 1)
        projecting.exact()
        operations.wait_recorded()
    history = operations.events(projection_id("events"))
    assert [name for name, _ in history] == [
        "projection.paused", "projection.resumed", "projection.rebuild_requested", "projection.verified",
        "projection.promoted", "projection.rolled_back",
    ]  # fmt: skip
    assert all(state["actor_id"] == str(operations.account) and state["operator"] == "" for _, state in history)
    assert history[0][1]["reason"] == "quiet, please" and history[4][1]["generation"] == 2
    refused = projecting.sql(
        "select count(*) from kernel.audit where outcome = 'refused' and action like 'projection.%%'"
    )
    assert refused == [(2,)]


def rebuilds(operations: OperationsBench, *names: str, promotes: bool = False) -> UUID:
    body = {"names": names, "reason": "new rules", "promotes": promotes}
    answer = operations.http.post("/api/admin/rebuild-runs", json=body)
    assert answer.status_code == 202, answer.text
    return UUID(answer.json()["id"])


STEPS = "select projection, action, state, build_state from engine.rebuild_step where run_id = %s order by run_step"


def test_a_run_rebuilds_one_after_the_other_also_after_a_failure_and_a_restart(
    projecting: ProjectionBench, operations: OperationsBench
) -> None:
    """`partner_terms` has a build already, so its rebuild is refused; the service restarts in between."""
    with projecting.running("links", "partner_terms", "accounts"):
        projecting.wait("links")
        assert operations.outcome(operations.ask("partner_terms", "rebuild"))[0] == "done"
    run = rebuilds(operations, "links", "partner_terms", "accounts", promotes=True)
    second = operations.http.post("/api/admin/rebuild-runs", json={"names": ["links"], "reason": "too"})
    assert (second.status_code, second.json()["code"]) == (409, "rebuild_run_in_progress")
    links_live = "select 1 from engine.projection where name = 'links' and live_generation = 2"
    with projecting.running("links", "partner_terms", "accounts"):
        wait_for(lambda: projecting.sql(links_live), "the first promotion")
    over = "select not bool_or(is_open) from engine.rebuild_step where run_id = %s"
    with projecting.running("links", "partner_terms", "accounts"), operations.recording():
        wait_for(lambda: projecting.sql(over, run) == [(True,)], "the run to end")
        operations.wait_recorded()
    assert projecting.sql(STEPS, run) == [
        ("links", "rebuild", "done", "live"),
        ("links", "promote", "done", "live"),
        ("partner_terms", "rebuild", "refused", None),
        ("partner_terms", "promote", "refused", None),
        ("accounts", "rebuild", "done", "live"),
        ("accounts", "promote", "done", "live"),
    ]
    begun = "select created_at, promoted_at from engine.build where name = %s and generation = 2"
    [(_, first_ended)], [(second_begun, _)] = projecting.sql(begun, "links"), projecting.sql(begun, "accounts")
    assert first_ended <= second_begun
    history = operations.events(projection_id("accounts"))
    assert [name for name, _ in history] == ["projection.rebuild_requested", "projection.promoted"]
    assert all((state["actor_id"], state["reason"]) == (str(operations.account), "new rules") for _, state in history)
    started = "select details from kernel.audit where action = 'projection.rebuild_run_started'"
    assert projecting.sql(started) == [({"projections": 3, "reason": "new rules"},)]


def test_of_runs_that_start_at_once_one_begins(projecting: ProjectionBench, operations: OperationsBench) -> None:
    def start(_: int) -> int:
        return operations.http.post("/api/admin/rebuild-runs", json={"names": ["links"], "reason": "now"}).status_code

    with ThreadPoolExecutor(6) as threads:
        assert sorted(threads.map(start, range(6))) == [202, 409, 409, 409, 409, 409]
    assert projecting.sql("select count(distinct run_id) from engine.rebuild_step where is_open") == [(1,)]


def test_cancelling_a_run_cancels_its_build_and_no_other_begins(
    projecting: ProjectionBench, operations: OperationsBench
) -> None:
    """Given a run of two whose first build is in progress, when an admin cancels it, then neither is built."""
    assert operations.http.post("/api/admin/rebuild-runs/cancel", json={}).status_code == 409
    with projecting.running("links"):
        projecting.wait("links")
    run = rebuilds(operations, "links", "accounts")
    [first] = requests.due(projecting.connection)
    means = RequestExecution(projecting.clickhouse, REGISTRY, lambda _place: 0)
    requests.execute(projecting.connection, means, first)
    assert requests.due(projecting.connection) == [], "the second waits for the first one's build"
    assert operations.http.post("/api/admin/rebuild-runs/cancel", json={"reason": "later"}).status_code == 202
    [cancel] = requests.due(projecting.connection)
    assert (cancel.projection, cancel.action) == ("links", "cancel")
    requests.execute(projecting.connection, means, cancel)
    assert projecting.sql(STEPS, run) == [
        ("links", "rebuild", "done", "cancelled"),
        ("accounts", "rebuild", "cancelled", None),
    ]
    entries = "select actor_id, details from kernel.audit where action = 'projection.rebuild_run_cancelled'"
    assert projecting.sql(entries) == [(operations.account, {"reason": "later"})]
    assert operations.http.post("/api/admin/rebuild-runs/cancel", json={}).status_code == 409


def test_a_build_that_differs_is_promoted_only_by_force(
    projecting: ProjectionBench, operations: OperationsBench
) -> None:
    with projecting.running("links", "partner_terms"):
        projecting.wait("links")
        assert operations.outcome(operations.ask("partner_terms", "rebuild"))[0] == "done"
        ready = "select 1 from engine.build where name = 'partner_terms' and state = 'ready'"
        wait_for(lambda: projecting.sql(ready), "the build")
        projecting.connection.execute("insert into read.partner_terms__g1 values (gen_random_uuid(), now(), '{}')")
        assert operations.outcome(operations.ask("partner_terms", "verify"))[0] == "done"
        answer = operations.http.post("/api/admin/projections/partner_terms/promote", json={"reason": "now"})
        assert (answer.status_code, answer.json()["code"]) == (409, "differs")
        assert operations.outcome(operations.ask("partner_terms", "promote", force=True))[:2] == ("done", 2)


def test_an_operation_that_cannot_be_recorded_blocks_no_other(
    projecting: ProjectionBench, operations: OperationsBench
) -> None:
    """The history of one projection holds an unreadable event: its operations become dead letters, until a retry."""
    poisoned, healthy = projection_id("links"), projection_id("partner_terms")
    projecting.connection.execute(
        "insert into events.stored_events (originator_id, originator_version, topic, state)"
        " values (%s, 1, 'projection.paused.v1', '{}')",
        (poisoned,),
    )
    with projecting.running("links", "partner_terms"), operations.recording():
        projecting.wait("links")
        for name in ("links", "partner_terms"):
            for action in ("pause", "resume"):
                assert operations.outcome(operations.ask(name, action))[0] == "done"
        wait_for(lambda: len(operations.events(healthy)) == 2, "the operations behind it")
        letters = "select count(*), max(reason) from engine.dead_letter where projection = %s and state = 'open'"
        assert projecting.sql(letters, NAME) == [(2, "refused_by_handler")]
        projecting.connection.execute("delete from events.stored_events where originator_id = %s", (poisoned,))
        projecting.connection.execute(
            "update engine.dead_letter set retry_requested_at = now() where projection = %s", (NAME,)
        )
        operations.wait_recorded()
    assert [name for name, _ in operations.events(poisoned)] == ["projection.paused", "projection.resumed"]
    assert projecting.sql(letters, NAME) == [(0, None)]


def test_an_operators_command_is_recorded_once_the_service_runs(
    projecting: ProjectionBench, operations: OperationsBench, capsys: pytest.CaptureFixture[str]
) -> None:
    with projecting.running("links"):
        assert projecting.command("projections", "pause", "links", "--reason", "by hand", "--json") == 0
        assert "it becomes an event as soon as the command service runs" in capsys.readouterr().err
        assert projecting.command("projections", "pause", "links") == 1
        assert projecting.command("projections", "resume", "links", "--json") == 0
    assert operations.events(projection_id("links")) == []
    with operations.recording():
        operations.wait_recorded()
    [paused, resumed] = operations.events(projection_id("links"))
    assert (paused[0], resumed[0]) == ("projection.paused", "projection.resumed")
    assert (paused[1]["reason"], paused[1]["actor_id"]) == ("by hand", None) and paused[1]["operator"]


def test_what_was_begun_and_never_ended_is_done_once(projecting: ProjectionBench, operations: OperationsBench) -> None:
    """The process that took the request died: another takes it up; two at once carry it out once."""
    died = operations.ask("links", "rebuild")
    projecting.connection.execute(
        "update engine.request set state = 'running', lease_until = now() - interval '1 second' where id = %s", (died,)
    )
    with projecting.running("links"):
        assert operations.outcome(died)[:2] == ("done", 2)
    assert projecting.sql("select count(*) from engine.build where name = 'links' and generation > 1") == [(1,)]
    request = QueuedRequest(died, "links", "cancel", "", force=False)
    means = RequestExecution(projecting.clickhouse, REGISTRY, lambda _place: 0)
    with pytest.raises(requests.RequestLost):
        requests.execute(projecting.connection, means, request)
    state = "select state <> 'cancelled' from engine.build where name = 'links' and generation = 2"
    assert projecting.sql(state) == [(True,)]


def test_a_request_that_kills_every_executor_is_refused(
    projecting: ProjectionBench, operations: OperationsBench
) -> None:
    deadly = operations.ask("links", "rebuild")
    over = "update engine.request set lease_until = now() - interval '1 second' where id = %s"
    for _ in range(requests.MAX_ATTEMPTS):
        assert [taken.id for taken in requests.due(projecting.connection)] == [deadly]
        projecting.connection.execute(over, (deadly,))
    assert requests.due(projecting.connection) == []
    state, _, error = operations.outcome(deadly)
    assert (state, error) == (
        "refused",
        "it was begun 5 times, and each time the process that carried it out ended",
    )


def test_nobody_takes_up_what_an_operators_own_command_began(projecting: ProjectionBench) -> None:
    """Also when its lease expires between the service's two queries: for expired requests and for due requests."""
    connection = projecting.connection
    connection.execute(
        "insert into engine.request (id, projection, action, reason, operator, state, lease_until)"
        " values (gen_random_uuid(), 'events', 'promote', 'why', 'root', 'running', now() + interval '1 hour')"
    )

    class Between:
        """The connection; after the first statement the lease is over."""

        def __getattr__(self, name: str) -> Any:
            return getattr(connection, name)

        def execute(self, *given: Any) -> Any:
            done = connection.execute(*given)
            connection.execute("update engine.request set lease_until = now() where state = 'running'")
            return done

    assert requests.due(cast(psycopg.Connection[Any], Between())) == []
    assert requests.due(connection) == []
    assert projecting.sql("select state, attempts from engine.request") == [("cancelled", 0)]


def test_a_comparison_can_be_stopped(projecting: ProjectionBench, operations: OperationsBench) -> None:
    assert operations.http.post("/api/admin/projections/events/verify/cancel", json={}).status_code == 409
    asked = operations.ask("events", "verify")
    why = {"reason": "it takes too long"}
    assert operations.http.post("/api/admin/projections/events/verify/cancel", json=why).status_code == 202
    assert operations.outcome(asked)[0] == "cancelled"
    [(told, cancelled)] = operations.events(projection_id("events"))
    assert told == "projection.comparison_cancelled"
    assert (cancelled["actor_id"], cancelled["reason"]) == (str(operations.account), "it takes too long")
    running = operations.ask("events", "verify")
    projecting.connection.execute("update engine.request set state = 'running' where id = %s", (running,))
    assert operations.http.post("/api/admin/projections/events/verify/cancel", json={}).status_code == 202
    request = QueuedRequest(running, "events", "verify", "", force=False)
    with pytest.raises(RequestCancelled):
        requests.note_progress(projecting.connection, request, VerifyReport("events", 1, 2), 9)


def test_races_for_one_rebuild_leave_one(projecting: ProjectionBench, operations: OperationsBench) -> None:
    gate = Event()
    asked: list[UUID] = []

    def ask() -> None:
        gate.wait()
        asked.append(operations.ask("accounts", "rebuild"))

    threads = [Thread(target=ask) for _ in range(6)]
    for thread in threads:
        thread.start()
    gate.set()
    for thread in threads:
        thread.join()
    with projecting.running("accounts"):
        outcomes = [operations.outcome(one)[0] for one in asked]
    assert sorted(outcomes) == ["done", *["refused"] * 5]


def test_a_concurrent_switch_and_cancel_never_drop_the_live_generation(
    projecting: ProjectionBench, operations: OperationsBench
) -> None:
    """Whichever is first: the other one is refused, and the live generation's tables stay."""
    with projecting.running("links", "partner_terms"):
        projecting.wait("links")
        for name in ("links", "partner_terms"):
            assert operations.outcome(operations.ask(name, "rebuild"))[:2] == ("done", 2)
        ready = "select count(*) = 2 from engine.build where state = 'ready'"
        wait_for(lambda: projecting.sql(ready) == [(True,)], "the builds")
    row = generations.active_row(projecting.connection, "links")
    assert row is not None
    with psycopg.connect(projecting.settings.postgres_url or "") as promoting, ThreadPoolExecutor(1) as thread:
        generations._lock(promoting, "links")
        generations._make_live(promoting, "links", 2)
        cancelling = thread.submit(generations.cancel, projecting.connection, REGISTRY, "links")
        wait_for(lambda: waits_for_a_lock(projecting, "no key update"), "the cancel to wait")
        promoting.commit()
        with pytest.raises(NotAllowed):
            cancelling.result(60)
    assert projecting.sql("select state from engine.build where name = 'links' order by 1") == [("live",), ("retired",)]
    with pytest.raises(NotAllowed, match="concurrently"):
        generations.switch(projecting.connection, projecting.clickhouse, REGISTRY, row)
    given_up = generations.active_row(projecting.connection, "partner_terms")
    assert given_up is not None
    generations.cancel(projecting.connection, REGISTRY, "partner_terms")
    with pytest.raises(NotAllowed, match="concurrently"):
        generations.switch(projecting.connection, projecting.clickhouse, REGISTRY, given_up)
    assert projecting.sql("select live_generation from engine.projection where name = 'partner_terms'") == [(1,)]


def test_two_admins_promote_and_go_back_at_once(projecting: ProjectionBench, operations: OperationsBench) -> None:
    with projecting.running("links"), operations.recording():
        projecting.wait("links")
        assert operations.outcome(operations.ask("links", "rebuild"))[:2] == ("done", 2)
        ready = "select 1 from engine.build where name = 'links' and state = 'ready'"
        wait_for(lambda: projecting.sql(ready), "the build")
        asked = [operations.ask("links", action) for action in ("promote", "promote", "cancel", "promote")]
        outcomes = [operations.outcome(one)[0] for one in asked]
        assert outcomes.count("done") == 1 and outcomes.count("refused") == 3
        operations.wait_recorded()
    live = projecting.sql("select live_generation from engine.projection where name = 'links'")
    states = dict(projecting.sql("select generation, state from engine.build where name = 'links'"))
    assert live in ([(1,)], [(2,)]) and states[live[0][0]] == "live"
    told = [name for name, _ in operations.events(projection_id("links"))]
    assert told.count("projection.promoted") == (live == [(2,)])


def test_nobody_goes_back_to_what_another_version_built(
    projecting: ProjectionBench, operations: OperationsBench
) -> None:
    with projecting.running("links"):
        projecting.wait("links")
        assert projecting.command("projections", "rebuild", "links", "--json") == 0
        assert projecting.command("projections", "promote", "links", "--json") == 0
        projecting.connection.execute("update engine.build set version = version - 1 where generation = 1")
        state, _, error = operations.outcome(operations.ask("links", "rollback"))
    assert state == "refused" and "another version" in error


def test_a_long_comparison_is_not_taken_up_twice(projecting: ProjectionBench, operations: OperationsBench) -> None:
    asked = operations.ask("links", "verify")
    assert [one.id for one in requests.due(projecting.connection)] == [asked]
    projecting.connection.execute("update engine.request set lease_until = now() + interval '1 second'")
    requests.renew_leases(projecting.connection, [asked])
    left = "select lease_until > now() + interval '1 minute' from engine.request where id = %s"
    assert projecting.sql(left, asked) == [(True,)]


def test_a_dead_letter_that_was_retried_meanwhile_is_not_skipped(
    projecting: ProjectionBench, operations: OperationsBench
) -> None:
    letter = bad_letter(projecting, b"\xc3\xbc" * 40_000)
    shown = operations.http.post(f"/api/admin/dead-letters/{letter}/reveal", json={"reason": "a look"}).json()
    assert shown["text"] == "ü" * (32 * 1024) and shown["bytes"] == 80_000
    with psycopg.connect(projecting.settings.postgres_url or "") as reader, ThreadPoolExecutor(1) as thread:
        assert dead_letters.hold(reader, letter)
        skipping = thread.submit(
            operations.http.post, f"/api/admin/dead-letters/{letter}/skip", json={"reason": "rubbish"}
        )
        wait_for(lambda: waits_for_a_lock(projecting, "skipped"), "the skip to wait")
        dead_letters.decide(reader, [letter], "retried")
        reader.commit()
        answer = skipping.result(60)
    assert (answer.status_code, answer.json()["code"]) == (409, "already_decided")
    assert [name for name, _ in operations.events(letter)] == ["dead_letter.revealed"]
    content = "select state, value, headers from engine.dead_letter where id = %s"
    assert projecting.sql(content, letter) == [("retried", b"", [])]
    for action in ("retry", "skip"):
        assert operations.http.post(f"/api/admin/dead-letters/{letter}/{action}", json={}).status_code == 409
    group = {"projection": "events", "reason": "all of them"}
    assert operations.http.post("/api/admin/dead-letters/skip", json=group).status_code == 400
    assert operations.http.post(f"/api/admin/dead-letters/{letter}/reveal", json={}).json()["code"] == "content_deleted"
    odd = bad_letter(projecting, b"a" * (64 * 1024 - 1) + "ü".encode())
    assert operations.http.post(f"/api/admin/dead-letters/{odd}/reveal", json={}).json()["text"] == "a" * (
        64 * 1024 - 1
    )
    assert [name for name, _ in operations.events(letter)] == ["dead_letter.revealed"]


def test_a_dead_letter_that_is_retried_twice_counts_once(
    projecting: ProjectionBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Postgres goes away after the rows are in; then two admins ask again."""
    tries = []
    decide = dead_letters.decide

    def away_at_first(connection: Any, ids: Any, state: str) -> int:
        tries.append(ids)
        if len(tries) == 1:
            raise psycopg.OperationalError("away")
        return decide(connection, ids, state)

    monkeypatch.setattr(dead_letters, "decide", away_at_first)
    row = click(5)
    with projecting.running("events"):
        projecting.log.publish([Record("clicks", row["event_id"].encode(), b"nonsense", (("h", b"12345678"),))]).result(
            30
        )
        projecting.wait()
        projecting.connection.execute("update engine.dead_letter set value = %s", (json.dumps(row).encode(),))
        for _ in range(2):
            projecting.connection.execute(
                "update engine.dead_letter set retry_requested_at = now() where state = 'open'"
            )
        wait_for(lambda: projecting.sql("select 1 from engine.dead_letter where state = 'retried'"), "the retry")
    assert len(tries) >= 2
    assert projecting.one("SELECT count() FROM events") == (1,)
    assert projecting.one("SELECT sum(clicks) FROM traffic_15m") == (1,)


def waits_for_a_lock(projecting: ProjectionBench, part: str) -> bool:
    """Whether a statement with this in its text waits; looked at from outside of any transaction."""
    with psycopg.connect(projecting.settings.postgres_url or "", autocommit=True) as looking:
        query = "select 1 from pg_stat_activity where wait_event_type = 'Lock' and position(%s in query) > 0"
        return looking.execute(query, (part,)).fetchone() is not None


def bad_letter(projecting: ProjectionBench, value: bytes) -> UUID:
    key = WorkerKey("events", 1, "clicks", 0)
    known = projecting.sql("select count(*) from engine.dead_letter")[0][0]
    record = StoredRecord("clicks", 0, known, 0, b"key", value, ())
    dead_letters.write(projecting.connection, key, [FailedRecord(record, "undecodable", "no JSON")])
    return dead_letters.letter_id(key, known)
