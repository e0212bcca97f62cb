"""Given pinned charts, when a dashboard reads them, then few statements run, one at a time for each person."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, cast
from uuid import uuid4

import pytest

from infra.domain.sql_access import analyst_accounts
from infra.domain.sql_access.analyst_accounts import Analyst
from infra.domain.sql_access.views import Scope
from query_api.sql import pinned_results
from query_api.sql.pinned_results import PinnedResults

ADA = Analyst(uuid4(), "ada@example.com", is_admin=False)
SITE = uuid4()


class Engine:
    """Counts statements, and how many run at the same time."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.ran: list[str] = []
        self.running = self.most = 0
        self.websites = frozenset({SITE})
        self.results = PinnedResults(cast(Any, None))
        monkeypatch.setattr(pinned_results, "run_to_end", self._run)
        monkeypatch.setattr(analyst_accounts, "scope", lambda *_: Scope("", self.websites, lambda _: []))

    async def get(self, sql: str, *, refresh: bool = False, **parameters: str) -> bytes:
        return (await self.results.get(cast(Any, None), ADA, sql, parameters, refresh=refresh)).body

    async def _run(self, _pool: Any, _runner: Any, _person: Analyst, question: Any, *_: Any) -> tuple[bytes, None]:
        self.running += 1
        self.most = max(self.most, self.running)
        await asyncio.sleep(0)
        self.running -= 1
        self.ran.append(question.sql)
        return f"{question.sql} {len(self.ran)}".encode(), None


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Engine:
    return Engine(monkeypatch)


def run(work: Callable[[], Awaitable[None]]) -> None:
    async def main() -> None:
        await work()

    asyncio.run(main())


def test_equal_requests_share_one_statement_and_others_wait_for_their_turn(engine: Engine) -> None:
    async def work() -> None:
        await asyncio.gather(*(engine.get(sql) for sql in ("a", "a", "b", "c", "a")))
        assert (sorted(engine.ran), engine.most) == (["a", "b", "c"], 1)
        assert await engine.get("a", site="1") != await engine.get("a"), "other parameters, another result"

    run(work)


def test_a_refresh_runs_again_what_is_not_new(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    async def work() -> None:
        first = await engine.get("a")
        assert await engine.get("a", refresh=True) == first
        monkeypatch.setattr(pinned_results, "FRESH_S", 0)
        second = await engine.get("a", refresh=True)
        assert second != first and await engine.get("a") == second

    run(work)


def test_a_website_that_is_taken_away_ends_its_stored_results(engine: Engine) -> None:
    async def work() -> None:
        before = await engine.get("a")
        engine.websites = frozenset()
        assert await engine.get("a") != before

    run(work)


def test_stored_results_are_bounded(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pinned_results, "MAX_STORED_BYTES", 6)

    async def work() -> None:
        for sql in ("a", "b", "c", "c", "a"):
            await engine.get(sql)
        assert engine.ran == ["a", "b", "c", "a"]

    run(work)
