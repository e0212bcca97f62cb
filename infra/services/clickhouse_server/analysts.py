"""The analysts' way through the front: their own names and tokens, the gate, their limits, and the record of it all.

An analyst signs in with the account's e-mail address and a token made on the SQL page. Each statement is one that
`infra.analysts.gate` lets through, in the form that the gate wrote; it runs as a readonly user's with tighter limits.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import ParamSpec, TypeVar
from uuid import uuid4

import psycopg
from psycopg_pool import PoolTimeout

from infra import postgres
from infra.analysts import ledger, limits, people
from infra.analysts.ledger import Outcome
from infra.analysts.people import Analyst
from infra.analysts.tables import DATABASE
from infra.analysts.verdict import RUNS_IN, Refused, Unreadable, fill
from infra.analysts.vetting import Vetting
from infra.analysts.views import TooMany, row_filter
from infra.clickhouse_front import allowed
from infra.clickhouse_front.engine import Stats
from infra.clickhouse_front.errors import (
    ACCESS_DENIED,
    NETWORK_ERROR,
    QUERY_WAS_CANCELLED,
    READONLY,
    SYNTAX_ERROR,
    TOO_MANY_SIMULTANEOUS_QUERIES,
    UNKNOWN_DATABASE,
    ClickHouseError,
    error,
)
from infra.clickhouse_front.request import Request
from infra.clickhouse_front.sql import Statement, read_statement, tokens
from infra.clickhouse_front.users import User, credentials
from infra.settings import Settings

P = ParamSpec("P")
T = TypeVar("T")

DOOR = "clickhouse"
CONNECTIONS = 4

_DATABASES = ("", DATABASE, "default")
_SHOW = re.compile(r"show\s+(databases|tables)(?:\s+(?:from|in)\s+[`\"]?\w+[`\"]?)?", re.IGNORECASE)
_DESCRIBE = re.compile(r"desc(?:ribe)?\s+(?:table\s+)?(?:[`\"]?althing[`\"]?\.)?[`\"]?(\w+)[`\"]?", re.IGNORECASE)


@dataclass
class Passage:
    """One statement that was let in: what runs for it and as whom, and `stats` once they are known."""

    user: User
    request: Request
    statement: Statement
    statement_id: str
    stats: Stats = field(default_factory=Stats)


class Door:
    """Knows analysts and lets their statements pass. Its reads of Postgres have threads of their own."""

    def __init__(self, settings: Settings) -> None:
        self._pool = postgres.pool(settings, CONNECTIONS, least=0, configure=people.take_role)
        self._threads = ThreadPoolExecutor(CONNECTIONS, "analysts")
        self._vetting = Vetting()

    async def user(self, request: Request) -> User | None:
        """The analyst who asks, or None if these credentials are nobody's. Raises `ClickHouseError` 210 while nobody
        can be looked up."""
        name, token = credentials(request.headers, request.own)
        found = await self._do(people.of_token, self._pool, name, token)
        return None if found is None else User(found.email, b"", readonly=True, analyst=found)

    @asynccontextmanager
    async def passing(
        self, user: User, analyst: Analyst, request: Request, statement: Statement
    ) -> AsyncIterator[Passage]:
        """Lets the statement in, or raises `ClickHouseError`; writes its end down in either case."""
        statement_id = uuid4()
        text, asked_format = _without_format(statement.head)
        try:
            _refuse_odd(analyst, request, statement, asked_format)
            scope = await self._do(people.scope, self._pool, analyst)
            vetted = await self._vetting.vet(analyst.account_id, _select_for(text), scope.name)
            admitted = await self._do(fill, vetted, scope)
            await self._do(ledger.begin, self._pool, analyst, statement_id, DOOR, text, admitted.tables)
        except (Refused, TooMany, ledger.TooManyRunning, ClickHouseError) as refusal:
            failure = _refusal(refusal)
            if failure.code != NETWORK_ERROR:
                await self._do(ledger.refused, self._pool, analyst, statement_id, DOOR, text, str(refusal))
            raise failure from (refusal if failure is not refusal else None)
        runs = replace(read_statement(admitted.sql.encode()), output_format=asked_format)
        own = {**request.own, "database": RUNS_IN}
        limited = replace(user, limits={**limits.settings(), **row_filter(scope)})
        passage, started = Passage(limited, replace(request, own=own), runs, str(statement_id)), time.monotonic()
        outcome, message = "failed", ""
        try:
            yield passage
            outcome = "done"
        except ClickHouseError as failure:
            outcome = "cancelled" if failure.code == QUERY_WAS_CANCELLED else "failed"
            message = failure.text
            raise
        except (asyncio.CancelledError, GeneratorExit):
            outcome = "cancelled"
            raise
        finally:
            ms, stats = int((time.monotonic() - started) * 1000), passage.stats
            ended = Outcome(outcome, ms, message, stats.result_rows, stats.read_rows)
            with suppress(ClickHouseError):
                await asyncio.shield(self._do(ledger.end, self._pool, analyst, statement_id, ended))

    def close(self) -> None:
        self._vetting.close()
        self._threads.shutdown()
        self._pool.close()

    async def _do(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._threads, lambda: call(*args, **kwargs))
        except (psycopg.Error, PoolTimeout) as failure:
            raise error(NETWORK_ERROR, "Analysts cannot be looked up just now; please try again") from failure


def _refuse_odd(analyst: Analyst, request: Request, statement: Statement, asked_format: str | None) -> None:
    """Raises `Refused` or `ClickHouseError` for what a request may not be, whatever its statement says."""
    if statement.input_format is not None or request.external:
        raise Refused("Only SELECT statements can run here, without data of their own.")
    for name in (asked_format, request.default_format):
        if name is not None and name.lower() not in allowed.OUTPUT_FORMATS:
            raise Refused(f"The format {name[:40]} is not available here.")
    if (request.database or "") not in _DATABASES:
        raise error(UNKNOWN_DATABASE, f"Database {(request.database or '')[:80]} does not exist")
    if "max_rows_to_read" in request.settings and not analyst.is_admin:
        # how much was read tells of other websites' rows
        raise error(READONLY, "Cannot modify 'max_rows_to_read' setting in readonly mode")


def _refusal(refusal: Exception) -> ClickHouseError:
    if isinstance(refusal, ClickHouseError):
        return refusal
    if isinstance(refusal, ledger.TooManyRunning):
        most = f"Too many simultaneous queries of this analyst. Maximum: {limits.RUNNING}"
        return error(TOO_MANY_SIMULTANEOUS_QUERIES, most)
    return error(SYNTAX_ERROR if isinstance(refusal, Unreadable) else ACCESS_DENIED, str(refusal))


def _without_format(head: bytes) -> tuple[str, str | None]:
    """The statement without the `FORMAT name` and semicolon that clients put at its end, and that name."""
    found = [token for token in tokens(head) if token.depth == 0]
    if found and found[-1].text == b";":
        head = head[: found.pop().start]
    if len(found) > 2 and found[-2].word == "FORMAT" and found[-1].word:
        name = found[-1].text.decode("ascii")
        head = head[: found[-2].start]
        return head.decode("utf-8", "replace").strip(), name
    return head.decode("utf-8", "replace").strip(), None


def _select_for(text: str) -> str:
    """The SELECT that answers `SHOW TABLES`, `SHOW DATABASES` and `DESCRIBE TABLE`; any other text as it is."""
    if show := _SHOW.fullmatch(text):
        return f"SELECT name FROM system.{show.group(1).lower()} ORDER BY name"  # noqa: S608 - one of two words
    if describe := _DESCRIBE.fullmatch(text):
        return (
            "SELECT name, type, '' AS default_type, '' AS default_expression, comment, '' AS codec_expression,"  # noqa: S608 - own text
            f" '' AS ttl_expression FROM system.columns WHERE table = '{describe.group(1)}' ORDER BY position"
        )
    return text
