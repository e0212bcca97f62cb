"""Everything runs, traffic comes in, and one process after the other is ended or killed: afterwards no number is off.

The load generator writes down what it was promised; decisions are made meanwhile; `althing audit` compares the log with
every table and with the ledger. `CRASH_ROUNDS` (1) says how often every process is killed, `CRASH_RATE` (10) how many
requests come in a second, `CRASH_LOG` (kafka) which log is used, `CRASH_SEED` gives another run.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from infra.kernel.observability.stack_state import read
from infra.ops.stack.plan import ENGINES, PUBLIC, SERVICES
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
TIMES = 2
"""How often a public service is ended or killed."""
LEFT_OPEN_BY_HTTP = {"ReadTimeout", "ConnectTimeout", "ReadError", "RemoteProtocolError"}
"""What the load's own kept-alive connections may meet on a busy machine: its patience of ten seconds ends before the
next process has started, or a connection is closed for its idleness while a request is on its way."""

pytestmark = [pytest.mark.crash, pytest.mark.timeout(240 + 180 * ROUNDS)]


def test_ending_every_service_as_an_update_does_loses_nothing_and_refuses_nobody(loaded: Stack, tmp_path: Path) -> None:
    """Each ends with exit code 0; clients meet no wrong answer. Who opens a connection while ingest or the web app is
    away waits for the next process: the supervisor holds the listening sockets (`ProcessSpec.kept_open`)."""
    ledger = tmp_path / "ledger.jsonl"
    said = loaded.output.stat().st_size
    logs = {name: log_file(loaded.data_dir, name) for name in SERVICES}
    written = {name: len(_words(path)) for name, path in logs.items()}

    async def restart_all() -> tuple[Result, Counter[str]]:
        async with under_load(loaded, ledger) as load, strangers(loaded.tracking, loaded.app) as seen:
            await _flows(load, 30)
            for name in [*PUBLIC * (TIMES - 1), *SERVICES]:
                await asyncio.to_thread(_kill, loaded, name, signal.SIGTERM)
                await _answered(seen)
                await _flows(load, 10)
        return load.result, seen

    result, seen = asyncio.run(restart_all())
    assert not set(result.errors) - LEFT_OPEN_BY_HTTP and not seen["failed"], (result.errors, seen)
    assert_exact(loaded, result, ledger)
    assert not [answer for answer in result.answers if answer.endswith((" 500", " 502", " 504"))]
    words = loaded.output.read_bytes()[said:].decode(errors="replace")
    for name, path in logs.items():
        times = TIMES if name in PUBLIC else 1
        assert words.count(f"{name} ended with code 0") == times, (name, words[-3000:])
        since = _words(path)[written[name] :].decode(errors="replace")
        assert "Traceback" not in since, since[since.find("Traceback") - 500 :][:3000]


@pytest.mark.slow
def test_killing_every_process_under_load_changes_no_number(loaded: Stack, tmp_path: Path) -> None:
    """Before it, ingest is killed several times, which refuses no connection; after it, the projectors are frozen."""
    ledger = tmp_path / "ledger.jsonl"

    async def kill_all() -> tuple[Result, Counter[str], int]:
        async with under_load(loaded, ledger) as load:
            async with strangers(loaded.tracking) as seen:
                for _ in range(TIMES):
                    await _flows(load, 10)
                    await asyncio.to_thread(_kill, loaded, "ingest")
                    await _answered(seen)
                await _flows(load, 10)
            refused = load.result.errors["ConnectError"]
            for name in _kills(loaded):
                await asyncio.sleep(CALM_S)
                await asyncio.to_thread(_kill, loaded, name)
                assert not load.loading.done()
            await _flows(load, 30)
            await _freeze(loaded, load)
        return load.result, seen, refused

    result, seen, refused = asyncio.run(kill_all())
    assert not refused and not seen["refused"], (refused, seen)
    assert_exact(loaded, result, ledger)
    told = loaded.run("audit", "--json")
    assert told.returncode == 0, told.stderr
    assert [json.loads(told.stdout)[kind] for kind in ("missing", "duplicate", "wrong")] == [0, 0, 0]


def _words(log: Path) -> bytes:
    """What a process has said so far: the file comes with the first word."""
    return log.read_bytes() if log.exists() else b""


async def _freeze(loaded: Stack, load: Load) -> None:
    """Stops the projectors in the middle of their work, and lets them go on."""
    pid = loaded.pid("projectors")
    os.kill(pid, signal.SIGSTOP)
    try:
        await asyncio.sleep(FROZEN_S)
        await _flows(load, 30)
    finally:
        _wake(pid)
    await _flows(load, 30)


@asynccontextmanager
async def strangers(*urls: str) -> AsyncIterator[Counter[str]]:
    """Requests that each open a connection of their own, as long as the block runs; counts what came of them."""
    seen: Counter[str] = Counter()
    asking = [asyncio.create_task(_ask(url, seen)) for url in urls]
    yield seen
    for task in asking:
        task.cancel()
    await asyncio.gather(*asking, return_exceptions=True)


async def _ask(url: str, seen: Counter[str]) -> None:
    while True:
        try:
            async with asyncio.timeout(30):
                seen[await _status(url)] += 1
        except TimeoutError:
            seen["waited in vain"] += 1
        except ConnectionRefusedError:
            seen["refused"] += 1
            seen["failed"] += 1
        except (OSError, IndexError):
            seen["failed"] += 1
        await asyncio.sleep(0.05)


async def _status(url: str) -> str:
    """Of one request without a client of HTTP, which costs more than all that it tests. Raises `IndexError` for a
    connection that ends without an answer."""
    host, _, port = url.removeprefix("http://").partition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    try:
        writer.write(f"GET /livez HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n\r\n".encode())
        return (await reader.read()).split(maxsplit=2)[1].decode()
    finally:
        writer.close()


async def _answered(seen: Counter[str]) -> None:
    wanted = seen["200"] + 10
    await asyncio.to_thread(wait_for, lambda: seen["200"] >= wanted, "answers")


def _kills(loaded: Stack) -> Iterator[str]:
    rng = random.Random(SEED)
    state = read(loaded.data_dir)
    assert state is not None
    running = sorted(row.name for row in state.processes)
    assert set(running) >= {*ENGINES, *SERVICES}
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
    before = next(row for row in state.processes if row.name == name)
    os.kill(loaded.pid(name), number)
    loaded.wait_restarted(name, before.restarts + 1)
    assert loaded.pid(name) != before.pid


async def _flows(load: Load, more: int) -> None:
    """Until `more` requests have been accepted."""
    wanted = load.accepted() + more
    await asyncio.to_thread(wait_for, lambda: load.accepted() >= wanted, "traffic to flow")


def _wake(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGCONT)
    except ProcessLookupError:
        return  # the supervisor has ended it meanwhile
