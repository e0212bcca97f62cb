"""An engine is away for a while, or hangs, under load: tracking goes on, readers get a clear word, nothing is lost.

`CRASH_OUTAGE_S` (5) says for how long.
"""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

import httpx
import psutil
import pytest

from infra.stack.state import is_same, read
from tests.support.load import Result
from tests.support.stack import Stack, wait_for
from tests.support.under_load import Load, assert_exact, under_load

OUTAGE_S = float(os.environ.get("CRASH_OUTAGE_S", "5"))
PATIENCE_S = 8.0
"""What a reader waits at most for the word that an engine is away; it is meant to come within 2 s."""

pytestmark = [pytest.mark.crash, pytest.mark.timeout(300 + OUTAGE_S * 4)]


def keep_down(loaded: Stack, name: str, until: float) -> None:
    """Kills it again and again, as a broken disk would."""
    while time.monotonic() < until:
        state = read(loaded.data_dir)
        row = next(row for row in state.processes if row.name == name) if state is not None else None
        if row is not None and row.pid is not None and is_same(row.pid, row.born):
            with suppress(ProcessLookupError):
                os.kill(row.pid, signal.SIGKILL)
        time.sleep(0.02)


def freeze(loaded: Stack, name: str, until: float) -> None:
    """With every process of its own: Postgres has one for each connection."""
    engine = psutil.Process(loaded.pid(name))
    engine.suspend()
    everyone = [engine, *engine.children(recursive=True)]
    for process in everyone:
        process.suspend()
    try:
        time.sleep(max(0.0, until - time.monotonic()))
    finally:
        for process in everyone:
            process.resume()


@pytest.mark.parametrize("disturb", [keep_down, freeze])
@pytest.mark.parametrize("name", ["postgres", "clickhouse"])
def test_without_an_engine_tracking_goes_on_and_all_catches_up(
    loaded: Stack, tmp_path: Path, name: str, disturb: Callable[[Stack, str, float], None]
) -> None:
    ledger = tmp_path / "ledger.jsonl"
    told: list[tuple[str, int, float]] = []

    async def ask(load: Load, what: str, path: str, send: bool) -> None:
        began = time.monotonic()
        headers = {"Idempotency-Key": str(uuid4())}
        request = load.app.build_request("POST" if send else "GET", path, json={} if send else None, headers=headers)
        answer = await load.app.send(request)
        told.append((what, answer.status_code, round(time.monotonic() - began, 2)))
        if answer.status_code == 503:
            assert int(answer.headers["retry-after"]) >= 1
            assert answer.headers["content-type"].startswith("application/problem+json")

    async def break_it() -> Result:
        async with under_load(loaded, ledger) as load:
            load.app.timeout = httpx.Timeout(PATIENCE_S)
            overview = f"/api/platform/analytics/overview?websiteId={load.target.website}"
            await ask(load, "before", overview, False)
            accepted = load.accepted()
            breaking = asyncio.create_task(asyncio.to_thread(disturb, loaded, name, time.monotonic() + OUTAGE_S))
            await asyncio.sleep(0.5)
            before = load.accepted()
            while not breaking.done():
                await ask(load, "analytics", overview, False)
                if name == "postgres":
                    await ask(load, "command", "/api/platform/websites", True)
                await asyncio.sleep(0.3)
            await breaking
            assert load.accepted() > max(before, accepted), "tracking stood still"
            assert not [answer for answer in load.result.answers if answer.endswith(" 500")]
            await asyncio.to_thread(wait_for, lambda: _is_ready(loaded), "everything to be ready again")
            await ask(load, "after", overview, False)
        return load.result

    result = asyncio.run(break_it())
    print(told)
    assert told[0][1] == told[-1][1] == 200
    assert any(status == 503 for what, status, _ in told if what == "analytics")
    assert all(status in (200, 503) for what, status, _ in told if what == "analytics"), told
    assert all(status in (400, 422, 503) for what, status, _ in told if what == "command"), told
    assert_exact(loaded, result, ledger)


def _is_ready(loaded: Stack) -> bool:
    try:
        return httpx.get(f"{loaded.app}/readyz", timeout=2).status_code == 200
    except httpx.HTTPError:
        return False
