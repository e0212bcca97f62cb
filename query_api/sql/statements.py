"""`POST /api/platform/sql` and `DELETE /api/platform/sql/{queryId}`: an analyst's statement, run and stopped."""

from __future__ import annotations

import asyncio
import csv
import io
import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Final, Literal, ParamSpec, TypeVar
from uuid import UUID, uuid4

import anyio
import anyio.to_thread
import orjson
import psycopg
from fastapi import APIRouter, Depends, Path, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, ConfigDict, Field, StringConstraints
from starlette.types import Receive, Scope, Send

from infra.domain.sql_access import analyst_accounts, limits, statement_log
from infra.domain.sql_access.analyst_accounts import Analyst
from infra.domain.sql_access.faults import explain
from infra.domain.sql_access.parameters import BadParameter, bind
from infra.domain.sql_access.statement_log import Outcome
from infra.domain.sql_access.validation_result import StatementRejected, fill
from infra.domain.sql_access.views import TooManyNames, row_filter
from infra.kernel.http.problems import FieldError, Problem
from infra.kernel.security.sessions import Pool, Principal, refuse_cross_site
from query_api.kernel.authorization import not_found
from query_api.kernel.dependencies import Context, current_principal
from query_api.sql.execution import TABLES_READ_AT, Answer, Failed, StatementRunner, until_gone
from query_api.sql.safe_csv import PlainCsv

P = ParamSpec("P")
T = TypeVar("T")
router = APIRouter(prefix="/api/platform/sql", tags=["sql"])

DOOR: Final = "sql page"
Format = Literal["json", "csv", "ndjson", "parquet"]
_ACCEPT: Final[Mapping[str, Format]] = {
    "text/csv": "csv",
    "application/x-ndjson": "ndjson",
    "application/vnd.apache.parquet": "parquet",
}
_MEDIA: Final[Mapping[str, str]] = {
    "json": "application/json",
    "csv": "text/csv; charset=utf-8",
    "ndjson": "application/x-ndjson",
    "parquet": "application/vnd.apache.parquet",
}


def analyst(principal: Annotated[Principal, Depends(current_principal)]) -> Analyst:
    """Dependency: the principal as an analyst. Raises `Problem` 403 unless analyst or admin."""
    if not analyst_accounts.ROLES & principal.roles:
        raise Problem(403, "not_allowed", "Only analysts and admins may do this.")
    return Analyst(principal.account_id, principal.email, principal.is_admin)


def same_site(request: Request, context: Context) -> None:
    """Raises `Problem` 403 for a request that another site's page may have made."""
    refuse_cross_site(request.headers, request.method, context.settings.app_url)


async def statement_runner(request: Request) -> StatementRunner:
    """Dependency: the process's runner, set by `query_api.app`."""
    found: StatementRunner = request.app.state.statement_runner
    return found


AnAnalyst = Annotated[Analyst, Depends(analyst)]
Runner = Annotated[StatementRunner, Depends(statement_runner)]


class SqlQuestion(BaseModel):
    """One SELECT. `parameters` are the values of `{name:Type}` in it."""

    model_config = ConfigDict(extra="forbid", strict=True, hide_input_in_errors=True)

    sql: Annotated[str, StringConstraints(min_length=1, max_length=limits.TEXT_BYTES)]
    queryId: Annotated[
        UUID | None,
        Field(strict=False, description="Identifies the statement for cancellation; generated when omitted"),
    ] = None
    format: Format | None = Field(None, description="Default: from Accept, else JSON")
    maxRows: Annotated[int, Field(ge=1, le=limits.MAX_PAGE_ROWS, description="Rows of a JSON response")] = (
        limits.PAGE_ROWS
    )
    parameters: Annotated[dict[str, str], Field(default_factory=dict, max_length=100)]


class ResultColumn(BaseModel):
    """A column of the result. `type`: its ClickHouse type."""

    name: str
    type: str


