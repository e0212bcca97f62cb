"""`kill -9` of the process that executes requests about projections: done once, or failed with a reason, never half."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from uuid import UUID

import pytest

from projectors.registry import REGISTRY
from schemas.identity import projection_id
from tests.support.fork_server import ForkServer, fork_server
from tests.support.operations_bench import OperationsBench, operations
from tests.support.projection_bench import ProjectionBench, click
from tests.support.stack import wait_for

__all__ = ["operations"]
pytestmark = pytest.mark.crash

STEPS = (
    ("rebuild", "inside"), ("cancel", "inside"), ("rebuild", "done"), ("verify", "midway"), ("promote", "held"),
    ("rollback", "inside"), ("rebuild", "taken"), ("promote", "switched"), ("rollback", "switched"),
)  # fmt: skip
"""Requests for projection `events`, in an order in which each is possible, and the step at which the executor dies."""


@pytest.fixture
def executors(projecting: ProjectionBench) -> Iterator[ForkServer]:
    environment = {"ALTHING_MASTER_KEY": projecting.environment["ALTHING_MASTER_KEY"]}
    with fork_server(projecting.settings, "tests.support.crashing_projectors", **environment) as made:
        yield made


def test_killed_at_each_step_everything_asked_is_done_once(
    projecting: ProjectionBench, operations: OperationsBench, executors: ForkServer
) -> None:
    asked: list[UUID] = []
    published = 0
    for action, step in STEPS:
        executors.start(action, step)
        if asked:
            assert operations.outcome(asked[-1])[0] == "done"
        projecting.publish(click(published + place) for place in range(100))
        published += 100
        if action in ("verify", "promote"):
            ready(projecting)
        asked.append(operations.ask("events", action, f"killed when {step}"))
        assert executors.ended() == -signal.SIGKILL, (action, step)
        assert_one_is_live(projecting)
        let_time_pass(projecting)
    last = executors.start("nothing", "never")
    assert operations.outcome(asked[-1])[0] == "done"
    projecting.publish(click(published + place) for place in range(50))
    projecting.wait()
    # Read through the views: they are at what is live, and it goes on.
    assert projecting.one("SELECT count() FROM events") == (published + 50,)
    projecting.exact()
    with operations.recording():
        operations.wait_recorded()
    assert [state["reason"] for _, state in operations.events(projection_id("events"))] == [
        f"killed when {step}" for _, step in STEPS
    ]
    assert projecting.sql("select count(*) from engine.build where name = 'events'") == [(4,)], "a rebuild made two"
    os.kill(last, signal.SIGTERM)
    assert executors.ended() == 0


@pytest.mark.usefixtures("operations")
def test_killed_commands_of_an_operator_leave_nothing_half(projecting: ProjectionBench, executors: ForkServer) -> None:
    """Beside a running service: an unfinished command is cancelled, a finished one is visible to readers."""
    with projecting.running():
        projecting.publish(click(place) for place in range(100))
        projecting.wait()
        assert projecting.command("projections", "rebuild", "events", "--json") == 0
        executors.start("promote", "held", "projections", "promote", "events", "--json")
        assert executors.ended() == -signal.SIGKILL
        let_time_pass(projecting)
        ended = "select state, error from engine.request where action = 'promote' and finished_at is not null"
        assert wait_for(lambda: projecting.sql(ended), "its cancellation") == [
            ("cancelled", "the command ended before it was done")
        ]
        executors.start("promote", "switched", "projections", "promote", "events", "--json")
        assert executors.ended() == -signal.SIGKILL
        assert_one_is_live(projecting)
        let_time_pass(projecting)
        projecting.publish(click(100 + place) for place in range(100))
        projecting.wait()
        wait_for(lambda: projecting.one("SELECT count() FROM events") == (200,), "readers to see what is live")
        projecting.exact()


def ready(projecting: ProjectionBench) -> None:
    build = "select 1 from engine.build where name = 'events' and state = 'ready'"
    wait_for(lambda: projecting.sql(build), "the build")


def let_time_pass(projecting: ProjectionBench) -> None:
    """As if the process that took a request had timed out, and its locks had been released."""
    projecting.connection.execute("update engine.request set lease_until = now() where state = 'running'")
    projecting.connection.execute("update engine.position set stop_until = now() where stop_until is not null")


def assert_one_is_live(projecting: ProjectionBench) -> None:
    live = projecting.sql(
        "select p.name, count(*), bool_and(b.generation = p.live_generation) from engine.projection p "
        "join engine.build b on b.name = p.name and coalesce(b.resume_state, b.state) = 'live' group by 1"
    )
    assert {name for name, _, _ in live} == {*REGISTRY.projections, *REGISTRY.rollups}
    assert all(count == 1 and is_known for _, count, is_known in live), live
