"""`POST /api/platform/sql` and `DELETE /api/platform/sql/{queryId}`: an analyst's statement, run and stopped."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Final, Literal, ParamSpec, TypeVar
from uuid import UUID, uuid4

import anyio
import anyio.to_thread
import orjson
import psycopg
from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, ConfigDict, Field, StringConstraints
from starlette.types import Receive, Scope, Send

from infra.analysts import ledger, limits, people
from infra.analysts.ledger import Outcome
from infra.analysts.people import Analyst
from infra.analysts.verdict import Refused, fill
from infra.analysts.views import TooMany, row_filter
from infra.identity import Principal, refuse_cross_site
from infra.problems import FieldError, Problem
from query_api.context import Context, Services, signed_in
from query_api.owned import not_found
from query_api.sql.plain_csv import PlainCsv
from query_api.sql.running import TABLES_READ_AT, Answer, Failed, until_gone

P = ParamSpec("P")
T = TypeVar("T")
log = logging.getLogger(__name__)
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


def analyst(principal: Annotated[Principal, Depends(signed_in)]) -> Analyst:
    """The person who asks, if that is an analyst or an admin. Raises `Problem` 403."""
    if not people.ROLES & principal.roles:
        raise Problem(403, "not_allowed", "Only analysts and admins may do this.")
    return Analyst(principal.account_id, principal.email, principal.is_admin)


def same_site(request: Request, context: Context) -> None:
    """Raises `Problem` 403 for a request that another site's page may have made."""
    refuse_cross_site(request.headers, request.method, context.settings.app_url)


AnAnalyst = Annotated[Analyst, Depends(analyst)]


class SqlQuestion(BaseModel):
    """One SELECT. `parameters` are the values of `{name:Type}` in it."""

    model_config = ConfigDict(extra="forbid", strict=True, hide_input_in_errors=True)

    sql: Annotated[str, StringConstraints(min_length=1, max_length=limits.TEXT_BYTES)]
    queryId: Annotated[UUID | None, Field(strict=False, description="To stop it by; made up when left out")] = None
    format: Format | None = Field(None, description="Else by Accept; JSON if that says nothing")
    maxRows: Annotated[int, Field(ge=1, le=limits.PAGE_ROWS_MOST, description="Rows of a JSON answer")] = (
        limits.PAGE_ROWS
    )
    parameters: Annotated[dict[str, str], Field(default_factory=dict, max_length=100)]


class ResultColumn(BaseModel):
    name: str
    type: str


class RunStatistics(BaseModel):
    rows: int
    rowsRead: int | None = Field(description="Null for who may not see all websites: it counts the others' rows, too")
    elapsedMs: int


class SqlResult(BaseModel):
    """A JSON answer. 64-bit integers are text, as JSON's readers cannot hold them."""

    queryId: UUID
    columns: list[ResultColumn]
    rows: list[list[Any]]
    truncated: bool = Field(description="There are more rows than maxRows")
    statistics: RunStatistics


@dataclass(frozen=True, slots=True)
class _Begun:
    """A statement that is written down and runs."""

    context: Services
    analyst: Analyst
    id: UUID

    async def end(self, outcome: Outcome) -> None:
        with anyio.CancelScope(shield=True), suppress(psycopg.Error):
            await _in_thread(ledger.end, self.context.pool, self.analyst, self.id, outcome)


@router.post(
    "",
    dependencies=[Depends(same_site)],
    response_class=Response,
    responses={
        200: {"model": SqlResult, "content": {media.partition(";")[0]: {} for media in list(_MEDIA.values())[1:]}}
    },
)
async def run_sql(request: Request, question: SqlQuestion, context: Context, person: AnAnalyst) -> Response:
    """Runs one SELECT over the tables of `/api/platform/sql/schema`, and gives its rows."""
    format_ = question.format or _ACCEPT.get(request.headers.get("accept", "").partition(";")[0].strip(), "json")
    begun, sql, walls = await _begin(context, person, question)
    disconnected = asyncio.create_task(_disconnected(request))
    runner = context.runner
    work = asyncio.create_task(
        runner.start(begun.id, person.account_id, sql, format_, question.parameters, question.maxRows, walls)
    )
    try:
        answer = await until_gone(disconnected, work)
    except Failed as failure:
        await begun.end(Outcome(failure.outcome, 0, failure.message))
        raise failure.problem() from failure
    finally:
        disconnected.cancel()
    if answer is None:
        with anyio.CancelScope(shield=True):
            await runner.gone(begun.id)
        await begun.end(Outcome("cancelled", 0))
        raise Problem(409, "cancelled", "The statement was cancelled.")
    headers = {"X-Query-Id": str(begun.id), "X-Content-Type-Options": "nosniff"}
    if read_at := answer.response.headers.get(TABLES_READ_AT):
        headers[TABLES_READ_AT] = read_at
    if format_ == "json":
        body = _as_json(begun, answer, question.maxRows)
    else:
        headers["Content-Disposition"] = f'attachment; filename="query.{format_}"'
        body = _counted(answer, format_)
    return _Result(begun, answer, body, headers=headers, media_type=_MEDIA[format_])