class RunStatistics(BaseModel):
    """What the statement returned and read, and how long it took."""

    rows: int
    rowsRead: int | None = Field(
        description="Null unless the caller is an admin: it counts rows of other accounts, too"
    )
    elapsedMs: int


class SqlResult(BaseModel):
    """A JSON answer. 64-bit integers are text, as JSON's readers cannot hold them."""

    queryId: UUID
    columns: list[ResultColumn]
    rows: list[list[Any]]
    truncated: bool = Field(description="There are more rows than maxRows")
    statistics: RunStatistics


@dataclass(frozen=True, slots=True)
class _RunningStatement:
    """A statement that is recorded and runs."""

    pool: Pool
    runner: StatementRunner
    analyst: Analyst
    id: UUID

    async def end(self, outcome: Outcome) -> None:
        with anyio.CancelScope(shield=True), suppress(psycopg.Error):
            await _in_thread(statement_log.end, self.pool, self.analyst, self.id, outcome)

    async def failed(self, failure: Failed, sql: str) -> Problem:
        """Records the failure; returns what it says about the text `sql`."""
        explained = failure.explained(sql)
        await self.end(Outcome(explained.outcome, 0, explained.message))
        return explained.problem()


@router.post(
    "",
    dependencies=[Depends(same_site)],
    response_class=Response,
    responses={
        200: {"model": SqlResult, "content": {media.partition(";")[0]: {} for media in list(_MEDIA.values())[1:]}}
    },
)
async def run_sql(
    request: Request, question: SqlQuestion, context: Context, runner: Runner, person: AnAnalyst
) -> Response:
    """Runs one SELECT over the tables of `/api/platform/sql/schema` and returns its rows."""
    format_ = question.format or _ACCEPT.get(request.headers.get("accept", "").partition(";")[0].strip(), "json")
    begun, sql, parameters, walls = await _begin(context.pool, runner, person, question, DOOR)
    disconnected = asyncio.create_task(_disconnected(request))
    work = asyncio.create_task(
        runner.start(begun.id, person.account_id, sql, format_, parameters, question.maxRows, walls)
    )
    try:
        answer = await until_gone(disconnected, work)
    except Failed as failure:
        raise await begun.failed(failure, question.sql) from failure
    finally:
        disconnected.cancel()
    if answer is None:
        with anyio.CancelScope(shield=True):
            await runner.gone(begun.id)
        await begun.end(Outcome("cancelled", 0))
        raise Problem(409, "cancelled", "The statement was canceled.")
    headers = {"X-Query-Id": str(begun.id), "X-Content-Type-Options": "nosniff"}
    if read_at := answer.response.headers.get(TABLES_READ_AT):
        headers[TABLES_READ_AT] = read_at
    if format_ == "json":
        body = _as_json(begun, answer, question.maxRows)
    else:
        headers["Content-Disposition"] = f'attachment; filename="query.{format_}"'
        body = _counted(answer, format_)
    body = _explained(body, question.sql)
    return _Result(begun, answer, body, headers=headers, media_type=_MEDIA[format_])


@router.delete("/{queryId}", status_code=204, dependencies=[Depends(same_site)])
async def cancel_sql(
    query_id: Annotated[UUID, Path(alias="queryId")], context: Context, runner: Runner, person: AnAnalyst
) -> Response:
    """Stops a running statement of the caller."""
    if not await _in_thread(statement_log.is_running, context.pool, person, query_id):
        raise not_found("running statement")
    await runner.kill(query_id)
    return Response(status_code=204)


