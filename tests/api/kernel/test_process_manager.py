"""Process managers on a real Postgres: what is due is done once, and what fails blocks nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from threading import Barrier, Event, Thread
from typing import Any, LiteralString
from uuid import UUID, uuid4

import psycopg
import pytest

from command_api.kernel import timeouts
from command_api.kernel.command_bus import CommandBus
from command_api.kernel.command_handlers import Command, CommandHandlers
from command_api.kernel.leader_election import Connection, connect
from command_api.kernel.process_manager import (
    ENGINE_ERRORS,
    RETRY_DELAYS,
    Issue,
    ProcessManager,
    ProcessWorker,
    issuing,
)
from command_api.kernel.scheduler import JobConnection, RecurringJob
from command_api.kernel.timeouts import MAX_ATTEMPTS, Timeout
from command_api.kernel.unit_of_work import UnitOfWork
from infra.kernel.postgres.pool import required_url
from schemas.base import UnknownEvent
from tests.support.command import World, command_world
from tests.support.stack import wait_for

__all__ = ["command_world"]
MINUTE = timedelta(minutes=1)


class Unreachable(Exception):
    """The outside world is down."""


class Handle(Command[None]):
    id: UUID


@dataclass
class Process:
    """A process manager of the test's own, its worker and its clock."""

    world: World
    name: str = field(default_factory=lambda: f"process-{uuid4().hex[:8]}")
    now: datetime = field(default_factory=lambda: datetime.now(UTC))
    errors: dict[UUID, Exception] = field(default_factory=dict)
    """Raised by the command of a timeout, after it wrote its row."""
    next_at: dict[UUID, datetime] = field(default_factory=dict)
    """Set by the command of a timeout."""

    def worker(self, *jobs: RecurringJob, **changes: Any) -> ProcessWorker:
        handlers = CommandHandlers()
        handlers.on(Handle, senders="system")(self._handle)
        core = self.world.core
        container = replace(core, commands=CommandBus(core.store, core.pool, core.settings, handlers))
        values: dict[str, Any] = {"plan": issuing(Handle), "unavailable": (Unreachable,), **changes}
        return ProcessWorker(container, [ProcessManager(self.name, **values)], jobs, lambda: self.now)

    @contextmanager
    def running(self, worker: ProcessWorker) -> Iterator[None]:
        stop = Event()

        def work() -> None:
            with connect(required_url(self.world.settings), self.name) as connection:
                worker.run(connection, stop)

        thread = Thread(target=work)
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join(10)
            assert not thread.is_alive()

    def due(self, count: int = 1) -> list[UUID]:
        """New timeouts, due now."""
        ids = [uuid4() for _ in range(count)]
        self.set(ids, self.now)
        return ids

    def set(self, ids: Sequence[UUID], at: datetime) -> None:
        with self.world.postgres.transaction(), self.world.postgres.cursor() as cursor:
            timeouts.write_all(cursor, self.name, ids, at)

    def handled(self) -> list[UUID]:
        rows = self.world.postgres.execute("SELECT id FROM handled WHERE name = %s", (self.name,)).fetchall()
        return [row[0] for row in rows]

    def left(self) -> dict[UUID, tuple[datetime, int, bool]]:
        """When each timeout is due, how often it failed, and whether it is a dead letter."""
        query = "SELECT id, due_at, attempts, is_quarantined FROM kernel.timeout WHERE process = %s"
        return {row[0]: row[1:] for row in self.world.postgres.execute(query, (self.name,)).fetchall()}

    def letters(self) -> list[tuple[str, int, bool]]:
        """State, attempts and whether a retry is requested."""
        query = (
            "SELECT state, attempts, retry_requested_at IS NOT NULL FROM engine.dead_letter"
            " WHERE projection = %s AND topic = 'timeouts'"
        )
        return self.world.postgres.execute(query, (self.name,)).fetchall()

    def request_retry(self) -> None:
        change = "UPDATE engine.dead_letter SET retry_requested_at = now() WHERE projection = %s"
        self.world.postgres.execute(change, (self.name,))

    def fail_until_dead(self) -> UUID:
        """A timeout that has become a dead letter."""
        [bad] = self.due()
        self.errors[bad] = ValueError("not this one")
        worker = self.worker()
        for _ in range(MAX_ATTEMPTS):
            self.now = max(self.now, self.left()[bad][0])
            assert worker.run_once() == 1
        assert self.left()[bad][2] and self.letters() == [("open", 1, False)]
        return bad

    def _handle(self, command: Handle, uow: UnitOfWork) -> None:
        uow.cursor.execute("INSERT INTO handled VALUES (%s, %s)", (self.name, command.id))
        if command.id in self.errors:
            raise self.errors[command.id]
        if command.id in self.next_at:
            uow.set_timeout(self.name, command.id, self.next_at[command.id])


