"""Everything runs, traffic comes in, and one process after the other is killed: no number may be off afterwards.

The load generator writes down what it was promised; decisions are made meanwhile; `althing audit` compares the log with
every table and with the ledger. `CRASH_ROUNDS` (1) says how often every process is killed, `CRASH_RATE` (60) how many
requests come in a second, `CRASH_LOG` (kafka) which log is used, `CRASH_SEED` repeats a run.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

import httpx
import pytest

from infra.audit import audit
from infra.settings import load
from infra.stack.state import read
from tests.support.load import Result, run
from tests.support.stack import Stack, stack
from tests.support.traffic import Target, Traffic

ROUNDS = int(os.environ.get("CRASH_ROUNDS", "1"))
RATE = float(os.environ.get("CRASH_RATE", "60"))
SEED = int(os.environ.get("CRASH_SEED", str(random.SystemRandom().randrange(2**32))))
CALM_S = 1.5
"""Between two kills: long enough for traffic to flow again, short enough to meet the recovery of the last one."""
ADMIN = {"ALTHING_ADMIN_EMAIL": "admin@example.com", "ALTHING_ADMIN_PASSWORD": "a long enough password"}
LOG = {"ALTHING_LOG": os.environ.get("CRASH_LOG", "kafka")}
SUPERVISOR = "supervisor"

pytestmark = [pytest.mark.crash, pytest.mark.timeout(180 + 180 * ROUNDS)]


@pytest.fixture(scope="module")
def mine() -> Iterator[Stack]:
    with stack(ADMIN | LOG) as made:
        yield made


def test_killing_every_process_under_load_changes_no_number(mine: Stack, tmp_path: Path) -> None:
    print(f"seed {SEED}")
    ledger = tmp_path / "ledger.jsonl"
    result = asyncio.run(_load_and_kill(mine, ledger))
    print(json.dumps(result.as_json(), indent=1))
    assert sum(result.answers.values()) > 500, "there was too little traffic for the test to mean anything"
    assert not _refused_wrongly(result), f"seed {SEED}: what is right was refused: {_refused_wrongly(result)}"
    report = audit(load(mine.environment, env_file=None), ledger=ledger, timeout_s=90)
    print(report.as_text())
    assert report.is_clean, f"seed {SEED}\n{report.as_text()}"
    told = mine.run("audit", "--json")
    assert told.returncode == 0, told.stderr
    assert [json.loads(told.stdout)[kind] for kind in ("missing", "duplicate", "wrong")] == [0, 0, 0]
    for name in ("records of topic clicks", "conversion changes", "recorded duplicates", "refusals"):
        assert report.checked[name] > 0, f"nothing was compared: {name}"


def _refused_wrongly(result: Result) -> dict[str, int]:
    """Answers that a client takes as final though nothing was wrong with what it sent."""
    return {
        answer: count
        for answer, count in result.answers.items()
        if answer.rsplit(" ", 1)[1].startswith("4") and not answer.startswith(("nonsense", "unknown key"))
    }


async def _load_and_kill(mine: Stack, ledger: Path) -> Result:
    async with httpx.AsyncClient(base_url=mine.app, timeout=10) as app:
        target = await connected(app, mine.tracking)
        traffic = Traffic(target, SEED)
        done = asyncio.Event()
        loading = asyncio.create_task(
            run(
                target,
                ledger,
                seconds=float("inf"),
                rate=RATE,
                seed=SEED,
                settle_s=90,
                until=done.is_set,
                traffic=traffic,
            )
        )
        deciding = asyncio.create_task(_decide(app, traffic, done))
        try:
            await asyncio.sleep(CALM_S)
            for name in _kills(mine):
                assert not loading.done()
                await asyncio.to_thread(_kill, mine, name)
                await asyncio.sleep(CALM_S)
        finally:
            done.set()
        await deciding
        return await loading


def _kills(mine: Stack) -> Iterator[str]:
    rng = random.Random(SEED)
    state = read(mine.data_dir)
    assert state is not None
    running = sorted(row.name for row in state.processes)
    for _ in range(ROUNDS):
        names = [*running, SUPERVISOR]
        rng.shuffle(names)
        yield from names


def _kill(mine: Stack, name: str) -> None:
    print(f"kill -9 {name}")
    if name == SUPERVISOR:
        assert mine.process is not None
        mine.process.send_signal(signal.SIGKILL)
        mine.process.wait(10)
        mine.start()
        return
    state = read(mine.data_dir)
    assert state is not None
    restarts = next(row.restarts for row in state.processes if row.name == name)
    mine.kill(name)
    mine.wait_restarted(name, restarts + 1)


async def connected(app: httpx.AsyncClient, tracking: str) -> Target:
    """Signs in, adds a partner and connects a website with a link: what a load needs."""

    async def post(path: str, body: dict[str, object]) -> dict[str, str]:
        answer = await app.post(path, json=body, headers={"Idempotency-Key": str(uuid4())})
        assert answer.status_code in (200, 201), f"{path}: {answer.status_code} {answer.text}"
        made: dict[str, str] = answer.json()
        return made

    credentials = {"email": ADMIN["ALTHING_ADMIN_EMAIL"], "password": ADMIN["ALTHING_ADMIN_PASSWORD"]}
    app.headers["Authorization"] = f"Bearer {(await post('/api/platform/login', credentials))['token']}"
    partner = await post(
        "/api/admin/partners", {"name": "Shop", "baseUrl": "https://partner.example/offer", "commission": 12.5}
    )
    website = await post("/api/platform/websites", {"domain": "shop.example", "timezone": "UTC", "currency": "EUR"})
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
    """Approves, rejects and takes back sales; what fails because something is down is somebody else's next try."""
    rng = random.Random(SEED + 1)
    while not done.is_set():
        await asyncio.sleep(0.1)
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
