"""Jobs on what users send: in a process of their own, within limits, ended with their client."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from itertools import count
from threading import Event, Thread
from typing import Any

import pytest

from infra.kernel.worker_processes.pool import (
    MAX_WAITING,
    JobCancelled,
    JobFailed,
    JobLate,
    JobTooLong,
    NoProcessFree,
    WorkerPool,
)
from infra.kernel.worker_processes.protocol import JobRejected
from tests.support import worker_jobs


@pytest.fixture(scope="module")
def pool() -> Iterator[WorkerPool]:
    made = WorkerPool(worker_jobs.MODULE, size=1, deadline_s=30)
    yield made
    made.close()


def run(pool: WorkerPool, request: str, **options: Any) -> bytes:
    return pool.run(request.encode(), **{"cpu_s": 20, "wait_s": 0, **options}).answer


def process(pool: WorkerPool) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run(pool, "process"))
    return found


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_jobs_run_in_one_process_at_low_priority(pool: WorkerPool) -> None:
    first = process(pool)
    assert first["pid"] != os.getpid() and first["nice"] >= 10
    large = "a" * 3_000_000
    assert run(pool, f"echo:{large}") == large.encode()
    assert process(pool)["pid"] == first["pid"]


def test_the_process_gets_no_secrets(pool: WorkerPool) -> None:
    assert set(process(pool)["environment"]) <= {"PATH", "LANG", "PYTHONPATH", "LC_CTYPE"}


def test_a_rejection_says_why_and_the_process_stays(pool: WorkerPool) -> None:
    before = process(pool)["pid"]
    with pytest.raises(JobRejected) as rejected:
        run(pool, "reject:too blue")
    assert rejected.value.reason == b"too blue" and process(pool)["pid"] == before


def test_a_job_ends_with_its_processor_time(pool: WorkerPool) -> None:
    before = process(pool)["pid"]
    with pytest.raises(JobTooLong):
        run(pool, "forever", cpu_s=1)
    assert not is_running(before) and run(pool, "echo:next") == b"next"


def test_a_job_that_does_not_answer_in_time_is_killed() -> None:
    impatient = WorkerPool(worker_jobs.MODULE, size=1, deadline_s=0.3)
    pid = process(impatient)["pid"]
    with pytest.raises(JobLate):
        run(impatient, "forever")
    assert not is_running(pid)


def test_a_job_has_limited_memory(pool: WorkerPool) -> None:
    with pytest.raises(JobFailed):
        run(pool, f"allocate:{worker_jobs.MEMORY_BYTES}")
    assert run(pool, "echo:next") == b"next"


def test_a_job_is_killed_when_its_client_leaves(pool: WorkerPool) -> None:
    pid, looks = process(pool)["pid"], count()
    with pytest.raises(JobCancelled):
        run(pool, "forever", is_cancelled=lambda: next(looks) > 0)
    assert not is_running(pid)


def test_a_process_that_ended_is_replaced(pool: WorkerPool) -> None:
    """As after some time without work: then it ends and gives its memory back."""
    before = process(pool)["pid"]
    [kept] = pool._idle
    kept._socket.shutdown(1)
    kept._process.wait(30)
    assert process(pool)["pid"] != before


def test_a_full_pool_refuses(pool: WorkerPool) -> None:
    begun, left = Event(), Event()

    def cancelled() -> bool:
        begun.set()
        return left.is_set()

    def hold() -> None:
        with pytest.raises(JobCancelled):
            run(pool, "forever", wait_s=30, is_cancelled=cancelled)

    holder = Thread(target=hold)
    holder.start()
    assert begun.wait(30)
    with pytest.raises(NoProcessFree):
        run(pool, "echo:second")
    with pytest.raises(JobCancelled):
        run(pool, "echo:third", wait_s=30, is_cancelled=lambda: True)
    waiting = [Thread(target=hold) for _ in range(MAX_WAITING)]
    for thread in waiting:
        thread.start()
    while pool._callers.acquire(blocking=False):  # until all of them wait
        pool._callers.release()
    with pytest.raises(NoProcessFree):
        run(pool, "echo:fourth", wait_s=30)
    left.set()
    for thread in (holder, *waiting):
        thread.join(30)
    assert run(pool, "echo:second") == b"second"
