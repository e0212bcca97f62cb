"""Turns on the processors for analysts' processes."""

from __future__ import annotations

import asyncio

import pytest

from infra.services.clickhouse_server import process_scheduling
from infra.services.clickhouse_server.process_scheduling import ProcessScheduler


class Process:
    """Counts its turns."""

    def __init__(self) -> None:
        self.is_running = True
        self.turns = 1

    def pause(self) -> None:
        assert self.is_running
        self.is_running = False

    def resume(self) -> None:
        assert not self.is_running
        self.is_running = True
        self.turns += 1


@pytest.fixture(autouse=True)
def short_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_scheduling, "SLICE_S", 0.0005)


def running(processes: list[Process]) -> int:
    return sum(process.is_running for process in processes)


async def test_few_run_at_a_time_and_everyone_has_turns() -> None:
    turns, processes = ProcessScheduler(max_running=2), [Process() for _ in range(8)]
    for process in processes:
        turns.enter(process)
        assert process.is_running, "a process that comes runs at once"
    async with asyncio.timeout(60):
        while min(process.turns for process in processes) < 5:
            assert running(processes) == 2
            await asyncio.sleep(0)
    assert max(process.turns for process in processes) <= 7


async def test_a_process_that_ends_lets_the_next_one_run() -> None:
    turns, processes = ProcessScheduler(max_running=1), [Process() for _ in range(3)]
    for process in processes:
        turns.enter(process)
    while processes:
        assert running(processes) == 1
        ended = next(process for process in processes if process.is_running)
        processes.remove(ended)
        turns.leave(ended)
        turns.leave(ended)


async def test_a_starting_process_keeps_running_until_it_is_ready() -> None:
    turns, old, fresh, newer = ProcessScheduler(max_running=1), Process(), Process(), Process()
    turns.enter(old)
    turns.enter(fresh, is_starting=True)
    turns.enter(newer)
    assert (old.is_running, fresh.is_running, newer.is_running) == (False, True, False)
    await asyncio.sleep(0.005)
    assert fresh.is_running and fresh.turns == 1, "many turns have passed"
    turns.ready(fresh)
    async with asyncio.timeout(60):
        while min(old.turns, fresh.turns, newer.turns) < 3:
            assert running([old, fresh, newer]) == 1
            await asyncio.sleep(0)


async def test_those_that_start_wait_for_each_other() -> None:
    turns, first, second = ProcessScheduler(max_running=1), Process(), Process()
    turns.enter(first, is_starting=True)
    turns.enter(second, is_starting=True)
    assert (first.is_running, second.is_running) == (True, False)
    turns.leave(first)
    assert second.is_running


async def test_a_process_that_leaves_the_scheduler_is_not_left_stopped() -> None:
    turns, first, second = ProcessScheduler(max_running=1), Process(), Process()
    turns.enter(first)
    turns.enter(second)
    assert running([first]) == 0
    turns.leave(first)
    assert running([first]) == 1, "it is used again, or ends"
    turns.leave(second)
    assert second.is_running


async def test_one_alone_is_never_stopped() -> None:
    turns, alone = ProcessScheduler(max_running=1), Process()
    turns.enter(alone)
    await asyncio.sleep(0.005)
    assert (alone.is_running, alone.turns) == (True, 1)
