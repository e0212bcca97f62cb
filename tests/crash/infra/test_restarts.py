"""The public services are ended and killed again and again: nobody is refused, and no number is off.

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

from infra.kernel.observability.stack_state import read
from infra.ops.stack.spec import log_file
from tests.support.load import Result
from tests.support.stack import Stack, wait_for
from tests.support.under_load import Load, assert_exact, under_load

TIMES = 3
_LEFT_OPEN_BY_HTTP = {"ReadTimeout", "ConnectTimeout", "ReadError", "RemoteProtocolError"}
"""What the load's own kept-alive connections may meet on a busy machine: its patience of ten seconds ends before the
next process has started, or a connection is closed for its idleness while a request is on its way."""

pytestmark = [pytest.mark.crash, pytest.mark.timeout(300)]


def test_ending_ingest_under_load_fails_no_request(loaded: Stack, tmp_path: Path) -> None:
    ledger, log = tmp_path / "ledger.jsonl", log_file(loaded.data_dir, "ingest")
    written, said = len(_words(log)), loaded.output.stat().st_size
    result, strangers = asyncio.run(_restarted(loaded, ledger, signal.SIGTERM))
    assert not set(result.errors) - _LEFT_OPEN_BY_HTTP and not strangers["failed"], (result.errors, strangers)
    assert not [answer for answer in result.answers if answer.endswith((" 500", " 502", " 504"))]
    assert_exact(loaded, result, ledger)
    assert loaded.output.read_bytes()[said:].count(b"ingest ended with code 0") == TIMES
    assert b"Traceback" not in _words(log)[written:]


def test_killing_ingest_under_load_refuses_no_connection_and_changes_no_number(loaded: Stack, tmp_path: Path) -> None:
    ledger = tmp_path / "ledger.jsonl"
    result, strangers = asyncio.run(_restarted(loaded, ledger, signal.SIGKILL))
    assert not result.errors["ConnectError"] and not strangers["refused"], (result.errors, strangers)
    assert_exact(loaded, result, ledger)


def test_ending_the_web_app_refuses_nobody(loaded: Stack) -> None:
    async def ended() -> Counter[str]:
        strangers: Counter[str] = Counter()
        asking = [asyncio.create_task(_ask(loaded.app, strangers)) for _ in range(4)]
        for _ in range(TIMES):
            await asyncio.to_thread(_end, loaded, "web", signal.SIGTERM)
            await _answered(strangers, strangers["200"] + 10)
        for task in asking:
            task.cancel()
        await asyncio.gather(*asking, return_exceptions=True)
        return strangers

    strangers = asyncio.run(ended())
    assert not strangers["failed"], strangers


async def _restarted(loaded: Stack, ledger: Path, number: signal.Signals) -> tuple[Result, Counter[str]]:
    """What the load saw, and what came of requests that each opened a connection of their own."""
    strangers: Counter[str] = Counter()
    async with under_load(loaded, ledger) as load:
        asking = [asyncio.create_task(_ask(loaded.tracking, strangers)) for _ in range(4)]
        for _ in range(TIMES):
            await _flows(load)
            await asyncio.to_thread(_end, loaded, "ingest", number)
            await _answered(strangers, strangers["200"] + 10)
        await _flows(load)
        for task in asking:
            task.cancel()
        await asyncio.gather(*asking, return_exceptions=True)
    return load.result, strangers


async def _ask(url: str, seen: Counter[str]) -> None:
    while True:
        try:
            async with httpx.AsyncClient(timeout=30, verify=False) as client:  # noqa: S501 - http; spares reading authorities
                seen[str((await client.get(url + "/livez")).status_code)] += 1
        except httpx.TimeoutException:
            seen["waited in vain"] += 1
        except httpx.ConnectError:
            seen["refused"] += 1
            seen["failed"] += 1
        except httpx.TransportError:
            seen["failed"] += 1
        await asyncio.sleep(0.01)


async def _answered(seen: Counter[str], count: int) -> None:
    await asyncio.to_thread(wait_for, lambda: seen["200"] >= count, "answers")


async def _flows(load: Load) -> None:
    wanted = load.accepted() + 50
    await asyncio.to_thread(wait_for, lambda: load.accepted() >= wanted, "traffic to flow")


def _words(log: Path) -> bytes:
    """What a process has said so far: the file comes with the first word."""
    return log.read_bytes() if log.exists() else b""


def _end(loaded: Stack, name: str, number: signal.Signals) -> None:
    """Returns when it runs again."""
    state = read(loaded.data_dir)
    assert state is not None
    restarts = next(row.restarts for row in state.processes if row.name == name)
    os.kill(loaded.pid(name), number)
    loaded.wait_restarted(name, restarts + 1)
