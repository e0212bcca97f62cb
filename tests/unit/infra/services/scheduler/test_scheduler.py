"""The scheduler's jobs: every row names a function, and one that fails harms nobody."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from prometheus_client import REGISTRY

from infra.kernel.config.settings import Settings
from infra.ops.scheduled_jobs import JOBS
from infra.services.scheduler import service
from infra.services.scheduler.service import Job, runner


def do_nothing(_settings: Settings) -> str:
    return "nothing was done"


def find_nothing(_settings: Settings) -> int:
    return 0


def delete_some(_settings: Settings) -> dict[str, int]:
    return {"salts": 0, "sessions": 2}


def delete_none(_settings: Settings) -> dict[str, int]:
    return {"salts": 0, "sessions": 0}


def fail(_settings: Settings) -> None:
    raise ConnectionError("the engine is away")


def job(run: Callable[[Settings], object]) -> Job:
    return Job(run.__name__, run, timedelta(minutes=1), "a job of this test")


def runs(name: str, outcome: str) -> float:
    return REGISTRY.get_sample_value("scheduler_runs_total", {"job": name, "outcome": outcome}) or 0.0


@pytest.mark.parametrize("row", JOBS, ids=lambda row: row.name)
def test_every_row_names_a_function(row: Job) -> None:
    assert callable(runner(row, Settings(), {}))
    assert row.every.total_seconds() < service._STUCK_AFTER_S * 10


def test_a_run_is_counted_and_a_failure_is_not_passed_on() -> None:
    begun: dict[str, float] = {}
    runner(job(do_nothing), Settings(), begun)()
    runner(job(fail), Settings(), begun)()
    assert runs("do_nothing", "done") == 1 and runs("fail", "failed") == 1
    assert begun == {}


def test_runs_without_effect_and_continuous_jobs_are_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "infra.services.scheduler.service")
    for row in (
        job(do_nothing),
        job(find_nothing),
        job(delete_some),
        job(delete_none),
        replace(job(do_nothing), is_quiet=True),
        replace(job(fail), is_quiet=True),
    ):
        runner(row, Settings(), {})()
    assert [(record.levelname, record.getMessage().partition("\n")[0]) for record in caplog.records] == [
        ("INFO", 'job_done result="nothing was done" component=scheduler job=do_nothing'),
        ("INFO", 'job_done result={"sessions": 2} component=scheduler job=delete_some'),
        ("ERROR", "job_failed component=scheduler job=fail"),
    ]
