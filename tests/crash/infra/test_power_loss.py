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
import json
import os
import signal
import subprocess
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

import pytest

from infra.ops.stack.plan import ENGINES
from infra.ops.stack.tools import java
from schemas.topics import CLICKS
from tests.support.load import Result
from tests.support.stack import Stack, stack, wait_for
from tests.support.under_load import ADMIN, SELDOM, Load, assert_exact, under_load

pytestmark = [pytest.mark.crash, pytest.mark.timeout(400)]

RECORDED = """<?xml version="1.0" encoding="UTF-8"?>
<configuration version="2.0">
  <event name="jdk.FileForce"><setting name="enabled">true</setting><setting name="threshold">0 ms</setting></event>
  <event name="jdk.FileWrite"><setting name="enabled">true</setting><setting name="threshold">0 ms</setting></event>
</configuration>
"""
ACKNOWLEDGING = ("ingest", "command", "projectors")


def tool(name: str) -> Path:
    return Path(java() or "").resolve().with_name(name)


@pytest.mark.skipif(not tool("jcmd").exists(), reason="the Java here has no jcmd: it is not a whole JDK")
def test_what_was_acknowledged_is_there_after_the_power_failed(tmp_path: Path) -> None:
    (tmp_path / "io.jfc").write_text(RECORDED)
    recording = {"JAVA_TOOL_OPTIONS": f"-XX:StartFlightRecording:settings={tmp_path / 'io.jfc'}"}
    ledger = tmp_path / "ledger.jsonl"
    with stack({**ADMIN, **SELDOM, "ALTHING_LOG": "kafka", **recording}) as mine:

        async def fail() -> Result:
            async with under_load(mine, ledger) as load:
                await _accepted(load, 80)
                lost = await asyncio.to_thread(_cut_the_power, mine, tmp_path / "io.jfr")
                clicks = [path for path in lost if "/clicks-" in path and path.endswith(".log")]
                assert len(clicks) == CLICKS.partitions, "nothing was recorded"
                _cut_the_files(mine.data_dir / "kafka", lost)
                await asyncio.to_thread(mine.start)
                await _accepted(load, 30)
            return load.result

        assert_exact(mine, asyncio.run(fail()), ledger)


async def _accepted(load: Load, more: int) -> None:
    goal = load.accepted() + more
    await asyncio.wait_for(_reached(load, goal), 60)


async def _reached(load: Load, goal: int) -> None:
    while load.accepted() < goal:
        assert not load.loading.done()
        await asyncio.sleep(0.05)


def _cut_the_power(mine: Stack, dump: Path) -> Mapping[str, int]:
    """Ends everything at once; what each file of the broker had not been forced to keep by then, in bytes."""
    assert mine.process is not None
    os.kill(mine.process.pid, signal.SIGSTOP)  # it would start again what ends
    for name in ACKNOWLEDGING:
        os.kill(mine.pid(name), signal.SIGSTOP)
    pid = str(mine.pid("kafka"))
    subprocess.run(
        [str(tool("jcmd")), pid, "JFR.dump", f"filename={dump}"], check=True, capture_output=True, timeout=60
    )
    for name in (*ENGINES, *ACKNOWLEDGING):
        mine.kill(name)
    mine.process.kill()
    mine.process.wait()
    wait_for(lambda: not _lives(pid), "Kafka to be gone")
    return unforced(dump)


def _lives(pid: str) -> bool:
    stat = Path("/proc", pid, "stat")
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z"


def unforced(dump: Path) -> Mapping[str, int]:
    """By file: the bytes that were written to it after it had been forced for the last time."""
    command = [str(tool("jfr")), "print", "--json", "--events", "jdk.FileForce,jdk.FileWrite", str(dump)]
    told = subprocess.run(command, check=True, capture_output=True, timeout=120).stdout
    lost: dict[str, int] = defaultdict(int)
    for event in sorted(json.loads(told)["recording"]["events"], key=lambda event: event["values"]["startTime"]):
        path = event["values"]["path"]
        if path is None:  # not a file of the disk: a socket's or a pipe's
            continue
        if event["type"] == "jdk.FileWrite":
            lost[path] += event["values"]["bytesWritten"]
        else:
            lost[path] = 0
    return lost


def _cut_the_files(folder: Path, lost: Mapping[str, int]) -> None:
    for log in folder.glob("*/*.log"):
        size, less = log.stat().st_size, lost.get(str(log), 0)
        print(f"{log.parent.name}: {less} of {size} bytes are lost")
        os.truncate(log, size - less)
    for index in folder.glob("*/*.*index"):
        index.unlink()
