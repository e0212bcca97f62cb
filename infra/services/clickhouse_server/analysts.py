"""Analysts' access to the ClickHouse port: authentication, validation, limits, and the statement log.

An analyst signs in with the account's email address and a token made on the SQL page. Each statement runs as
`infra.domain.sql_access.sql_validator` rewrote it, as a readonly user's with tighter limits. Errors are about what the
analyst wrote, as on the SQL page (`infra.domain.sql_access.faults`), with ClickHouse's code and form.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from typing import ParamSpec, TypeVar
from uuid import UUID, uuid4

import psycopg
from psycopg_pool import PoolTimeout

from infra.domain.sql_access import analyst_accounts, client_statements, limits, statement_log
from infra.domain.sql_access.analyst_accounts import Analyst
from infra.domain.sql_access.client_statements import ClientStatement, UnknownTable
from infra.domain.sql_access.faults import explain
from infra.domain.sql_access.running_statements import RunningStatement, RunningStatements
from infra.domain.sql_access.statement_log import StatementOutcome
from infra.domain.sql_access.tables import DATABASE
from infra.domain.sql_access.validation_result import (
    EXECUTION_DATABASE,
    ExecutableStatement,
    StatementRejected,
    StatementUnreadable,
    fill,
)
from infra.domain.sql_access.validator_pool import ValidatorPool
from infra.domain.sql_access.views import Scope, TooManyNames, row_filter
from infra.kernel.config.settings import Settings
from infra.kernel.postgres import pool
from infra.services.clickhouse_server import allow_list
from infra.services.clickhouse_server.analyst_queries import AnalystStatement
from infra.services.clickhouse_server.errors import ClickHouseError, Code, error, explained
from infra.services.clickhouse_server.request import ClickHouseRequest
from infra.services.clickhouse_server.sql import ParsedStatement, read_statement, tokens
from infra.services.clickhouse_server.users import PortUser, credentials

P = ParamSpec("P")
T = TypeVar("T")

ENTRY_POINT = "clickhouse"
CONNECTIONS = 4

_DATABASES = ("", DATABASE, "default")
_REFUSALS = (StatementRejected, TooManyNames, UnknownTable, statement_log.TooManyRunning, ClickHouseError)


class AnalystAuthenticator:
    """Authenticates analysts and lets their statements pass. Its reads of Postgres have threads of their own."""

    def __init__(self, settings: Settings) -> None:
        self._pool = pool.pool(settings, CONNECTIONS, least=0, configure=analyst_accounts.set_reader_role)
        self._threads = ThreadPoolExecutor(CONNECTIONS, "analysts")
        self._vetting = ValidatorPool()
        self._statements = RunningStatements(settings.postgres_url or "", self._do)

    async def user(self, request: ClickHouseRequest) -> PortUser | None:
        """The authenticated analyst, or None for unknown credentials. Raises `ClickHouseError` 210 while accounts
        cannot be looked up."""
        name, token = credentials(request.headers, request.own)
        analyst = await self._do(analyst_accounts.analyst_of_token, self._pool, name, token)
        return None if analyst is None else PortUser(analyst.email, b"", readonly=True, analyst=analyst)

    @asynccontextmanager
    async def authorize(
        self, user: PortUser, analyst: Analyst, request: ClickHouseRequest, statement: ParsedStatement
    ) -> AsyncIterator[AnalystStatement]:
        """Lets the statement in, or raises `ClickHouseError`; it counts as running until its `end`, or until the block
        is left before."""
        text, asked_format = _without_format(statement.head)
        async with AsyncExitStack() as stack:
            entry = _LoggedStatement(analyst, uuid4(), text, asked_format)
            running, authorized = await self._admitted(stack, entry, user, request, statement)

            async def end() -> None:
                running.outcome = _outcome(running, authorized, "done")
                await stack.aclose()

            authorized.end = end
            try:
                yield authorized
            except ClickHouseError as failure:
                reworded = explained(failure, text)
                ended = "cancelled" if failure.code == Code.QUERY_WAS_CANCELLED else "failed"
                running.outcome = _outcome(running, authorized, ended, reworded.text)
                raise reworded from failure

    async def _admitted(
        self,
        stack: AsyncExitStack,
        entry: _LoggedStatement,
        user: PortUser,
        request: ClickHouseRequest,
        statement: ParsedStatement,
    ) -> tuple[RunningStatement, AnalystStatement]:
        """The statement, validated and recorded; it runs until `stack` ends."""
        analyst, text = entry.analyst, entry.text
        try:
            _reject_unsupported(analyst, request, statement, entry.asked_format)
            scope = await self._do(analyst_accounts.scope, self._pool, analyst)
            asked = client_statements.read(text)
            executable = await self._executable(analyst, asked, scope)
            recorded = self._statements.running(
                self._pool, analyst, entry.statement_id, ENTRY_POINT, text, executable.tables
            )
            running = await stack.enter_async_context(recorded)
        except _REFUSALS as refusal:
            failure = explained(_to_error(refusal), text)
            if failure.code != Code.NETWORK_ERROR:
                message = explain(str(refusal), text).message
                await self._do(
                    statement_log.record_rejected, self._pool, analyst, entry.statement_id, ENTRY_POINT, text, message
                )
            raise failure from (refusal if failure is not refusal else None)
        runs = replace(read_statement(executable.sql.encode()), output_format=entry.asked_format)
        own = {**request.own, "database": EXECUTION_DATABASE}
        granted = {**limits.settings(), **row_filter(scope)}
        account, inside = str(analyst.account_id), replace(request, own=own)
        rest = str(entry.statement_id), executable.data, executable.kept_from
        return running, AnalystStatement(account, inside, runs, user, granted, *rest)

    async def _executable(self, analyst: Analyst, asked: ClientStatement, scope: Scope) -> ExecutableStatement:
        validated = await self._vetting.validate(analyst.account_id, asked.select, scope.name)
        executable = await self._do(fill, validated, scope)
        if asked.kind == "explain":
            explanation = client_statements.explained(asked.select, executable.tables)
            return replace(
                await self._executable(analyst, ClientStatement(explanation), scope), tables=executable.tables
            )
        if asked.kind == "describe":
            return replace(executable, sql=f"DESCRIBE TABLE ({executable.sql})", kept_from=None)
        return executable

    def close(self) -> None:
        self._vetting.close()
        self._statements.close()
        self._threads.shutdown()
        self._pool.close()

    async def _do(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return await asyncio.wrap_future(self._threads.submit(call, *args, **kwargs))
        except (psycopg.Error, PoolTimeout) as failure:
            raise error(Code.NETWORK_ERROR, "Analysts cannot be looked up just now; please try again") from failure


@dataclass(frozen=True, slots=True)
class _LoggedStatement:
    """A statement as it came: its text without the FORMAT at its end."""

    analyst: Analyst
    statement_id: UUID
    text: str
    asked_format: str | None


def _outcome(
    running: RunningStatement, authorized: AnalystStatement, outcome: str, message: str = ""
) -> StatementOutcome:
    ms, stats = int((time.monotonic() - running.started) * 1000), authorized.stats
    return StatementOutcome(outcome, ms, message, stats.result_rows, stats.read_rows)


def _reject_unsupported(
    analyst: Analyst, request: ClickHouseRequest, statement: ParsedStatement, asked_format: str | None
) -> None:
    """Raises `StatementRejected` or `ClickHouseError` for what a request may not be, whatever its statement says."""
    if statement.input_format is not None or request.external:
        raise StatementRejected("Only SELECT statements can run here, without data of their own.")
    for name in (asked_format, request.default_format):
        if name is not None and name.lower() not in allow_list.OUTPUT_FORMATS:
            raise StatementRejected(f"The format {name[:40]} is not available here.")
    if (request.database or "") not in _DATABASES:
        raise error(Code.UNKNOWN_DATABASE, f"Database {(request.database or '')[:80]} does not exist")
    if not analyst.is_admin and _lowers(request.settings.get("max_rows_to_read", "0")):
        # the number of read rows would leak information about other websites' rows
        raise error(Code.READONLY, "Cannot modify 'max_rows_to_read' setting in readonly mode")


def _lowers(max_rows: str) -> bool:
    """Returns whether the value is less than the limit that holds anyway."""
    try:
        return float(max_rows) != 0 and not float(max_rows) >= limits.ROWS_READ
    except ValueError:
        return True


def _to_error(refusal: Exception) -> ClickHouseError:
    if isinstance(refusal, ClickHouseError):
        return refusal
    if isinstance(refusal, statement_log.TooManyRunning):
        most = f"Too many simultaneous queries of this analyst. Maximum: {limits.RUNNING}"
        return error(Code.TOO_MANY_SIMULTANEOUS_QUERIES, most)
    if isinstance(refusal, UnknownTable):
        return error(Code.UNKNOWN_TABLE, str(refusal).rstrip("."))
    return error(Code.SYNTAX_ERROR if isinstance(refusal, StatementUnreadable) else Code.ACCESS_DENIED, str(refusal))


def _without_format(head: bytes) -> tuple[str, str | None]:
    """The statement without the `FORMAT name` and semicolon that clients put at its end, and that name."""
    outer = [token for token in tokens(head) if token.depth == 0]
    if outer and outer[-1].text == b";":
        head = head[: outer.pop().start]
    if len(outer) > 2 and outer[-2].word == "FORMAT" and outer[-1].word:
        name = outer[-1].text.decode("ascii")
        head = head[: outer[-2].start]
        return head.decode("utf-8", "replace").strip(), name
    return head.decode("utf-8", "replace").strip(), None
