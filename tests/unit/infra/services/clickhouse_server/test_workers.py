"""Which process of analysts' statements ends when all take too much memory together."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from infra.services.clickhouse_server.admission import AnalystSlots
from infra.services.clickhouse_server.workers import SLACK_BYTES, Run, WorkerProcess, Workers

TOGETHER = 1000 << 20
ENGINE = SLACK_BYTES // 4


class Process:
    """A process of some size."""

    def __init__(self, mebibytes: int) -> None:
        self.size = (mebibytes << 20) + ENGINE
        self.is_ended = False

    def private_bytes(self) -> int:
        return self.size

    def kill(self) -> None:
        self.is_ended = True

    async def end(self) -> None:
        self.is_ended = True


@pytest.fixture
def workers(tmp_path: Path) -> Workers:
    return Workers(tmp_path / "workers", cast(AnalystSlots, None), TOGETHER)


def put(workers: Workers, busy: list[int], idle: list[int]) -> list[Any]:
    made: list[Any] = [Process(size) for size in (*busy, *idle)]
    for process in made[: len(busy)]:
        workers._busy[cast(WorkerProcess, process)] = Run(30, _worker=cast(WorkerProcess, process))
    workers._idle += made[len(busy) :]
    return made


async def ended(workers: Workers, made: list[Any]) -> list[bool]:
    workers._kill_over_limit()
    for ending in list(workers._ending):
        await ending
    return [process.is_ended for process in made]


async def test_the_largest_statement_ends_if_all_take_too_much(workers: Workers) -> None:
    assert await ended(workers, put(workers, [400, 700], [])) == [False, True]


async def test_a_process_without_a_statement_ends_before_any_statement(workers: Workers) -> None:
    made = put(workers, [400, 500], [50, 100])
    assert await ended(workers, made) == [False, False, False, True]
    assert await ended(workers, made) == [False, False, False, True], "together they take no more than they may"


async def test_within_the_bound_nothing_ends(workers: Workers) -> None:
    assert await ended(workers, put(workers, [400, 500], [50])) == [False, False, False]
