"""Ingest is ended and killed again and again under load: nobody is refused, and no number is off.

The supervisor holds the listening socket (`ProcessSpec.kept_open`): what comes in between waits for the next process.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections import Counter
from pathlib import Path

import httpx
import pytest

from infra.stack.spec import log_file
from infra.stack.state import read
from tests.support.load import Result
from tests.support.stack import Stack, wait_for
from tests.support.under_load import Load, assert_exact, under_load

TIMES = 3
pytestmark = [pytest.mark.crash, pytest.mark.timeout(300)]


def test_ending_ingest_under_load_fails_no_request(loaded: Stack, tmp_path: Path) -> None:
    ledger, log = tmp_path / "ledger.jsonl", log_file(loaded.data_dir, "ingest")
    written, said = log.stat().st_size, loaded.output.stat().st_size
    result, strangers = asyncio.run(_restarted(loaded, ledger, signal.SIGTERM))
    assert not result.errors and not strangers["failed"], (result.errors, strangers)
    assert strangers["200"] > 50, "there were too few new connections for the test to mean anything"
    assert not [answer for answer in result.answers if answer.endswith((" 500", " 502", " 504"))]
    assert_exact(loaded, result, ledger)
    assert loaded.output.read_bytes()[said:].count(b"ingest ended with code 0") == TIMES
    assert b"Traceback" not in log.read_bytes()[written:]


def test_killing_ingest_under_load_refuses_no_connection_and_changes_no_number(loaded: Stack, tmp_path: Path) -> None:
    ledger = tmp_path / "ledger.jsonl"
    result, strangers = asyncio.run(_restarted(loaded, ledger, signal.SIGKILL))
    assert not result.errors["ConnectError"] and not strangers["refused"], (result.errors, strangers)
    assert_exact(loaded, result, ledger)


async def _restarted(loaded: Stack, ledger: Path, number: signal.Signals) -> tuple[Result, Counter[str]]:
    """What the load saw, and what came of requests that each opened a connection of their own."""
    strangers: Counter[str] = Counter()
    async with under_load(loaded, ledger) as load:
        asking = [asyncio.create_task(_ask(loaded.tracking, strangers)) for _ in range(4)]
        for _ in range(TIMES):
            await _flows(load)
            restarts = _restarts(loaded)
            os.kill(loaded.pid("ingest"), number)
            await asyncio.to_thread(loaded.wait_restarted, "ingest", restarts + 1)
        await _flows(load)
        for task in asking:
            task.cancel()
        await asyncio.gather(*asking, return_exceptions=True)
    return load.result, strangers


async def _ask(url: str, seen: Counter[str]) -> None:
    while True:
        try:
            async with httpx.AsyncClient(timeout=30) as client:
                seen[str((await client.get(url + "/livez")).status_code)] += 1
        except httpx.ConnectError:
            seen["refused"] += 1
            seen["failed"] += 1
        except httpx.TransportError:
            seen["failed"] += 1
        await asyncio.sleep(0.01)


async def _flows(load: Load) -> None:
    wanted = load.accepted() + 100
    await asyncio.to_thread(wait_for, lambda: load.accepted() >= wanted, "traffic to flow")


def _restarts(loaded: Stack) -> int:
    state = read(loaded.data_dir)
    assert state is not None
    return next(row.restarts for row in state.processes if row.name == "ingest")
