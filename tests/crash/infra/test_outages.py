"""An engine is away for a while, or hangs, under load: tracking goes on, readers get a clear word, nothing is lost.

`CRASH_OUTAGE_S` says for how long: 5 s, or 12 s for a Postgres that hangs, which is longer than any wait for it.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import httpx
import pytest

from tests.support.load import Result
from tests.support.outages import freeze, keep_down
from tests.support.readiness import answers
from tests.support.stack import Stack, wait_for
from tests.support.under_load import Load, assert_exact, under_load

OUTAGE_S = float(os.environ.get("CRASH_OUTAGE_S", "5"))
HANGING_POSTGRES_S = float(os.environ.get("CRASH_OUTAGE_S", "12"))
CONCURRENCY = 8
"""Commands that are under way whatever the moment."""
PATIENCE_S = 60.0
"""What a reader waits at most for the word that an engine is away; it is meant to come within 2 s, and on no machine
after the engine is there again: then it would be no 503."""

pytestmark = [pytest.mark.crash, pytest.mark.timeout(300 + HANGING_POSTGRES_S * 4)]


class Told:
    """Answers of the web app's port: the request, the status, and the seconds until the answer."""

    def __init__(self, load: Load) -> None:
        self.answers: list[tuple[str, int, float]] = []
        self.sent: dict[str, str] = {}
        """Domains of the attempts to connect a website, by idempotency key."""
        self._app = load.app

    async def ask(self, what: str, path: str) -> None:
        await self._send(what, self._app.build_request("GET", path))

    async def command(self, what: str, domain: str = "") -> bool:
        """Connects a website, or tries again to connect that one; gives whether it is done."""
        domain = domain or f"w{uuid4().hex[:12]}.shop.example"
        headers = {"Idempotency-Key": self.sent.setdefault(domain, str(uuid4()))}
        path = "/api/platform/websites"
        return await self._send(what, self._app.build_request("POST", path, json={"domain": domain}, headers=headers))

    async def _send(self, what: str, request: httpx.Request) -> bool:
        began = time.monotonic()
        answer = await self._app.send(request)
        self.answers.append((what, answer.status_code, round(time.monotonic() - began, 2)))
        if answer.status_code == 503:
            assert int(answer.headers["retry-after"]) >= 1
            assert answer.headers["content-type"].startswith("application/problem+json")
        return answer.status_code in (200, 201)

    async def until_a_command_is_taken(self) -> None:
        for _ in range(200):
            if await self.command("after"):
                return
            await asyncio.sleep(0.3)
        raise AssertionError("no command is taken any more")

    def statuses(self, what: str) -> set[int]:
        return {status for asked, status, _ in self.answers if asked == what}

    async def each_is_connected_once(self) -> None:
        """Every command that was tried comes to its end when it is sent again, and has happened once."""
        for domain in self.sent:
            assert await self.command("again", domain)
        for _ in range(600):
            answer = await self._app.get("/api/platform/websites")
            listed = [site["domain"] for site in answer.json()] if answer.status_code == 200 else []
            if set(self.sent) <= set(listed):
                break
            await asyncio.sleep(0.1)
        assert [listed.count(domain) for domain in self.sent] == [1] * len(self.sent)


@pytest.mark.parametrize(
    ("name", "disturb"),
    [
        pytest.param("postgres", freeze, id="postgres-freeze"),
        pytest.param("clickhouse", keep_down, marks=pytest.mark.slow, id="clickhouse-keep_down"),
        pytest.param("postgres", keep_down, marks=pytest.mark.slow, id="postgres-keep_down"),
        pytest.param("clickhouse", freeze, marks=pytest.mark.slow, id="clickhouse-freeze"),
    ],
)
def test_without_an_engine_tracking_goes_on_and_all_catches_up(
    loaded: Stack, tmp_path: Path, name: str, disturb: Callable[[Stack, str, float], None]
) -> None:
    ledger = tmp_path / "ledger.jsonl"
    length = HANGING_POSTGRES_S if (name, disturb) == ("postgres", freeze) else OUTAGE_S

    async def break_it() -> tuple[Result, Told]:
        async with under_load(loaded, ledger) as load:
            load.app.timeout = httpx.Timeout(PATIENCE_S)
            told, breaking = Told(load), asyncio.Event()
            overview = f"/api/platform/analytics/overview?websiteId={load.target.website}"

            async def command_until_away() -> None:
                while await told.command("busy") or not breaking.is_set():
                    pass

            await told.ask("before", overview)
            accepted = load.accepted()
            async with asyncio.TaskGroup() as busy:
                if name == "postgres":
                    for _ in range(CONCURRENCY):
                        busy.create_task(command_until_away())
                broken = asyncio.create_task(asyncio.to_thread(disturb, loaded, name, time.monotonic() + length))
                breaking.set()
                await asyncio.sleep(0.5)
            before = load.accepted()
            while not broken.done():
                await told.ask("analytics", overview)
                if name == "postgres":
                    await told.command("command")
                await asyncio.sleep(0.3)
            await broken
            over = time.monotonic()
            assert load.accepted() > max(before, accepted), "tracking stood still"
            assert not [answer for answer in load.result.answers if answer.endswith(" 500")]
            await told.until_a_command_is_taken()
            print(f"a command is taken {time.monotonic() - over:.1f} s after")
            await asyncio.to_thread(wait_for, lambda: _is_ready(loaded), "everything to be ready again")
            await told.ask("at last", overview)
            await told.each_is_connected_once()
        return load.result, told

    result, told = asyncio.run(break_it())
    print([answer for answer in told.answers if answer[0] not in ("busy", "again")])
    print("slowest:", max(told.answers, key=lambda answer: answer[2]))
    assert told.statuses("before") == told.statuses("at last") == {200}
    assert 503 in told.statuses("analytics") <= {200, 503}
    assert told.statuses("busy") | told.statuses("command") <= {201, 503}
    assert_exact(loaded, result, ledger)


def _is_ready(loaded: Stack) -> bool:
    return answers(f"{loaded.app}/readyz")