async def run_to_end(
    pool: Pool, runner: StatementRunner, person: Analyst, question: SqlQuestion, door: str, max_bytes: int
) -> bytes:
    """The whole JSON answer to the question. Raises `Problem`, also when it has more bytes."""
    begun, sql, parameters, walls = await _begin(pool, runner, person, question, door)
    outcome, body = Outcome("cancelled", 0), bytearray()
    answer: Answer | None = None
    try:
        answer = await runner.start(begun.id, person.account_id, sql, "json", parameters, question.maxRows, walls)
        async for chunk in _as_json(begun, answer, question.maxRows):
            body += chunk
            if len(body) > max_bytes:
                raise Failed(396, f"The result has more than {max_bytes:,} bytes. Select fewer columns or rows.")
        outcome = answer.outcome("done")
    except Failed as failure:
        explained = failure.explained(question.sql)
        outcome = Outcome(explained.outcome, 0, explained.message)
        raise explained.problem() from failure
    finally:
        with anyio.CancelScope(shield=True):
            if answer is not None:
                await answer.response.aclose()
            if outcome.outcome != "done":
                await runner.gone(begun.id)
        await begun.end(outcome)
    return bytes(body)


async def _begin(
    pool: Pool, runner: StatementRunner, person: Analyst, question: SqlQuestion, door: str
) -> tuple[_RunningStatement, str, Mapping[str, str], Mapping[str, str]]:
    """Validates and records the statement; returns it with its SQL, parameters, and the settings of its row filter.
    Raises `Problem`."""
    statement_id, text = question.queryId or uuid4(), question.sql
    try:
        scope = await _in_thread(analyst_accounts.scope, pool, person)
        vetted = await runner.validators.validate(person.account_id, text, scope.name)
        admitted = await _in_thread(fill, vetted, scope)
        parameters = bind(text, question.parameters)
        await _in_thread(statement_log.begin, pool, person, statement_id, door, text, admitted.tables)
    except (StatementRejected, TooManyNames) as refusal:
        message = explain(str(refusal), text).message
        await _in_thread(statement_log.record_rejected, pool, person, uuid4(), door, text, message)
        raise Problem(400, "refused", message, errors=[FieldError("sql", message)]) from refusal
    except BadParameter as refusal:
        await _in_thread(statement_log.record_rejected, pool, person, uuid4(), door, text, str(refusal))
        errors = [FieldError(f"parameters.{refusal.name}", str(refusal))]
        raise Problem(400, "bad_parameter", str(refusal), errors=errors) from refusal
    except statement_log.TooManyRunning as refusal:
        await _in_thread(statement_log.record_rejected, pool, person, uuid4(), door, text, str(refusal))
        message = f"You have {limits.RUNNING} statements running. Wait for one, or cancel one."
        raise Problem(429, "too_many_running", message, headers={"Retry-After": "1"}) from refusal
    except psycopg.errors.UniqueViolation as failure:
        raise Problem(409, "conflict", "This queryId has been used already.") from failure
    return _RunningStatement(pool, runner, person, statement_id), admitted.sql, parameters, row_filter(scope)


