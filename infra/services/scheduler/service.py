"""Service `scheduler`: runs small recurring jobs, each a function of `Settings`; `infra.ops.scheduled_jobs` lists
them.

A job that fails is logged, counted and run again at its next time; it never stops the others. A job runs once at a
time in this process; a job that must run once per installation takes its own lock in Postgres.
"""

from __future__ import annotations

import logging
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import structlog
from apscheduler.events import EVENT_SCHEDULER_STARTED
from apscheduler.executors.pool import ThreadPoolExecutor
from apscheduler.schedulers.blocking import BlockingScheduler
from prometheus_client import Counter, Gauge, Histogram

from infra.kernel.config.loading import load
from infra.kernel.config.settings import Settings
from infra.kernel.http import health
from infra.kernel.observability.service_manager import ServiceManager

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)

_RUNS = Counter("scheduler_runs_total", "Runs of a job", ["job", "outcome"])
_DURATION = Histogram("scheduler_run_seconds", "How long a run took", ["job"])
_LAST_SUCCESS = Gauge("scheduler_last_success_timestamp_seconds", "When the job last succeeded", ["job"])
_FIRST_RUN_AFTER = timedelta(seconds=5)
_STUCK_AFTER_S = 300.0


@dataclass(frozen=True)
class Job:
    """`run` is harmless when it runs twice or too late."""

    name: str
    run: Callable[[Settings], object]
    every: timedelta
    does: str
    patience_s: float = _STUCK_AFTER_S
    is_quiet: bool = False
    """Whether only failures are logged: the job runs often, and its results are metrics."""


def serve(jobs: Sequence[Job], expected: tuple[type[Exception], ...]) -> int:
    """Runs `jobs` until SIGTERM; waits for running ones. `expected`: failures that need no traceback."""
    settings = load()
    scheduler = BlockingScheduler(
        executors={"default": ThreadPoolExecutor(4)},
        job_defaults={"coalesce": True, "max_instances": 1, "misfire_grace_time": 3600},
        timezone=UTC,
    )
    begun: dict[str, float] = {}
    patience = {job.name: job.patience_s for job in jobs}
    for job in jobs:
        scheduler.add_job(
            runner(job, settings, begun, expected),
            "interval",
            seconds=job.every.total_seconds(),
            id=job.name,
            name=job.does,
            next_run_time=datetime.now(UTC) + _FIRST_RUN_AFTER,
            jitter=int(job.every.total_seconds() // 20) or None,
        )

    def parts() -> health.Parts:
        late = [name for name, at in list(begun.items()) if time.monotonic() - at > patience[name]]
        return {"jobs": f"{', '.join(late)} runs for too long" if late else True}

    stop_health = None
    if settings.scheduler_port is not None:
        networks = settings.metrics_networks
        stop_health = health.start_server(settings.internal_host, settings.scheduler_port, parts, networks)

    manager = ServiceManager.of()

    def stop(*_: object) -> None:
        manager.stopping()
        scheduler.shutdown(wait=False)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    log.info("scheduler_started", jobs=[job.name for job in jobs])
    manager.watch(lambda: parts()["jobs"] is True)
    # Not before: a signal that arrives earlier finds no scheduler to shut down.
    scheduler.add_listener(lambda _: manager.ready(), EVENT_SCHEDULER_STARTED)
    scheduler.start()
    if stop_health is not None:
        stop_health()
    return 0


def runner(
    job: Job, settings: Settings, begun: dict[str, float], expected: tuple[type[Exception], ...] = ()
) -> Callable[[], None]:
    """A run of `job` that never raises. `begun` holds the jobs that run now, and since when."""

    @structlog.contextvars.bound_contextvars(component="scheduler", job=job.name)
    def run() -> None:
        began = begun[job.name] = time.monotonic()
        try:
            result = job.run(settings)
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
            _DURATION.labels(job.name).observe(time.monotonic() - began)
            begun.pop(job.name, None)

    return run
