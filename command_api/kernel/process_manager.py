"""Process managers: commands that time issues (expiry, reminders, checks, retries of what was not possible before).

event -> `UnitOfWork.set_timeout` -> `kernel.timeout` -> `ProcessWorker` -> command -> events, perhaps the next timeout

A process manager names its timeouts and says which command each of them issues. Its command decides by the aggregate's
own events, so a timeout only says when to look: one that is early, late or doubled does no harm. The worker starts what
is due, each process in a thread of its own, retries failures at growing intervals, and makes a dead letter of a timeout
that keeps failing; an admin retries or skips it like those of projections.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from math import inf
from threading import Event
from time import monotonic
from typing import Any, Final, LiteralString

import psycopg
import structlog
from prometheus_client import Counter

from command_api.kernel import scheduler, timeouts
from command_api.kernel.command_handlers import Command
from command_api.kernel.container import Container
from command_api.kernel.decision import system_context
from command_api.kernel.event_store import UNAVAILABLE
from command_api.kernel.leader_election import Connection, notified
from command_api.kernel.scheduler import RecurringJob
from command_api.kernel.timeouts import MAX_ATTEMPTS, Timeout, TimeoutChanged
from infra.kernel.subscriptions import dead_letters
from schemas.base import UnknownEvent

NAME: Final = "process-managers"
THREADS: Final = 4
MAX_WAIT_S: Final = 10.0
BUSY_WAIT_S: Final = 0.25
MIN_WAIT_S: Final = 0.1
PAUSE_S: Final = 5.0
"""The pause of a process when what its plan needs is unavailable."""
RETRY_DELAYS: Final = tuple(timedelta(seconds=seconds) for seconds in (1, 5, 15, 60, 300, 600))
ENGINE_ERRORS: Final = (*UNAVAILABLE, psycopg.OperationalError, psycopg.InterfaceError)
CANCELLED: Final = (psycopg.errors.QueryCanceled, psycopg.errors.LockNotAvailable, psycopg.errors.DeadlockDetected)

Issue = Callable[[Timeout], Command[Any] | datetime | None]
"""The command of a timeout; a time: the process is due again then; `None`: the timeout is outdated."""

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)
_HANDLED = Counter("process_timeouts_total", "Timeouts of process managers by outcome", ["process", "outcome"])


@dataclass(frozen=True, slots=True)
class ProcessManager:
    """Handles the timeouts called `name`.

    `plan` does what a batch of due timeouts needs together, and returns what issues each command; both may ask the
    outside world. `unavailable`: errors of the outside world, which are retried without end, as is what only a newer
    version of the program can decide. `ids`: a query of all ids that must have a timeout; one that is missing is due at
    once. `retry_delays`: after each failure, the last one repeatedly. `max_delay`: how far ahead the process sets
    timeouts; one that lies further ahead was set by a wrong clock and is due.
    """

    name: str
    plan: Callable[[Sequence[Timeout], datetime], Issue]
    batch_size: int = 50
    unavailable: tuple[type[Exception], ...] = ()
    ids: LiteralString | None = None
    retry_delays: Sequence[timedelta] = RETRY_DELAYS
    max_delay: timedelta | None = None

    def latest(self, now: datetime) -> datetime | None:
        """The latest time for which a timeout can be set at `now`; `None`: there is none."""
        return now + self.max_delay if self.max_delay is not None else None


def issuing(command: Callable[[Any], Command[Any]]) -> Callable[[Sequence[Timeout], datetime], Issue]:
    """The plan of a process manager whose command needs nothing but the id."""
    return lambda _timeouts, _now: lambda timeout: command(timeout.id)


@dataclass
class ProcessWorker:
    """`run` is the work of a `command_api.kernel.leader_election.Leader`. `now`: the clock, set by tests."""

    container: Container
    managers: Sequence[ProcessManager]
    jobs: Sequence[RecurringJob] = ()
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    _running: dict[str, Future[object]] = field(default_factory=dict)
    _not_before: dict[str, float] = field(default_factory=dict)
    """The time at which a process may run again whose plan failed; monotonic."""
    _due: dict[str, datetime] = field(default_factory=dict)
    _due_read_at: float = -inf

    def run(self, connection: Connection, stop: Event) -> None:
        """Handles what is due, and runs the jobs, until `stop`. Raises errors of the engines; nothing is lost."""
        connection.execute(f"LISTEN {timeouts.CHANNEL}")
        connection.execute(f"LISTEN {dead_letters.CHANNEL}")
        self.restore(connection)
        timeouts.release(connection, self.now())
        self._running, self._due_read_at = {}, -inf
        with ThreadPoolExecutor(THREADS, thread_name_prefix="process") as executor, scheduler.running(self.jobs):
            while not stop.is_set():
                channels = notified(connection, self._start_due(connection, executor, stop), stop)
                if dead_letters.CHANNEL in channels:
                    timeouts.release(connection, self.now())
                if channels:
                    self._due_read_at = -inf
                stop.wait(MIN_WAIT_S)

    def run_once(self, *names: str) -> int:
        """Handles what is due now in the caller's thread, of all processes or the named ones; returns its number."""
        return sum(self._handle_batch(each) for each in self.managers if not names or each.name in names)

    def restore(self, connection: Connection) -> None:
        """Adds the timeouts that are missing, due at once: after a migration, or when rows were lost."""
        for manager in self.managers:
            if manager.ids is not None:
                added = timeouts.restore(connection, manager.name, manager.ids, self.now())
                if added:
                    log.info("timeouts_restored", process=manager.name, count=added)

    def _start_due(self, connection: Connection, executor: ThreadPoolExecutor, stop: Event) -> float:
        """Starts what is due and not running; returns how long to wait for the next, in seconds."""
        for name in [name for name, task in self._running.items() if task.done()]:
            self._running.pop(name).result()
            if name in self._due:
                self._due_read_at = -inf
        if monotonic() - self._due_read_at >= MAX_WAIT_S:
            self._due_read_at, now = monotonic(), self.now()
            self._due = timeouts.next_due(connection, {each.name: each.latest(now) for each in self.managers}, now)
        wait_s = MAX_WAIT_S
        for name, left_s, work in self._work(stop):
            if name in self._running:
                continue
            if left_s <= 0:
                self._running[name] = executor.submit(work)
            else:
                wait_s = min(wait_s, left_s)
        return min(wait_s, BUSY_WAIT_S) if self._running else wait_s

    def _work(self, stop: Event) -> Iterator[tuple[str, float, Callable[[], object]]]:
        """The name of each process with a timeout, in how many seconds it is due, and its work."""
        now, clock = self.now(), monotonic()
        for manager in self.managers:
            if manager.name in self._due:
                left_s = (self._due[manager.name] - now).total_seconds()
                paused_s = self._not_before.get(manager.name, -inf) - clock
                yield manager.name, max(left_s, paused_s), partial(self._handle_due, manager, stop)

    def _handle_due(self, manager: ProcessManager, stop: Event) -> None:
        self._not_before.pop(manager.name, None)
        while self._handle_batch(manager, stop) >= manager.batch_size:
            if stop.is_set() or manager.name in self._not_before:
                break

    def _handle_batch(self, manager: ProcessManager, stop: Event | None = None) -> int:
        with self.container.pool.connection() as connection:
            now = self.now()
            batch = timeouts.due(connection, manager.name, now, manager.batch_size, manager.latest(now))
        if batch:
            self._handle_together(manager, batch, stop)
        return len(batch)

    def _handle_together(self, manager: ProcessManager, batch: Sequence[Timeout], stop: Event | None) -> None:
        try:
            issue = manager.plan(batch, self.now())
        except manager.unavailable as error:
            # No timeout of the batch is at fault: all keep their time.
            log.warning("process_paused", process=manager.name, delay_s=PAUSE_S, error=error)
            self._not_before[manager.name] = monotonic() + PAUSE_S
            return
        except Exception as error:
            if _is_postgres_away(error):
                raise
            if len(batch) == 1:
                self._failed(manager, batch[0], error)
                return
            for timeout in batch:
                self._handle_together(manager, [timeout], stop)
            return
        later: list[tuple[Timeout, datetime]] = []
        for timeout in batch:
            if stop is not None and stop.is_set():
                break
            at = self._handle(manager, issue, timeout)
            if at is not None:
                later.append((timeout, at))
        with self.container.pool.connection() as connection:
            timeouts.postpone(connection, later)

    def _handle(self, manager: ProcessManager, issue: Issue, timeout: Timeout) -> datetime | None:
        """Handles one timeout; returns a time at which it is due again, if its command sets none."""
        try:
            command = issue(timeout)
            if isinstance(command, datetime):
                return command
            self._commit(command, timeout)
        except TimeoutChanged:
            _HANDLED.labels(manager.name, "changed").inc()
        except Exception as error:
            if _is_postgres_away(error) and not isinstance(error, manager.unavailable):
                raise
            self._failed(manager, timeout, error)
        else:
            _HANDLED.labels(manager.name, "done").inc()
        return None

    def _commit(self, command: Command[Any] | None, timeout: Timeout) -> None:
        context = system_context(self.now())
        if command is not None:
            self.container.commands.dispatch(command, context, timeout=timeout)
        else:
            with self.container.commands.unit_of_work(context, timeout) as uow:
                uow.take_timeout()

    def _failed(self, manager: ProcessManager, timeout: Timeout, error: Exception) -> None:
        """Postpones the timeout, or makes a dead letter of it."""
        is_unavailable = isinstance(error, (*manager.unavailable, UnknownEvent))
        delay = manager.retry_delays[min(timeout.attempts, len(manager.retry_delays) - 1)]
        is_dead = not is_unavailable and timeout.attempts + 1 >= MAX_ATTEMPTS
        _HANDLED.labels(manager.name, "unavailable" if is_unavailable else "failed").inc()
        process, id_, delay_s, attempt = manager.name, timeout.id, delay.total_seconds(), timeout.attempts + 1
        if is_unavailable:
            log.warning("timeout_postponed", process=process, id=id_, delay_s=delay_s, error=error)
        else:
            log.error(
                "timeout_failed", process=process, id=id_, attempt=attempt, is_dead_letter=is_dead, exc_info=error
            )
        with self.container.pool.connection() as connection:
            timeouts.fail(connection, timeout, self.now() + delay, error, is_dead=is_dead)


def _is_postgres_away(error: Exception) -> bool:
    """Returns whether no work can continue. A statement that Postgres cancelled is the fault of what sent it."""
    cause = error.__cause__ if isinstance(error, UNAVAILABLE) else error
    return isinstance(error, ENGINE_ERRORS) and not isinstance(cause, CANCELLED)