@router.delete("/{queryId}", status_code=204, dependencies=[Depends(same_site)])
async def cancel_sql(queryId: UUID, context: Context, person: AnAnalyst) -> Response:
    """Stops a statement of one's own that runs."""
    if not await _in_thread(ledger.is_running, context.pool, person, queryId):
        raise not_found("running statement")
    await context.runner.kill(queryId)
    return Response(status_code=204)


async def _begin(context: Services, person: Analyst, question: SqlQuestion) -> tuple[_Begun, str, Mapping[str, str]]:
    """The statement in the gate's form, written down, and the settings of the second wall. Raises `Problem`."""
    statement_id, text, pool = question.queryId or uuid4(), question.sql, context.pool
    try:
        scope = await _in_thread(people.scope, pool, person)
        vetted = await context.runner.vetting.vet(person.account_id, text, scope.name)
        admitted = await _in_thread(fill, vetted, scope)
        await _in_thread(ledger.begin, pool, person, statement_id, DOOR, text, admitted.tables)
    except (Refused, TooMany) as refusal:
        await _in_thread(ledger.refused, pool, person, uuid4(), DOOR, text, str(refusal))
        raise Problem(400, "refused", str(refusal), errors=[FieldError("sql", str(refusal))]) from refusal
    except ledger.TooManyRunning as refusal:
        await _in_thread(ledger.refused, pool, person, uuid4(), DOOR, text, str(refusal))
        most = f"You have {limits.RUNNING} statements running. Wait for one, or cancel one."
        raise Problem(429, "too_many_running", most, headers={"Retry-After": "1"}) from refusal
    except psycopg.errors.UniqueViolation as failure:
        raise Problem(409, "conflict", "This queryId has been used already.") from failure
    return _Begun(context, person, statement_id), admitted.sql, row_filter(scope)


async def _in_thread(call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    return await anyio.to_thread.run_sync(partial(call, *args, **kwargs))


class _Result(StreamingResponse):
    """The body, with its end written down however it comes about: also when the client is gone before the first byte,
    and the body is never asked for."""

    def __init__(
        self,
        begun: _Begun,
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
                await self._begun.context.runner.gone(self._begun.id)
        await self._begun.end(self._outcome)


async def _as_json(begun: _Begun, answer: Answer, most: int) -> AsyncIterator[bytes]:
    lines = answer.lines()
    names = orjson.loads(await anext(lines, b"[]") or b"[]")
    types = orjson.loads(await anext(lines, b"[]") or b"[]")
    columns = [{"name": name, "type": kind} for name, kind in zip(names, types, strict=True)]
    yield b'{"queryId":"%s","columns":%b,"rows":[' % (str(begun.id).encode(), orjson.dumps(columns))
    truncated, pending = False, bytearray()
    async for line in lines:
        if answer.rows == most:
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
    header, plain = (1, PlainCsv()) if format_ == "csv" else (0, None)
    async for chunk in answer.chunks():
        if format_ != "parquet":
            answer.rows = max(0, answer.rows + chunk.count(b"\n") - header)
            header = 0
            if answer.rows > limits.RESULT_ROWS:
                raise Failed(396, f"The result has more than {limits.RESULT_ROWS:,} rows. Add a LIMIT.")
        yield plain.take(chunk) if plain is not None else chunk
    if plain is not None:
        yield plain.rest()


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
