"""Runs a soak and writes its report. Exit code 1 if the audit found something or something is not flat."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

import httpx

from infra.kernel.config.loading import load
from infra.kernel.config.paths import ROOT
from infra.ops.audit.command import audit
from infra.ops.audit.report import DefectKind
from tests.soak import report
from tests.soak.faults import Fault, inflict, schedule
from tests.soak.report import Inflicted, Soak
from tests.soak.samples import Sampler
from tests.support.stack import Stack, stack
from tests.support.under_load import ADMIN, SEED, Load, under_load

MINUTES = float(os.environ.get("SOAK_MINUTES", "30"))
RATE = float(os.environ.get("SOAK_RATE", "6"))
WHOLE_MINUTES = 30
FAULT_EVERY_S = float(os.environ.get("SOAK_FAULT_EVERY_S", "60"))
READ_EVERY_S, COMMAND_EVERY_S = 2.0, 15.0
FLOWING = 20
"""Requests that must be acknowledged after a fault: traffic flows again."""
FLOWS_WITHIN_S = 120.0
AUDIT_WITHIN_S = 180.0
READ_WITHIN_S = 60.0
CALLS = ("overview", "clicks", "conversions", "partners", "geographic")
AWAY = (httpx.TransportError, httpx.HTTPStatusError)


@dataclass
class Seen:
    """What came of reads, commands and the live stream."""

    reads: list[float] = field(default_factory=list)
    connected: list[str] = field(default_factory=list)
    messages: int = 0
    is_calm: bool = True


def main() -> int:
    with TemporaryDirectory(prefix="althing-soak-") as folder, stack(ADMIN) as made:
        soak = asyncio.run(run(made, Path(folder) / "ledger.jsonl"))
    whole = soak.minutes >= WHOLE_MINUTES
    target = ROOT / "docs" if whole else ROOT / ".build" / "soak"
    report.write(soak, target)
    print(report.text(soak))
    print(f"written to {target}")
    return 1 if soak.problems else 0


async def run(made: Stack, ledger: Path) -> Soak:
    """The load with its faults, then the audit. Raises `AssertionError` if the stack does not come back."""
    at = datetime.now(UTC)
    seen, faults = Seen(), list[Inflicted]()
    async with under_load(made, ledger, RATE) as given:
        sampler = Sampler(made, given.accepted)
        sampler.start()
        others = [
            asyncio.create_task(_repeatedly(work, every_s))
            for work, every_s in (
                (lambda: _read(given, seen), READ_EVERY_S),
                (lambda: _command(given, seen), COMMAND_EVERY_S),
                (lambda: _follow(given, seen), 1.0),
            )
        ]
        began = time.monotonic()
        for number, fault in enumerate(schedule(int(MINUTES * 60 / FAULT_EVERY_S)), start=1):
            await asyncio.sleep(max(0.0, began + (number - 0.5) * FAULT_EVERY_S - time.monotonic()))
            faults.append(await _break(made, given, seen, fault, began))
            _show(faults[-1])
        await asyncio.sleep(max(0.0, began + MINUTES * 60 - time.monotonic()))
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        sampler.stop()
        undone = await _undone(given, seen)
    found = await asyncio.to_thread(audit, load(made.environment, None), ledger=ledger, timeout_s=AUDIT_WITHIN_S)
    return Soak(
        at=at.strftime("%Y-%m-%d %H:%M"),
        commit=_commit(),
        minutes=MINUTES,
        fault_every_s=FAULT_EVERY_S,
        seed=SEED,
        requests=sum(given.result.answers.values()),
        events=found.checked["events in the ledger, accepted"],
        retries=given.result.retries,
        commands=len(seen.connected),
        stream_messages=seen.messages,
        reads=seen.reads,
        faults=faults,
        found={kind.value: found.counts[kind] for kind in DefectKind} | {"commands not done once": undone},
        checked=dict(sorted(found.checked.items())),
        examples=[f"{kind.value} ({check}): {what}" for kind, check, what in found.examples],
        samples=sampler.samples,
        disk=sampler.disk,
    )


async def _break(made: Stack, given: Load, seen: Seen, fault: Fault, began: float) -> Inflicted:
    seen.is_calm = False
    at = time.monotonic()
    await asyncio.to_thread(inflict, made, fault)
    wanted = given.accepted() + FLOWING
    async with asyncio.timeout(FLOWS_WITHIN_S):
        while given.accepted() < wanted:
            assert not given.loading.done(), "the load ended"
            await asyncio.sleep(0.1)
    seen.is_calm = True
    return Inflicted(round(at - began, 1), fault.kind, fault.name, round(time.monotonic() - at, 1))


async def _repeatedly(work: Callable[[], Awaitable[None]], every_s: float) -> None:
    """What fails because a process is away is done again later."""
    while True:
        with suppress(*AWAY):
            await work()
        await asyncio.sleep(every_s)


async def _read(given: Load, seen: Seen) -> None:
    """The dashboard: five calls together. Counted if no fault was on its way meanwhile."""
    began, was_calm = time.perf_counter(), seen.is_calm
    site = given.target.website
    paths = [f"/api/platform/analytics/{call}?websiteId={site}&timeRange=7d" for call in CALLS]
    for answer in await asyncio.gather(*(given.app.get(path) for path in paths)):
        answer.raise_for_status()
    if was_calm and seen.is_calm:
        seen.reads.append(1000 * (time.perf_counter() - began))


async def _command(given: Load, seen: Seen) -> None:
    """Connects a website; the same one is sent again until it is done, and is done once."""
    name = f"w{uuid4().hex[:12]}.shop.example"
    headers = {"Idempotency-Key": str(uuid4())}
    while True:
        with suppress(*AWAY):
            answer = await given.app.post("/api/platform/websites", json={"domain": name}, headers=headers)
            answer.raise_for_status()
            seen.connected.append(name)
            return
        await asyncio.sleep(1.0)


async def _undone(given: Load, seen: Seen) -> int:
    """Websites that are not connected exactly once, though the command was acknowledged. Readers may be behind."""
    give_up = time.monotonic() + READ_WITHIN_S
    while True:
        with suppress(*AWAY):
            answer = (await given.app.get("/api/platform/websites")).raise_for_status()
            listed = Counter(site["domain"] for site in answer.json())
            undone = sum(listed[name] != 1 for name in seen.connected)
            if undone == 0 or time.monotonic() > give_up:
                return undone
        await asyncio.sleep(1.0)


async def _follow(given: Load, seen: Seen) -> None:
    """The live stream, until it breaks."""
    url = f"/api/platform/analytics/live?websiteId={given.target.website}"
    async with given.app.stream("GET", url, timeout=httpx.Timeout(30)) as answer:
        answer.raise_for_status()
        async for line in answer.aiter_lines():
            seen.messages += line.startswith("data: ")


def _show(fault: Inflicted) -> None:
    print(f"minute {fault.at / 60:.1f}: {fault.name} {fault.kind}, recovered after {fault.recovered_s} s", flush=True)


def _commit() -> str:
    command = ["git", "rev-parse", "--short", "HEAD"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip() or "unknown"


if __name__ == "__main__":
    sys.exit(main())
