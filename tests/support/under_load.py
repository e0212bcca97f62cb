"""A running stack with traffic coming in and decisions being made, and the audit afterwards: for tests that break it.

`CRASH_RATE` (10) says how many requests come in a second, `CRASH_SEED` gives another run.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import threading
from collections.abc import AsyncIterator, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol
from uuid import uuid4

import httpx

from infra.kernel.config.loading import load
from infra.ops.audit.command import audit
from infra.ops.audit.report import AuditReport
from tests.support.load import Result, run
from tests.support.traffic import Target, Traffic

RATE = float(os.environ.get("CRASH_RATE", "10"))
SEED = int(os.environ.get("CRASH_SEED", "20260517"))
ADMIN = {"ALTHING_ADMIN_EMAIL": "admin@example.com", "ALTHING_ADMIN_PASSWORD": "a long enough password"}
SELDOM = {"ALTHING_INSERT_INTERVAL_MS": "5000"}
"""For stacks that are under load for minutes: inserts are what costs most, and nobody looks at the live view."""
_SETTLE_S = 90.0
_DECIDE_EVERY_S = 0.5


class Installation(Protocol):
    """What is under load: a stack, or services that a test starts itself."""

    app: str
    tracking: str

    @property
    def environment(self) -> Mapping[str, str]:
        """The settings that reach its engines."""


@dataclass
class Load:
    """What runs beside a test. `app` is signed in. `result` counts as it comes, and is whole after the block."""

    app: httpx.AsyncClient
    target: Target
    loading: asyncio.Task[Result]
    result: Result

    def accepted(self) -> int:
        return sum(count for answer, count in self.result.answers.items() if answer.endswith((" 202", " 302")))


@asynccontextmanager
async def under_load(mine: Installation, ledger: Path, rate: float = RATE) -> AsyncIterator[Load]:
    """Traffic, `rate` requests a second, and decisions as long as the block runs; at its end everything that was sent
    gets its answer."""
    print(f"seed {SEED}")
    async with httpx.AsyncClient(base_url=mine.app, timeout=10) as app:
        target = await connected(app, mine.tracking)
        traffic, result, done = Traffic(target, SEED), Result(SEED), asyncio.Event()
        loading = asyncio.create_task(
            run(
                target,
                ledger,
                seconds=float("inf"),
                rate=rate,
                seed=SEED,
                settle_s=_SETTLE_S,
                until=done.is_set,
                traffic=traffic,
                result=result,
            )
        )
        deciding = asyncio.create_task(_decide(app, traffic, done))
        try:
            yield Load(app, target, loading, result)
        finally:
            done.set()
            await asyncio.gather(deciding, loading)
    print(json.dumps(result.as_json(), indent=1))


@contextmanager
def loading(mine: Installation, ledger: Path) -> Iterator[Load]:
    """`under_load` in a thread, for a block that waits and starts processes itself: a process that is to end with its
    parent ends with the thread that started it."""
    begun, over, loads = threading.Event(), threading.Event(), list[Load]()

    async def run_until_over() -> None:
        async with under_load(mine, ledger) as load:
            loads.append(load)
            begun.set()
            await asyncio.to_thread(over.wait)

    with ThreadPoolExecutor(1) as thread:
        running = thread.submit(asyncio.run, run_until_over())
        running.add_done_callback(lambda _: begun.set())
        begun.wait()
        try:
            if loads:
                yield loads[0]
        finally:
            over.set()
            running.result()


def assert_exact(mine: Installation, result: Result, ledger: Path) -> AuditReport:
    """No number may be off: the log, every table and the ledger agree, and nothing right was refused."""
    assert_answered(result)
    report = audit(load(mine.environment, env_file=None), ledger=ledger, timeout_s=90)
    print(report.as_text())
    assert report.is_clean, f"seed {SEED}\n{report.as_text()}"
    for name in ("records of topic clicks", "conversion changes", "recorded duplicates", "refusals"):
        assert report.checked[name] > 0, f"nothing was compared: {name}"
    return report


def assert_answered(result: Result) -> None:
    """There was traffic, and nothing right was refused."""
    assert sum(result.answers.values()) >= 50, "there was too little traffic for the test to mean anything"
    assert not _refused_wrongly(result), f"seed {SEED}: what is right was refused: {_refused_wrongly(result)}"


async def connected(app: httpx.AsyncClient, tracking: str) -> Target:
    """Signs in, adds a partner and connects a website with a link: what a load needs."""
    name = uuid4().hex[:8]

    async def post(path: str, body: Mapping[str, object]) -> dict[str, str]:
        answer = await app.post(path, json=body, headers={"Idempotency-Key": str(uuid4())})
        assert answer.status_code in (200, 201), f"{path}: {answer.status_code} {answer.text}"
        made: dict[str, str] = answer.json()
        return made

    credentials = {"email": ADMIN["ALTHING_ADMIN_EMAIL"], "password": ADMIN["ALTHING_ADMIN_PASSWORD"]}
    app.headers["Authorization"] = f"Bearer {(await post('/api/platform/login', credentials))['token']}"
    partner = await post(
        "/api/admin/partners", {"name": f"Shop {name}", "baseUrl": "https://partner.example/offer", "commission": 12.5}
    )
    website = await post(
        "/api/platform/websites", {"domain": f"{name}.shop.example", "timezone": "UTC", "currency": "EUR"}
    )
    link = await post(
        "/api/platform/links",
        {
            "websiteId": website["id"],
            "partnerId": partner["id"],
            "destination": "https://partner.example/offer?click_id={click_id}",
        },
    )
    return Target(
        tracking,
        website["id"],
        website["siteKey"],
        website["secretKey"],
        website["postbackToken"],
        (link["slug"],),
    )


async def _decide(app: httpx.AsyncClient, traffic: Traffic, done: asyncio.Event) -> None:
    """Approves, rejects and takes back sales; what fails because an engine is down is retried later."""
    rng = random.Random(SEED + 1)
    while not done.is_set():
        await asyncio.sleep(_DECIDE_EVERY_S)
        if not traffic.sales:
            continue
        path = f"/api/platform/conversions/{rng.choice(list(traffic.sales))}"
        step, body = rng.choice(
            [
                ("approve", {}),
                ("approve", {}),
                ("reject", {"reason": "test order"}),
                ("reverse", {"reason": "sent back", "amount": 1}),
                ("reverse", {"reason": "sent back"}),
            ]
        )
        with suppress(httpx.TransportError):
            answer = await app.post(f"{path}/{step}", json=body, headers={"Idempotency-Key": str(uuid4())})
            assert answer.status_code not in (400, 422), answer.text


def _refused_wrongly(result: Result) -> dict[str, int]:
    """Answers that a client takes as final though nothing was wrong with what it sent."""
    return {
        answer: count
        for answer, count in result.answers.items()
        if answer.rsplit(" ", 1)[1].startswith("4") and not answer.startswith(("nonsense", "unknown key"))
    }
