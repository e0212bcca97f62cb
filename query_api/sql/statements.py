"""`POST /api/platform/sql` and `DELETE /api/platform/sql/{queryId}`: an analyst's statement, run and stopped."""

from __future__ import annotations

import asyncio
import csv
import io
import re
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from typing import Annotated, Any, Final, Literal, ParamSpec, TypeVar
from uuid import UUID, uuid4

import anyio.to_thread
import orjson
import psycopg
from fastapi import APIRouter, Depends, Path, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import ConfigDict, Field, StringConstraints
from starlette.types import Receive, Scope, Send

from infra.domain.sql_access import analyst_accounts, limits, statement_log
from infra.domain.sql_access.analyst_accounts import Analyst
from infra.domain.sql_access.faults import explain
from infra.domain.sql_access.parameters import BadParameter, bind
from infra.domain.sql_access.running_statements import RunningStatement, to_its_end
from infra.domain.sql_access.statement_log import StatementOutcome
from infra.domain.sql_access.validation_result import ExecutableStatement, StatementRejected, fill
from infra.domain.sql_access.views import TooManyNames, row_filter
from infra.kernel.http.openapi import file_content
from infra.kernel.http.problems import FieldError, Problem
from infra.kernel.http.route_costs import STATEMENT, costs
from infra.kernel.security.sessions import Pool, refuse_cross_site
from query_api.kernel.authorization import not_found
from query_api.kernel.dependencies import Context, CurrentPrincipal
from query_api.kernel.kept_from import kept_from_header
from query_api.kernel.requests import QueryModel
from query_api.sql.execution import TABLES_READ_AT, Answer, StatementFailed, StatementRunner, until_gone
from query_api.sql.safe_csv import PlainCsv
from schemas.http.responses import ResponseModel

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


def analyst(principal: CurrentPrincipal) -> Analyst:
    """Dependency: the principal as an analyst. Raises `Problem` 403 unless analyst or admin."""
    if not analyst_accounts.ROLES & principal.roles:
        raise Problem(403, "not_allowed", "Only analysts and admins may do this.")
    return Analyst(principal.account_id, principal.email, principal.is_admin)


def same_site(request: Request, context: Context) -> None:
    """Checks that the request is of this site. Raises `Problem` 403 for one that another site's page may have made."""
    refuse_cross_site(request.headers, request.method, context.settings.app_url)


async def statement_runner(request: Request) -> StatementRunner:
    """Dependency: the process's runner, set by `query_api.app`."""
    runner: StatementRunner = request.app.state.statement_runner
    return runner


AnAnalyst = Annotated[Analyst, Depends(analyst)]
Runner = Annotated[StatementRunner, Depends(statement_runner)]


class SqlQuestion(QueryModel):
    """One SELECT. `parameters` are the values of `{name:Type}` in it."""

    model_config = ConfigDict(strict=True, hide_input_in_errors=True)

    sql: Annotated[str, StringConstraints(min_length=1, max_length=limits.TEXT_BYTES)]
    query_id: Annotated[
        UUID | None,
        Field(strict=False, description="Identifies the statement for cancellation; generated when omitted"),
    ] = None
    format: Format | None = Field(None, description="Default: from Accept, else JSON")
    max_rows: Annotated[int, Field(ge=1, le=limits.MAX_PAGE_ROWS, description="Rows of a JSON response")] = (
        limits.PAGE_ROWS
    )
    parameters: Annotated[dict[str, str], Field(default_factory=dict, max_length=100)]


class ResultColumn(ResponseModel):
    """A column of the result. `type`: its ClickHouse type."""

    name: str
    type: str


class RunStatistics(ResponseModel):
    """What the statement returned and read, and how long it took."""

    rows: int
    rows_read: int | None = Field(
        description="Null unless the caller is an admin: it counts rows of other accounts, too"
    )
    elapsed_ms: int


class SqlResult(ResponseModel):
    """A JSON answer. 64-bit integers are text, as JSON's readers cannot hold them."""

    query_id: UUID
    columns: list[ResultColumn]
    rows: list[list[Any]]
    truncated: bool = Field(description="There are more rows than maxRows")
    statistics: RunStatistics


