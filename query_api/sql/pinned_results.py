"""Results of pinned charts, kept for some minutes, so that an open dashboard runs few statements.

One statement of a person at a time, and few of all persons; equal requests that wait for it get its result. What a
person may see is part of the key, so a website that is taken away ends its stored results.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Final
from uuid import UUID
from weakref import WeakValueDictionary

import anyio.to_thread
from fastapi import Request

from infra.domain.sql_access import analyst_accounts
from infra.domain.sql_access.analyst_accounts import Analyst
from infra.kernel.security.sessions import Pool
from query_api.sql.execution import StatementRunner
from query_api.sql.statements import SqlQuestion, run_to_end

AS_OF: Final = "X-As-Of"
DOOR: Final = "dashboard"
KEPT_S: Final = 300.0
FRESH_S: Final = 10.0
"""A stored result that is younger is given also to who wants a new one."""

ROWS: Final = 500
"""As many as a chart draws."""

MAX_BYTES: Final = 1 << 20
MAX_STORED_BYTES: Final = 64 << 20
MAX_RUNNING: Final = 4
"""Statements of all dashboards in this process."""

Key = tuple[UUID, bool, frozenset[UUID] | None, str, tuple[tuple[str, str], ...]]


@dataclass(frozen=True, slots=True)
class PinnedResult:
    """A result as JSON, and when it was read. `kept_from`: single events of earlier UTC days have expired."""

    body: bytes
    as_of: datetime
    stored_at: float
    kept_from: date | None


class PinnedResults:
    """Lives in the event loop's thread."""

    def __init__(self, runner: StatementRunner) -> None:
        self._runner = runner
        self._stored: OrderedDict[Key, PinnedResult] = OrderedDict()
        self._turns: WeakValueDictionary[UUID, asyncio.Lock] = WeakValueDictionary()
        self._all = asyncio.Semaphore(MAX_RUNNING)

    async def get(
        self, pool: Pool, person: Analyst, sql: str, parameters: Mapping[str, str], *, refresh: bool
    ) -> PinnedResult:
        """The stored result, or that of a new run. Raises `Problem`."""
        scope = await anyio.to_thread.run_sync(analyst_accounts.scope, pool, person)
        key: Key = (person.account_id, person.is_admin, scope.websites, sql, tuple(sorted(parameters.items())))
        most = FRESH_S if refresh else KEPT_S
        if stored := self._younger_than(most, key):
            return stored
        turn = self._turns.setdefault(person.account_id, asyncio.Lock())
        async with turn:
            if stored := self._younger_than(most, key):
                return stored
            async with self._all:
                as_of = datetime.now(UTC)
                question = SqlQuestion.named(sql=sql, parameters=dict(parameters), max_rows=ROWS)
                body, kept_from = await run_to_end(pool, self._runner, person, question, DOOR, MAX_BYTES)
        return self._store(key, PinnedResult(body, as_of, time.monotonic(), kept_from))

    def _younger_than(self, seconds: float, key: Key) -> PinnedResult | None:
        stored = self._stored.get(key)
        return stored if stored is not None and time.monotonic() - stored.stored_at < seconds else None

    def _store(self, key: Key, result: PinnedResult) -> PinnedResult:
        self._stored.pop(key, None)
        self._stored[key] = result
        size = sum(len(one.body) for one in self._stored.values())
        while size > MAX_STORED_BYTES:
            size -= len(self._stored.popitem(last=False)[1].body)
        return result


async def pinned_results(request: Request) -> PinnedResults:
    """Dependency: the process's results, set by `query_api.app`."""
    results: PinnedResults = request.app.state.pinned_results
    return results
