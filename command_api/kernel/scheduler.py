"""Recurring jobs: work that repeats at an interval and belongs to no aggregate.

The leader of the process managers (`command_api.kernel.process_manager`) runs them with APScheduler. A job that fails
is logged, counted and run again at its next time; it never stops the others. A job runs once at a time in a process;
after a change of the leader its last run may still go on, so a job that must not run twice takes its own lock.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from threading import Event
from time import monotonic
from typing import Final

import psycopg
import structlog
from apscheduler.events import EVENT_JOB_MAX_INSTANCES, JobSubmissionEvent
from apscheduler.executors.pool import ThreadPoolExecutor
from apscheduler.schedulers.background import BackgroundScheduler
from prometheus_client import Counter, Gauge, Histogram

from command_api.kernel.event_store import UNAVAILABLE
from command_api.kernel.leader_election import Connection, connect
from infra.kernel.config.settings import Settings
from infra.kernel.log import LogUnavailable
from infra.kernel.postgres.pool import required_url

NAME: Final = "recurring-jobs"
EXPECTED: Final = (*UNAVAILABLE, psycopg.OperationalError, psycopg.InterfaceError, LogUnavailable)
"""Failures of engines: logged in one line, without a traceback."""
PATIENCE_S: Final = 300.0
_THREADS: Final = {"default": 4, "in_order": 1}

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)
_RUNS = Counter("scheduler_runs_total", "Runs of a job", ["job", "outcome"])
_DURATION = Histogram("scheduler_run_seconds", "How long a run took", ["job"])
_LAST_SUCCESS = Gauge("scheduler_last_success_timestamp_seconds", "When the job last succeeded", ["job"])


@dataclass(frozen=True, slots=True)
class RecurringJob:
    """`run` is harmless when it runs twice or late, and returns early on its argument.

    `expected`: its failures that need no traceback. `first_after`: how long after the start it runs first.
    `patience_s`: a longer run is an error in the log. `is_quiet`: only failures are logged, because it runs often or
    logs itself. `in_order`: it runs in the one thread of such jobs.
    """

    name: str
    every: timedelta
    run: Callable[[Event], object]
    expected: tuple[type[Exception], ...] = ()
    first_after: timedelta = timedelta(0)
    patience_s: float = PATIENCE_S
    is_quiet: bool = False
    in_order: bool = False


@dataclass
class JobConnection:
    """The connection of the jobs that run in order. It is none of the pool: a job may send commands."""

    settings: Settings
    _connection: Connection | None = None

    def given_to(self, work: Callable[[Connection, Event], object]) -> Callable[[Event], object]:
        """Returns `work` as the `run` of a job."""

        def run(stop: Event) -> object:
            if self._connection is None or self._connection.closed:
                self._connection = connect(required_url(self.settings), NAME)
            return work(self._connection, stop)

        return run


@contextmanager
def running(jobs: Sequence[RecurringJob]) -> Iterator[None]:
    """Runs `jobs` during the block, each at its interval. At its end those that run are asked to return, and waited
    for."""
    stop = Event()
    begun: dict[str, float] = {}
    named = {job.name: job for job in jobs}
    scheduler = BackgroundScheduler(
        executors={name: ThreadPoolExecutor(size) for name, size in _THREADS.items()},
        job_defaults={"coalesce": True, "max_instances": 1, "misfire_grace_time": 3600},
        timezone=UTC,
    )

    def report_late(event: JobSubmissionEvent) -> None:
        """Logs a job that is due again while it runs, once it exceeds its patience."""
        since = begun.get(event.job_id)
        if since is not None and monotonic() - since > named[event.job_id].patience_s:
            log.error("job_late", job=event.job_id, seconds=round(monotonic() - since))

    for job in jobs:
        scheduler.add_job(
            partial(run_once, job, stop, begun),
            "interval",
            seconds=job.every.total_seconds(),
            id=job.name,
            executor="in_order" if job.in_order else "default",
            next_run_time=datetime.now(UTC) + job.first_after,
            jitter=int(job.every.total_seconds() // 20) or None,
        )
    scheduler.add_listener(report_late, EVENT_JOB_MAX_INSTANCES)
    scheduler.start()
    try:
        yield
    finally:
        stop.set()
        scheduler.shutdown()
        _LAST_SUCCESS.clear()  # another process may be the leader


def run_once(job: RecurringJob, stop: Event, begun: dict[str, float]) -> None:
    """A run of `job`; never raises. `begun` has the jobs that run now, and since when."""
    with structlog.contextvars.bound_contextvars(component="scheduler", job=job.name):
        began = begun[job.name] = monotonic()
        expected: tuple[type[Exception], ...] = (*EXPECTED, *job.expected)
        try:
            result = job.run(stop)
        except expected as error:
            _RUNS.labels(job.name, "failed").inc()
            log.warning("job_failed", error=str(error).partition("\n")[0])
        except Exception:
            _RUNS.labels(job.name, "failed").inc()
            log.exception("job_failed")
        else:
            _RUNS.labels(job.name, "done").inc()
            _LAST_SUCCESS.labels(job.name).set_to_current_time()
            if isinstance(result, Mapping):
                result = {what: count for what, count in result.items() if count}
            # No log line every five seconds that there was nothing to do.
            level = logging.INFO if result and not job.is_quiet else logging.DEBUG
            log.log(level, "job_done", result=result if result is not None else "ok")
        finally:
            _DURATION.labels(job.name).observe(monotonic() - began)
            begun.pop(job.name, None)