@dataclass(slots=True)
class _Statement:
    """A statement that is recorded and may run. `walls`: the settings of its row filter."""

    runner: StatementRunner
    analyst: Analyst
    running: RunningStatement
    executable: ExecutableStatement
    parameters: Mapping[str, str]
    walls: Mapping[str, str]
    answer: Answer | None = None

    @property
    def id(self) -> UUID:
        return self.running.id

    async def start(self, format_: str, max_rows: int) -> Answer:
        """Returns its answer, which is closed when the statement ends. Raises `StatementFailed`."""
        account, sql = self.analyst.account_id, self.executable
        self.answer = await self.runner.start(self.id, account, sql, format_, self.parameters, max_rows, self.walls)
        return self.answer

    def ended(self, outcome: str, message: str = "") -> None:
        """Records the end of the statement."""
        answer = self.answer
        self.running.outcome = (
            StatementOutcome(outcome, 0, message) if answer is None else answer.outcome(outcome, message)
        )

    async def let_go(self) -> None:
        """Closes the answer, and makes sure that ClickHouse does not run the statement on."""
        if self.answer is not None:
            await self.answer.response.aclose()
        if not self.running.is_done:
            await self.runner.gone(self.id)


@router.post(
    "",
    dependencies=[Depends(same_site)],
    response_class=Response,
    openapi_extra=costs(STATEMENT),
    responses={
        200: {
            "model": SqlResult,
            "content": file_content(*(media.partition(";")[0] for media in list(_MEDIA.values())[1:])),
        }
    },
)
async def run_sql(
    request: Request, question: SqlQuestion, context: Context, runner: Runner, person: AnAnalyst
) -> Response:
    """Runs one SELECT over the tables of `/api/platform/sql/schema` and returns its rows. `X-Events-Kept-From`: single
    events of earlier UTC days are missing in the tables that it reads, as they have expired."""
    format_ = question.format or _ACCEPT.get(request.headers.get("accept", "").partition(";")[0].strip(), "json")
    with _problems():
        async with AsyncExitStack() as stack:
            statement = await stack.enter_async_context(_statement(context.pool, runner, person, question, DOOR))
            answer = await _answer_or_gone(request, statement, format_, question.max_rows)
            headers = {"X-Query-Id": str(statement.id), "X-Content-Type-Options": "nosniff"}
            if read_at := answer.response.headers.get(TABLES_READ_AT):
                headers[TABLES_READ_AT] = read_at
            headers |= kept_from_header(statement.executable.kept_from)
            if format_ == "json":
                body = _as_json(statement, answer, question.max_rows)
            else:
                headers["Content-Disposition"] = f'attachment; filename="query.{format_}"'
                body = _counted(answer, format_)
            result = _Result(statement, body, stack.pop_all(), headers=headers, media_type=_MEDIA[format_])
    return result


async def _answer_or_gone(request: Request, statement: _Statement, format_: str, max_rows: int) -> Answer:
    """Returns the beginning of the answer. Raises `StatementFailed`, and `Problem` 409 when the client goes away
    before."""
    disconnected = asyncio.create_task(_disconnected(request))
    try:
        answer = await until_gone(disconnected, asyncio.create_task(statement.start(format_, max_rows)))
    finally:
        disconnected.cancel()
    if answer is None:
        statement.ended("cancelled")
        raise Problem(409, "cancelled", "The statement was canceled.")
    return answer


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
) -> tuple[bytes, date | None]:
    """The whole JSON answer to the question, and from which UTC day on no single events are missing in it. Raises
    `Problem`, also when it has more bytes."""
    body = bytearray()
    with _problems():
        async with _statement(pool, runner, person, question, door) as statement:
            answer = await statement.start("json", question.max_rows)
            async for chunk in _as_json(statement, answer, question.max_rows):
                body += chunk
                if len(body) > max_bytes:
                    raise StatementFailed(
                        396, f"The result has more than {max_bytes:,} bytes. Select fewer columns or rows."
                    )
            statement.ended("done")
    return bytes(body), statement.executable.kept_from


@contextmanager
def _problems() -> Iterator[None]:
    """Raises the problem of a `StatementFailed`, before the response begins."""
    try:
        yield
    except StatementFailed as failure:
        raise failure.problem() from failure


@asynccontextmanager
async def _statement(
    pool: Pool, runner: StatementRunner, person: Analyst, question: SqlQuestion, door: str
) -> AsyncIterator[_Statement]:
    """The statement, validated and recorded. When the block is left, in whatever way, its answer is closed, ClickHouse
    runs it no more, and its end is recorded. Raises `Problem`; `StatementFailed` of the block in terms of the analyst's
    text."""
    async with AsyncExitStack() as stack:
        statement = await _begin(stack, pool, runner, person, question, door)
        try:
            yield statement
        except StatementFailed as failure:
            explained = failure.explained(question.sql)
            statement.ended(explained.outcome, explained.message)
            raise explained from failure
        finally:
            await to_its_end(asyncio.ensure_future(statement.let_go()))


