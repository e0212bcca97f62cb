"""The scheduler's jobs: every row names a function, and one that fails harms nobody."""

from __future__ import annotations

import logging
from dataclasses import replace
from datetime import timedelta

import pytest
from prometheus_client import REGISTRY

from infra import scheduler
from infra.scheduler import JOBS, Job, runner
from infra.settings import Settings


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


def job(target: str) -> Job:
    return Job(target.rpartition(":")[2], target, timedelta(minutes=1), "a test's")


def runs(name: str, outcome: str) -> float:
    return REGISTRY.get_sample_value("scheduler_runs_total", {"job": name, "outcome": outcome}) or 0.0


@pytest.mark.parametrize("row", JOBS, ids=lambda row: row.name)
def test_every_row_names_a_function(row: Job) -> None:
    assert callable(runner(row, Settings(), {}))
    assert row.every.total_seconds() < scheduler._STUCK_AFTER_S * 10


def test_a_row_that_names_nothing_stops_the_start() -> None:
    with pytest.raises(AttributeError):
        runner(job("tests.unit.test_scheduler:no_such_function"), Settings(), {})


def test_a_run_is_counted_and_a_failure_is_not_passed_on() -> None:
    begun: dict[str, float] = {}
    runner(job(f"{__name__}:do_nothing"), Settings(), begun)()
    runner(job(f"{__name__}:fail"), Settings(), begun)()
    assert runs("do_nothing", "done") == 1 and runs("fail", "failed") == 1
    assert begun == {}


def test_what_came_to_nothing_and_what_runs_all_the_time_is_not_told(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "infra.scheduler")
    for row in (
        job(f"{__name__}:do_nothing"),
        job(f"{__name__}:find_nothing"),
        job(f"{__name__}:delete_some"),
        job(f"{__name__}:delete_none"),
        replace(job(f"{__name__}:do_nothing"), is_quiet=True),
        replace(job(f"{__name__}:fail"), is_quiet=True),
    ):
        runner(row, Settings(), {})()
    assert [(record.levelname, record.getMessage()) for record in caplog.records] == [
        ("INFO", "do_nothing done: nothing was done"),
        ("INFO", "delete_some done: {'sessions': 2}"),
        ("ERROR", "fail failed"),
    ]