async def _in_thread(call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    return await anyio.to_thread.run_sync(partial(call, *args, **kwargs))


class _Result(StreamingResponse):
    """The body, with its end written down however it comes about: also when the client is gone before the first byte,
    and the body is never iterated."""

    def __init__(
        self,
        begun: _RunningStatement,
        answer: Answer,
        body: AsyncIterator[bytes],
        *,
        headers: Mapping[str, str],
        media_type: str,
    ) -> None:
        super().__init__(self._kept(body), headers=headers, media_type=media_type)
        self._begun, self._answer = begun, answer
        self._outcome = answer.outcome("cancelled")
        self._is_over = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            await self._end()

    async def _kept(self, body: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        try:
            async for chunk in body:
                yield chunk
            self._outcome = self._answer.outcome("done")
        except Failed as failure:
            self._outcome = self._answer.outcome(failure.outcome, failure.message)
            raise
        finally:
            await self._end()

    async def _end(self) -> None:
        if self._is_over:
            return
        self._is_over = True
        with anyio.CancelScope(shield=True):
            await self._answer.response.aclose()
            if self._outcome.outcome != "done":
                await self._begun.runner.gone(self._begun.id)
        await self._begun.end(self._outcome)


async def _as_json(begun: _RunningStatement, answer: Answer, max_rows: int) -> AsyncIterator[bytes]:
    lines = answer.lines()
    names = orjson.loads(await anext(lines, b"[]") or b"[]")
    types = orjson.loads(await anext(lines, b"[]") or b"[]")
    columns = [{"name": name, "type": kind} for name, kind in zip(names, types, strict=True)]
    yield b'{"queryId":"%s","columns":%b,"rows":[' % (str(begun.id).encode(), orjson.dumps(columns))
    truncated, pending = False, bytearray()
    async for line in lines:
        if answer.rows == max_rows:
            truncated = True
            break
        pending += b"," + line if answer.rows else line
        answer.rows += 1
        if len(pending) > 1 << 16:
            yield bytes(pending)
            pending.clear()
    read_rows = answer.read_rows if begun.analyst.is_admin else None
    statistics = {"rows": answer.rows, "rowsRead": read_rows, "elapsedMs": answer.ms}
    yield bytes(pending) + b'],"truncated":%b,"statistics":%b}' % (orjson.dumps(truncated), orjson.dumps(statistics))


async def _counted(answer: Answer, format_: str) -> AsyncIterator[bytes]:
    """The body as it comes; its lines are its rows where the format has lines."""
    header = {"csv": 1, "typed csv": 2}.get(format_, 0)
    plain = PlainCsv() if header else None
    async for chunk in answer.chunks():
        if format_ != "parquet":
            lines = chunk.count(b"\n")
            answer.rows += max(0, lines - header)
            header = max(0, header - lines)
            if answer.rows > limits.RESULT_ROWS:
                raise Failed(396, f"The result has more than {limits.RESULT_ROWS:,} rows. Add a LIMIT.")
        yield plain.take(chunk) if plain is not None else chunk
    if plain is not None:
        yield plain.rest()


async def _explained(body: AsyncIterator[bytes], sql: str) -> AsyncIterator[bytes]:
    try:
        async for chunk in body:
            yield chunk
    except Failed as failure:
        raise failure.explained(sql) from failure


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


@dataclass(frozen=True, slots=True)
class CsvResult:
    """A result as the page's file. `types`: of its columns; `is_whole`: whether nothing was left out."""

    content: bytes
    types: Sequence[str]
    rows: int
    is_whole: bool


async def run_as_csv(
    pool: Pool, runner: StatementRunner, person: Analyst, question: SqlQuestion, door: str, max_bytes: int
) -> CsvResult:
    """Runs a statement for a person who does not wait for it; it is in their history. Raises `Problem` as `run_sql`."""
    begun, vetted, parameters, walls = await _begin(pool, runner, person, question, door)
    outcome = Outcome("cancelled", 0)
    try:
        answer = await runner.start(
            begun.id, person.account_id, vetted, "typed csv", parameters, limits.PAGE_ROWS, walls
        )
        content, is_whole = bytearray(), True
        try:
            async for chunk in _counted(answer, "typed csv"):
                content += chunk
                if len(content) > max_bytes:
                    is_whole = False
                    break
            outcome = answer.outcome("done" if is_whole else "cancelled")
        finally:
            await answer.response.aclose()
    except Failed as failure:
        explained = failure.explained(question.sql)
        outcome = Outcome(explained.outcome, 0, explained.message)
        raise explained.problem() from failure
    finally:
        if outcome.outcome != "done":
            with anyio.CancelScope(shield=True):
                await runner.gone(begun.id)
        await begun.end(outcome)
    whole = bytes(content) if is_whole else bytes(content[: content.rfind(b"\n") + 1])
    return csv_result(whole, answer.rows, is_whole=is_whole)


def csv_result(content: bytes, rows: int, *, is_whole: bool) -> CsvResult:
    """The file without its second record, which has the types. Pure."""
    names = _RECORD.match(content)
    types = _RECORD.match(content, names.end()) if names else None
    if names is None or types is None:
        return CsvResult(content, (), rows, is_whole)
    [found] = csv.reader(io.StringIO(types.group().decode("utf-8", "replace")))
    return CsvResult(names.group() + content[types.end() :], found, rows, is_whole)


_RECORD: Final = re.compile(rb'(?:"(?:[^"]++|"")*+"|[^"\n])*+\n')
