"""Everything runs, traffic comes in, and one process after the other is killed: no number may be off afterwards.

The load generator writes down what it was promised; decisions are made meanwhile; `althing audit` compares the log with
every table and with the ledger. `CRASH_ROUNDS` (1) says how often every process is killed, `CRASH_RATE` (20) how many
requests come in a second, `CRASH_LOG` (kafka) which log is used, `CRASH_SEED` gives another run.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from infra.kernel.observability.stack_state import read
from infra.ops.stack.plan import SERVICES
from infra.ops.stack.spec import log_file
from tests.support.load import Result
from tests.support.stack import Stack, wait_for
from tests.support.under_load import SEED, Load, assert_exact, under_load

ROUNDS = int(os.environ.get("CRASH_ROUNDS", "1"))
FROZEN_S = float(os.environ.get("CRASH_FROZEN_S", "5"))
"""How long the projectors are frozen: after a minute the supervisor would end them."""
CALM_S = 1.5
"""Between two kills: long enough for traffic to flow again, short enough to meet the recovery of the last one."""
SUPERVISOR = "supervisor"

pytestmark = [pytest.mark.crash, pytest.mark.timeout(240 + 180 * ROUNDS)]


def test_killing_every_process_under_load_changes_no_number(loaded: Stack, tmp_path: Path) -> None:
    ledger = tmp_path / "ledger.jsonl"

    async def kill_all() -> Result:
        async with under_load(loaded, ledger) as load:
            await asyncio.sleep(CALM_S)
            for name in _kills(loaded):
                await asyncio.to_thread(_kill, loaded, name)
                await asyncio.sleep(CALM_S)
                assert not load.loading.done()
        return load.result

    assert_exact(loaded, asyncio.run(kill_all()), ledger)
    told = loaded.run("audit", "--json")
    assert told.returncode == 0, told.stderr
    assert [json.loads(told.stdout)[kind] for kind in ("missing", "duplicate", "wrong")] == [0, 0, 0]


def test_ending_every_service_in_turn_as_an_update_does_loses_nothing(loaded: Stack, tmp_path: Path) -> None:
    """Each ends with exit code 0; clients meet no wrong answer, and tracking refuses nobody."""
    ledger = tmp_path / "ledger.jsonl"
    said = loaded.output.stat().st_size
    logs = {name: log_file(loaded.data_dir, name) for name in SERVICES}
    written = {name: path.stat().st_size for name, path in logs.items()}

    async def restart_all() -> Result:
        async with under_load(loaded, ledger) as load:
            await asyncio.sleep(CALM_S)
            for name in SERVICES:
                await asyncio.to_thread(_kill, loaded, name, signal.SIGTERM)
                await asyncio.sleep(CALM_S)
        return load.result

    result = asyncio.run(restart_all())
    assert_exact(loaded, result, ledger)
    assert not [answer for answer in result.answers if answer.endswith((" 500", " 502", " 504"))]
    words = loaded.output.read_bytes()[said:].decode(errors="replace")
    for name, path in logs.items():
        assert f"{name} ended with code 0" in words, words[-3000:]
        since = path.read_bytes()[written[name] :].decode(errors="replace")
        assert "Traceback" not in since, since[since.find("Traceback") - 500 :][:3000]


def test_projectors_that_were_frozen_go_on_exactly(loaded: Stack, tmp_path: Path) -> None:
    ledger = tmp_path / "ledger.jsonl"

    async def freeze() -> Result:
        async with under_load(loaded, ledger) as load:
            await _flows(load, 100)
            pid = loaded.pid("projectors")
            os.kill(pid, signal.SIGSTOP)
            try:
                await asyncio.sleep(FROZEN_S)
                await _flows(load, 100)
            finally:
                _wake(pid)
            await _flows(load, 100)
        return load.result

    assert_exact(loaded, asyncio.run(freeze()), ledger)


def _kills(loaded: Stack) -> Iterator[str]:
    rng = random.Random(SEED)
    state = read(loaded.data_dir)
    assert state is not None
    running = sorted(row.name for row in state.processes)
    for _ in range(ROUNDS):
        names = [*running, SUPERVISOR]
        rng.shuffle(names)
        yield from names


def _kill(loaded: Stack, name: str, number: signal.Signals = signal.SIGKILL) -> None:
    print(f"{number.name} {name}")
    if name == SUPERVISOR:
        assert loaded.process is not None
        loaded.process.send_signal(number)
        loaded.process.wait(10)
        loaded.start()
        return
    state = read(loaded.data_dir)
    assert state is not None
    restarts = next(row.restarts for row in state.processes if row.name == name)
    os.kill(loaded.pid(name), number)
    loaded.wait_restarted(name, restarts + 1)


async def _flows(load: Load, more: int) -> None:
    """Until `more` requests have been accepted."""
    wanted = load.accepted() + more
    await asyncio.to_thread(wait_for, lambda: load.accepted() >= wanted, "traffic to flow")


def _wake(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGCONT)
    except ProcessLookupError:
        return  # the supervisor has ended it meanwhile