async def _begin(
    stack: AsyncExitStack, pool: Pool, runner: StatementRunner, person: Analyst, question: SqlQuestion, door: str
) -> _Statement:
    """Validates and records the statement, which runs until `stack` ends. Raises `Problem`."""
    statement_id, text = question.query_id or uuid4(), question.sql
    try:
        scope = await _in_thread(analyst_accounts.scope, pool, person)
        vetted = await runner.validators.validate(person.account_id, text, scope.name)
        admitted = await _in_thread(fill, vetted, scope)
        parameters = bind(text, question.parameters)
        recorded = runner.statements.running(pool, person, statement_id, door, text, admitted.tables)
        running = await stack.enter_async_context(recorded)
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
    return _Statement(runner, person, running, admitted, parameters, row_filter(scope))


async def _in_thread(call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    return await anyio.to_thread.run_sync(partial(call, *args, **kwargs))


class _Result(StreamingResponse):
    """The body of a statement, whose end is recorded before the client has the last of it. It also ends when the client
    is gone before the first byte, and the body is never iterated."""

    def __init__(
        self,
        statement: _Statement,
        body: AsyncIterator[bytes],
        stack: AsyncExitStack,
        *,
        headers: Mapping[str, str],
        media_type: str,
    ) -> None:
        super().__init__(self._whole(body), headers=headers, media_type=media_type)
        self._statement, self._stack = statement, stack

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with self._stack:
            await super().__call__(scope, receive, send)

    async def _whole(self, body: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        last = b""
        async for chunk in body:
            if chunk:
                if last:
                    yield last
                last = chunk
        self._statement.ended("done")
        await self._stack.aclose()
        yield last


async def _as_json(statement: _Statement, answer: Answer, max_rows: int) -> AsyncIterator[bytes]:
    pieces, head = answer.lines(), list[bytes]()
    while len(head) < 2 and (piece := await anext(pieces, None)) is not None:
        head += piece
    names, types = (orjson.loads(line or b"[]") for line in (*head, b"", b"")[:2])
    columns = [{"name": name, "type": kind} for name, kind in zip(names, types, strict=True)]
    yield b'{"queryId":"%s","columns":%b,"rows":[' % (str(statement.id).encode(), orjson.dumps(columns))
    rows: list[bytes] | None = head[2:]
    truncated = False
    while rows is not None:
        if kept := rows[: max_rows - answer.rows]:
            yield (b"," if answer.rows else b"") + b",".join(kept)
            answer.rows += len(kept)
        truncated = len(kept) < len(rows)
        rows = None if truncated else await anext(pieces, None)
    read_rows = answer.read_rows if statement.analyst.is_admin else None
    statistics = {"rows": answer.rows, "rowsRead": read_rows, "elapsedMs": answer.ms}
    yield b'],"truncated":%b,"statistics":%b}' % (orjson.dumps(truncated), orjson.dumps(statistics))


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
                raise StatementFailed(396, f"The result has more than {limits.RESULT_ROWS:,} rows. Add a LIMIT.")
        yield plain.take(chunk) if plain is not None else chunk
    if plain is not None:
        yield plain.rest()


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


@dataclass(frozen=True, slots=True)
class CsvResult:
    """A result as the page's file. `types`: of its columns; `is_whole`: whether nothing was left out; `kept_from`:
    single events of earlier UTC days have expired."""

    content: bytes
    types: Sequence[str]
    rows: int
    is_whole: bool
    kept_from: date | None = None


async def run_as_csv(
    pool: Pool, runner: StatementRunner, person: Analyst, question: SqlQuestion, door: str, max_bytes: int
) -> CsvResult:
    """Runs a statement for a person who does not wait for it; it is in their history. Raises `Problem` as `run_sql`."""
    content, is_whole = bytearray(), True
    with _problems():
        async with _statement(pool, runner, person, question, door) as statement:
            answer = await statement.start("typed csv", limits.PAGE_ROWS)
            async for chunk in _counted(answer, "typed csv"):
                content += chunk
                if len(content) > max_bytes:
                    is_whole = False
                    break
            statement.ended("done" if is_whole else "cancelled")
    whole = bytes(content) if is_whole else bytes(content[: content.rfind(b"\n") + 1])
    result = csv_result(whole, answer.rows, is_whole=is_whole)
    return replace(result, kept_from=statement.executable.kept_from)


def csv_result(content: bytes, rows: int, *, is_whole: bool) -> CsvResult:
    """The file without its second record, which has the types. Pure."""
    names = _RECORD.match(content)
    types = _RECORD.match(content, names.end()) if names else None
    if names is None or types is None:
        return CsvResult(content, (), rows, is_whole)
    [type_names] = csv.reader(io.StringIO(types.group().decode("utf-8", "replace")))
    return CsvResult(names.group() + content[types.end() :], type_names, rows, is_whole)


_RECORD: Final = re.compile(rb'(?:"(?:[^"]++|"")*+"|[^"\n])*+\n')
