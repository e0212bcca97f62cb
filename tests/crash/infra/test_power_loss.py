"""The power fails under load: everything that was acknowledged is there afterwards, and the audit finds nothing.

Java's flight recorder writes down every write and every `force` (fsync) of the broker. The services are stopped, so
that nothing more is acknowledged, the recording is taken, everything is killed with `kill -9`, and each file of Kafka's
log loses what was written to it after it was last forced; its indexes, which are mapped into memory and never
forced in time, are removed. Then everything starts again.

What it shows: no acknowledgement has left before the records were forced to the disk, for the topics as for Kafka's own
metadata. What it does not: that the disk keeps what it has confirmed, that a cut in the midst of a block is
recognised (Kafka's checksums do that), and the same for Postgres and ClickHouse, which are killed, but whose files stay
as the kernel has them; both are configured to call fsync before they answer.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Mapping
from pathlib import Path

import pytest

from infra.ops.stack.plan import ENGINES
from schemas.topics import CLICKS
from tests.support.flight_recorder import dump, tool, unforced
from tests.support.load import Result
from tests.support.stack import Stack, wait_for
from tests.support.under_load import Load, assert_exact, under_load

pytestmark = [pytest.mark.crash, pytest.mark.slow, pytest.mark.timeout(400)]

ACKNOWLEDGING = ("ingest", "command", "projectors")


@pytest.mark.skipif(not tool("jcmd").exists(), reason="the Java here has no jcmd: it is not a whole JDK")
def test_what_was_acknowledged_is_there_after_the_power_failed(loaded: Stack, tmp_path: Path) -> None:
    ledger = tmp_path / "ledger.jsonl"

    async def fail() -> Result:
        async with under_load(loaded, ledger) as load:
            await _accepted(load, 80)
            lost = await asyncio.to_thread(_cut_the_power, loaded, tmp_path / "io.jfr")
            clicks = [path for path in lost if "/clicks-" in path and path.endswith(".log")]
            assert len(clicks) == CLICKS.partitions, "nothing was recorded"
            _cut_the_files(loaded.data_dir / "kafka", lost)
            await asyncio.to_thread(loaded.start)
            await _accepted(load, 30)
        return load.result

    assert_exact(loaded, asyncio.run(fail()), ledger)


async def _accepted(load: Load, more: int) -> None:
    goal = load.accepted() + more
    await asyncio.wait_for(_reached(load, goal), 60)


async def _reached(load: Load, goal: int) -> None:
    while load.accepted() < goal:
        assert not load.loading.done()
        await asyncio.sleep(0.05)


def _cut_the_power(mine: Stack, dumped: Path) -> Mapping[str, int]:
    """Ends everything at once; what each file of the broker had not been forced to keep by then, in bytes."""
    assert mine.process is not None
    os.kill(mine.process.pid, signal.SIGSTOP)  # it would start again what ends
    for name in ACKNOWLEDGING:
        os.kill(mine.pid(name), signal.SIGSTOP)
    pid = mine.pid("kafka")
    dump(pid, dumped)
    for name in (*ENGINES, *ACKNOWLEDGING):
        mine.kill(name)
    mine.process.kill()
    mine.process.wait()
    wait_for(lambda: not _lives(pid), "Kafka to be gone")
    return unforced(dumped)


def _lives(pid: int) -> bool:
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z"


def _cut_the_files(folder: Path, lost: Mapping[str, int]) -> None:
    for log in folder.glob("*/*.log"):
        size, less = log.stat().st_size, lost.get(str(log), 0)
        print(f"{log.parent.name}: {less} of {size} bytes are lost")
        os.truncate(log, size - less)
    for index in folder.glob("*/*.*index"):
        index.unlink()