@pytest.fixture
def process(command_world: World) -> Process:
    command_world.postgres.execute("CREATE TABLE IF NOT EXISTS handled (name text, id uuid)")
    return Process(command_world)


def test_two_workers_that_see_the_same_timeout_handle_it_once(process: Process) -> None:
    ids, both_have_read = process.due(5), Barrier(2)

    def plan(_due: Sequence[Timeout], _now: datetime) -> Issue:
        both_have_read.wait(10)
        return lambda timeout: Handle(timeout.id)

    with ThreadPoolExecutor(2) as threads:
        counts = list(threads.map(lambda worker: worker.run_once(), [process.worker(plan=plan) for _ in range(2)]))
    assert counts == [5, 5]
    assert sorted(process.handled()) == sorted(ids)
    assert process.left() == {}


def test_a_timeout_that_is_set_again_meanwhile_is_due_again(process: Process) -> None:
    [id_] = process.due()
    at = process.now + MINUTE

    def plan(due: Sequence[Timeout], _now: datetime) -> Issue:
        process.set([timeout.id for timeout in due], at)
        return lambda timeout: Handle(timeout.id)

    process.worker(plan=plan).run_once()
    assert process.handled() == []
    assert process.left() == {id_: (at, 0, False)}
    process.now = at
    process.worker().run_once()
    assert process.handled() == [id_]


def test_a_command_sets_the_next_timeout(process: Process) -> None:
    [id_] = process.due()
    process.next_at[id_] = process.now + MINUTE
    worker = process.worker()
    assert [worker.run_once(), worker.run_once()] == [1, 0]
    assert process.left() == {id_: (process.now + MINUTE, 0, False)}
    process.now += MINUTE
    del process.next_at[id_]
    worker.run_once()
    assert (process.handled(), process.left()) == ([id_, id_], {})


def test_a_timeout_without_a_command_is_postponed_or_ends(process: Process) -> None:
    later, outdated = process.due(2)
    at = process.now + MINUTE
    worker = process.worker(plan=lambda _due, _now: lambda timeout: at if timeout.id == later else None)
    worker.run_once()
    assert (process.left(), process.handled()) == ({later: (at, 0, False)}, [])
    assert outdated not in process.left()


def test_a_failing_command_is_retried_at_growing_intervals_and_blocks_no_other(process: Process) -> None:
    bad, *good = process.due(4)
    process.errors[bad] = ValueError("not this one")
    worker = process.worker()
    for attempt, delay in enumerate(RETRY_DELAYS[: MAX_ATTEMPTS - 1], start=1):
        worker.run_once()
        assert sorted(process.handled()) == sorted(good)
        assert process.left() == {bad: (process.now + delay, attempt, False)}
        assert worker.run_once() == 0
        process.now += delay
    assert process.letters() == []
    worker.run_once()
    assert process.left()[bad][1:] == (MAX_ATTEMPTS, True)
    assert process.letters() == [("open", 1, False)]
    process.now += timedelta(days=1)
    assert worker.run_once() == 0
    row = process.world.postgres.execute(
        "SELECT key, error FROM engine.dead_letter WHERE projection = %s", (process.name,)
    ).fetchone()
    assert row is not None
    assert (bytes(row[0]), row[1]) == (str(bad).encode(), "ValueError: not this one")


def test_a_dead_letter_is_handled_when_an_admin_retries_it(process: Process) -> None:
    bad = process.fail_until_dead()
    with process.running(process.worker()):
        process.request_retry()
        wait_for(lambda: process.letters() == [("open", 2, False)], "the retry that fails")
        wait_for(lambda: process.left()[bad][2], "the dead letter to wait again")
        del process.errors[bad]
        process.request_retry()
        wait_for(lambda: process.letters() == [("retried", 2, False)], "the retry that succeeds")
    assert (process.handled(), process.left()) == ([bad], {})


def test_a_dead_letter_ends_when_its_timeout_is_handled_or_gone(process: Process) -> None:
    again = process.fail_until_dead()
    del process.errors[again]
    process.set([again], process.now)
    process.worker().run_once()
    assert process.letters() == [("retried", 1, False)]
    process.name += "-removed"
    removed = process.fail_until_dead()
    with process.world.postgres.cursor() as cursor:
        timeouts.write(cursor, process.name, removed, None)
    process.request_retry()
    timeouts.release(process.world.postgres, process.now)
    assert process.letters() == [("retried", 1, False)]


