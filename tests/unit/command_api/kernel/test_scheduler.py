"""Recurring jobs: one that fails harms nobody, one that runs too long is reported, and all end with their leader."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from threading import Event

import pytest
import structlog
from prometheus_client import REGISTRY
from structlog.contextvars import get_contextvars, merge_contextvars
from structlog.testing import capture_logs
from structlog.typing import EventDict

from command_api.kernel.scheduler import RecurringJob, run_once, running
from infra.kernel.config.settings import Settings
from infra.ops import scheduled_jobs

PATIENCE_S = 30.0


def do_nothing(_stop: Event) -> str:
    return "nothing was done"


def find_nothing(_stop: Event) -> int:
    return 0


def delete_some(_stop: Event) -> dict[str, int]:
    return {"salts": 0, "sessions": 2}


def delete_none(_stop: Event) -> dict[str, int]:
    return {"salts": 0, "sessions": 0}


def fail(_stop: Event) -> None:
    raise ArithmeticError("the books do not add up")


def fail_as_expected(_stop: Event) -> None:
    raise ConnectionError("the engine is away")


def job(run: Callable[[Event], object]) -> RecurringJob:
    return RecurringJob(run.__name__, timedelta(minutes=1), run, expected=(ConnectionError,))


def runs(name: str, outcome: str) -> float:
    return REGISTRY.get_sample_value("scheduler_runs_total", {"job": name, "outcome": outcome}) or 0.0


def test_every_job_of_an_installation_has_a_name_of_its_own_and_runs_soon_after_the_start() -> None:
    rows = scheduled_jobs.jobs(Settings())
    assert len({row.name for row in rows}) == len(rows) == 9
    assert all(timedelta(seconds=5) <= row.every <= timedelta(minutes=10) for row in rows)
    assert all(row.first_after <= timedelta(seconds=15) for row in rows)


def test_a_run_is_counted_and_a_failure_is_not_passed_on() -> None:
    begun: dict[str, float] = {}
    for each in (do_nothing, fail, fail_as_expected):
        run_once(job(each), Event(), begun)
    assert runs("do_nothing", "done") == runs("fail", "failed") == runs("fail_as_expected", "failed") == 1
    assert begun == {}


def test_runs_without_effect_and_continuous_jobs_are_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "command_api.kernel.scheduler")
    for row in (
        job(do_nothing),
        job(find_nothing),
        job(delete_some),
        job(delete_none),
        replace(job(do_nothing), is_quiet=True),
        replace(job(fail), is_quiet=True),
        job(fail_as_expected),
    ):
        run_once(row, Event(), {})
    assert [(record.levelname, record.getMessage().partition("\n")[0]) for record in caplog.records] == [
        ("INFO", 'job_done result="nothing was done" component=scheduler job=do_nothing'),
        ("INFO", 'job_done result={"sessions": 2} component=scheduler job=delete_some'),
        ("ERROR", "job_failed component=scheduler job=fail"),
        ("WARNING", 'job_failed error="the engine is away" component=scheduler job=fail_as_expected'),
    ]


def test_a_job_is_named_in_what_it_logs_and_not_after_it() -> None:
    def logs(_stop: Event) -> str:
        structlog.get_logger(__name__).info("work_done")
        return "done"

    structlog.contextvars.clear_contextvars()
    with capture_logs(processors=[merge_contextvars]) as lines:
        run_once(job(logs), Event(), {})
    assert {(line["event"], line["job"], line["component"]) for line in lines} == {
        ("work_done", "logs", "scheduler"),
        ("job_done", "logs", "scheduler"),
    }
    assert get_contextvars() == {}


def test_jobs_repeat_beside_one_that_hangs_which_is_reported_and_asked_to_return() -> None:
    repeated, returned, reported = Event(), Event(), Event()
    times: list[None] = []

    def hang(stop: Event) -> None:
        stop.wait(PATIENCE_S)
        if stop.is_set():
            returned.set()

    def repeat(_stop: Event) -> None:
        times.append(None)
        if len(times) == 3:
            repeated.set()

    def note(_logger: object, _method: str, event: EventDict) -> EventDict:
        if event["event"] == "job_late" and event["job"] == "hang":
            reported.set()
        raise structlog.DropEvent

    often = timedelta(milliseconds=10)
    before = structlog.get_config()["processors"]
    structlog.configure(processors=[note])
    try:
        with running([RecurringJob("hang", often, hang, patience_s=0.0), RecurringJob("repeat", often, repeat)]):
            assert repeated.wait(PATIENCE_S) and reported.wait(PATIENCE_S)
            assert not returned.is_set()
    finally:
        structlog.configure(processors=before)
    assert returned.is_set()


def test_jobs_that_run_in_order_do_not_run_beside_each_other() -> None:
    at_once: list[str] = []
    overlaps: list[str] = []
    done = Event()

    def work(name: str) -> Callable[[Event], object]:
        def run(_stop: Event) -> None:
            at_once.append(name)
            overlaps.extend(at_once[1:])
            at_once.remove(name)
            counts[name] += 1
            if all(count >= 5 for count in counts.values()):
                done.set()

        return run

    counts = dict.fromkeys(("one", "two", "three"), 0)
    often = timedelta(milliseconds=1)
    with running([RecurringJob(name, often, work(name), in_order=True) for name in counts]):
        assert done.wait(PATIENCE_S)
    assert overlaps == []
