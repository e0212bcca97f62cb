"""Service `scheduler`: runs small recurring jobs, each a function of `Settings`, from the one table below.

A job that fails is logged, counted and run again at its next time; it never stops the others. Only one run of a job at
a time, in this process; what must happen once in the whole installation takes its own lock in Postgres.
"""

from __future__ import annotations

import logging
import signal
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib import import_module
from types import FrameType

import psycopg
from apscheduler.executors.pool import ThreadPoolExecutor
from apscheduler.schedulers.blocking import BlockingScheduler
from prometheus_client import Counter, Gauge, Histogram

from infra import health
from infra.auditing.clickhouse import ClickHouseFailed
from infra.backup import BackupError
from infra.canary import CanaryLost
from infra.log import LogUnavailable
from infra.settings import Settings, load

log = logging.getLogger(__name__)

_RUNS = Counter("scheduler_runs_total", "Runs of a job", ["job", "outcome"])
_DURATION = Histogram("scheduler_run_seconds", "How long a run took", ["job"])
_LAST_SUCCESS = Gauge("scheduler_last_success_timestamp_seconds", "When the job last succeeded", ["job"])
_FIRST_RUN_AFTER = timedelta(seconds=5)
_STUCK_AFTER_S = 300.0


@dataclass(frozen=True)
class Job:
    """`target`: `module:function`, a function of `Settings`; it must be harmless to run twice or too late."""

    name: str
    target: str
    every: timedelta
    does: str
    patience_s: float = _STUCK_AFTER_S
    is_quiet: bool = False
    """Whether only its failures are told: it runs too often for more, and its figures are metrics."""


JOBS = (
    Job(
        "delete-expired",
        "infra.expiry:delete_expired",
        timedelta(minutes=10),
        "deletes old salts, ended sessions and used-up idempotency keys",
    ),
    Job(
        "send-mail",
        "infra.mail:send_due",
        timedelta(seconds=5),
        "hands waiting mails to the mail server",
    ),
    Job(
        "warn-of-expiring-tokens",
        "infra.analysts.expiring:warn_due",
        timedelta(minutes=10),
        "emails analysts a week before an access token expires",
    ),
    Job(
        "check-pipeline",
        "infra.auditing.continuous:check",
        timedelta(minutes=1),
        "measures how far behind the tables are and counts the last full hours",
    ),
    Job(
        "send-canary",
        "infra.canary:send",
        timedelta(seconds=15),
        "sends a page view of nobody's through the whole way and measures how long it takes",
        is_quiet=True,
    ),
    Job(
        "plan-insights",
        "infra.insights:plan",
        timedelta(minutes=10),
        "says for which websites the day is over and insights are due",
    ),
    Job(
        "send-digests",
        "infra.digest:send_due",
        timedelta(minutes=10),
        "writes the digests of yesterday and of last week to those who want them",
    ),
    Job(
        "note-erased",
        "infra.backup.erased:note",
        timedelta(minutes=1),
        "keeps the list of erased people beside the backups",
    ),
    Job(
        "take-backup",
        "infra.backup.daily:take_due",
        timedelta(minutes=10),
        "takes a backup when the last one is a day old",
        patience_s=6 * 3600.0,
    ),
)


def main(arguments: list[str]) -> int:
    """Runs until SIGTERM; jobs under way are waited for."""
    settings = load()
    scheduler = BlockingScheduler(
        executors={"default": ThreadPoolExecutor(4)},
        job_defaults={"coalesce": True, "max_instances": 1, "misfire_grace_time": 3600},
        timezone=UTC,
    )
    begun: dict[str, float] = {}
    patience = {job.name: job.patience_s for job in JOBS}
    for job in JOBS:
        scheduler.add_job(
            runner(job, settings, begun),
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

    stop_health = health.start_server(settings.scheduler_port, parts) if settings.scheduler_port else None

    def stop(_number: int, _frame: FrameType | None) -> None:
        scheduler.shutdown(wait=False)

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    log.info("%d jobs: %s", len(JOBS), ", ".join(job.name for job in JOBS))
    scheduler.start()
    if stop_health is not None:
        stop_health()
    return 0


def runner(job: Job, settings: Settings, begun: dict[str, float]) -> Callable[[], None]:
    """A run of `job` that never raises. `begun` holds what runs now and since when. Loads the target at once, so that
    a row that names nothing stops the start."""
    module, _, name = job.target.partition(":")
    function: Callable[[Settings], object] = getattr(import_module(module), name)

    def run() -> None:
        began = begun[job.name] = time.monotonic()
        try:
            result = function(settings)
        except (psycopg.OperationalError, LogUnavailable, ClickHouseFailed, BackupError, CanaryLost) as error:
            _RUNS.labels(job.name, "failed").inc()
            log.warning("%s could not be done: %s", job.name, str(error).partition("\n")[0])
        except Exception:
            _RUNS.labels(job.name, "failed").inc()
            log.exception("%s failed", job.name)
        else:
            _RUNS.labels(job.name, "done").inc()
            _LAST_SUCCESS.labels(job.name).set_to_current_time()
            if isinstance(result, Mapping):
                result = {what: count for what, count in result.items() if count}
            # Whoever watches the console is not to be told every five seconds that there was nothing to do.
            level = logging.INFO if result and not job.is_quiet else logging.DEBUG
            log.log(level, "%s done: %s", job.name, result if result is not None else "ok")
        finally:
            _DURATION.labels(job.name).observe(time.monotonic() - began)
            begun.pop(job.name, None)

    return run