@pytest.mark.parametrize("error", [Unreachable(), UnknownEvent("a newer version wrote it")])
def test_what_is_only_unavailable_never_becomes_a_dead_letter(process: Process, error: Exception) -> None:
    [id_] = process.due()
    process.errors[id_] = error
    worker = process.worker()
    for attempt in range(MAX_ATTEMPTS + 3):
        worker.run_once()
        process.now += RETRY_DELAYS[min(attempt, len(RETRY_DELAYS) - 1)]
        assert process.left() == {id_: (process.now, attempt + 1, False)}
    process.errors.clear()
    worker.run_once()
    assert (process.handled(), process.left(), process.letters()) == ([id_], {}, [])


def test_an_unavailable_plan_leaves_the_timeouts_as_they_are(process: Process) -> None:
    ids = process.due(3)

    def plan(_due: Sequence[Timeout], _now: datetime) -> Issue:
        raise Unreachable

    process.worker(plan=plan).run_once()
    assert process.left() == dict.fromkeys(ids, (process.now, 0, False))


def test_a_timeout_that_cannot_be_planned_blocks_no_other(process: Process) -> None:
    bad, *good = process.due(3)

    def plan(due: Sequence[Timeout], _now: datetime) -> Issue:
        if bad in [timeout.id for timeout in due]:
            raise ValueError("not this one")
        return lambda timeout: Handle(timeout.id)

    process.worker(plan=plan).run_once()
    assert sorted(process.handled()) == sorted(good)
    assert process.left() == {bad: (process.now + RETRY_DELAYS[0], 1, False)}


def test_a_timeout_that_only_a_newer_version_can_plan_waits_for_it(process: Process) -> None:
    [id_] = process.due()

    def plan(_due: Sequence[Timeout], _now: datetime) -> Issue:
        raise UnknownEvent("a newer version wrote it")

    older = process.worker(plan=plan)
    for _ in range(MAX_ATTEMPTS + 1):
        older.run_once()
        process.now = process.left()[id_][0]
    assert process.letters() == []
    process.worker().run_once()
    assert (process.handled(), process.left()) == ([id_], {})


def test_failures_are_forgotten_once_a_timeout_is_postponed(process: Process) -> None:
    bad = process.fail_until_dead()
    process.request_retry()
    timeouts.release(process.world.postgres, process.now)
    at = process.now + MINUTE
    process.worker(plan=lambda _due, _now: lambda _timeout: at).run_once()
    assert (process.left(), process.letters()) == ({bad: (at, 0, False)}, [("retried", 1, False)])


def test_a_connection_lost_before_the_commit_leaves_the_timeout(process: Process) -> None:
    [id_] = process.due()
    process.errors[id_] = psycopg.OperationalError("the server is gone")
    with pytest.raises(ENGINE_ERRORS):
        process.worker().run_once()
    assert (process.handled(), process.left()) == ([], {id_: (process.now, 0, False)})
    process.errors.clear()
    process.worker().run_once()
    assert (process.handled(), process.left()) == ([id_], {})


def test_a_statement_that_postgres_cancels_is_a_failure_of_its_timeout_alone(process: Process) -> None:
    bad, good = process.due(2)
    process.errors[bad] = psycopg.errors.QueryCanceled("canceling statement due to statement timeout")
    process.worker().run_once()
    assert process.handled() == [good]
    assert process.left()[bad][1] == 1


def test_missing_timeouts_are_restored(process: Process) -> None:
    postgres = process.world.postgres
    postgres.execute("CREATE TABLE IF NOT EXISTS expected (id uuid)")
    postgres.execute("DELETE FROM expected")
    missing, present = uuid4(), uuid4()
    postgres.execute("INSERT INTO expected VALUES (%s), (%s)", (missing, present))
    process.set([present], process.now + MINUTE)
    ids: LiteralString = "SELECT id FROM expected"
    process.worker(ids=ids).restore(postgres)
    assert process.left() == {missing: (process.now, 0, False), present: (process.now + MINUTE, 0, False)}


def test_a_timeout_is_handled_as_soon_as_it_is_set(process: Process) -> None:
    with process.running(process.worker()):
        [id_] = process.due()
        wait_for(lambda: process.handled() == [id_], "the timeout")


def test_a_recurring_job_runs_again_after_an_error(process: Process) -> None:
    runs: list[Any] = []

    def work(connection: Connection, _stop: Event) -> None:
        runs.append(connection.execute("SELECT 1").fetchone())
        if len(runs) == 1:
            raise ValueError("not this time")

    with process.running(
        process.worker(
            RecurringJob("job", timedelta(milliseconds=10), JobConnection(process.world.settings).given_to(work))
        )
    ):
        wait_for(lambda: len(runs) >= 3, "the job to run again")
