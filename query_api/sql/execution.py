"""Runs validated statements on ClickHouse, as a stream: early errors are refusals, later ones abort the stream.

ClickHouse knows a statement by its id here, so it can be stopped from anywhere: by its owner, when the page that asked
goes away, or when an answer is cut short. The statement, its parameters and its rows (`data_tables`) are a form, which
may be long; only settings of a fixed length are in the address. The embedded engine's front runs it in a process of its
own for the account that a header names; a ClickHouse server ignores the header and holds to the settings.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import unquote, urlsplit
from uuid import UUID

import anyio.to_thread
import httpx
import orjson
import structlog

from infra.domain.sql_access import data_tables, limits
from infra.domain.sql_access.faults import explain
from infra.domain.sql_access.running_statements import RunningStatements
from infra.domain.sql_access.statement_log import StatementOutcome
from infra.domain.sql_access.validation_result import EXECUTION_DATABASE, ExecutableStatement
from infra.domain.sql_access.validator_pool import ValidatorPool
from infra.kernel.clickhouse.client import address
from infra.kernel.config.settings import Settings, SettingsError
from infra.kernel.http.problems import FieldError, Problem

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)

FORMATS: Final[Mapping[str, str]] = {
    "json": "JSONCompactEachRowWithNamesAndTypes",
    "csv": "CSVWithNames",
    "typed csv": "CSVWithNamesAndTypes",
    "ndjson": "JSONEachRow",
    "parquet": "Parquet",
}
_CONNECTIONS: Final = 24
_GONE_S: Final = 40.0
"""The time that `KILL QUERY ... SYNC` may take: a server waits for the statement 30 s."""

_GIVEN_UP_S: Final = limits.DELIVERED_S + 80
"""After so long, a server that still answers that it waits is asked no more."""

_FIELD_BYTES: Final = 100_000
"""A server takes 128 KiB in a field of a form (`http_max_field_value_size`), and joins several that are the query."""

_AGAIN_S: Final = 0.5
"""Delay before a repeated cancellation."""

_TIMEOUT: Final = httpx.Timeout(limits.SECONDS + 25, connect=3, pool=3)
_ERROR_BYTES: Final = 20_000
_MESSAGE: Final = re.compile(
    r"Code: (\d+)\. DB::Exception: (.*?)(?:\. \([A-Z_0-9]+\))?(?: \(version [^()]*.*\))?\s*$", re.DOTALL
)
CANCELLED: Final = 394

_WORDS: Final[Mapping[int, str]] = {
    159: f"The statement took longer than {limits.SECONDS} seconds. Ask about a shorter time, or less of it.",
    158: f"The statement would read more than {limits.ROWS_READ:,} rows. Ask about a shorter time.",
    **dict.fromkeys(
        (173, 241), "The statement needs more memory than it may take. Group by fewer values, or select fewer columns."
    ),
    396: f"The result has more than {limits.RESULT_ROWS:,} rows. Add a LIMIT.",
    CANCELLED: "The statement was canceled.",
}


_Field = tuple[str, tuple[str | None, bytes]]
"""A field of a form: its name, its file name and its content."""

ON_BEHALF: Final = "X-Althing-Analyst"

TABLES_READ_AT: Final = "X-Tables-Read-At"
"""Everything that was stored at this time is in the result."""


class StatementFailed(Exception):
    """ClickHouse refused or timed out; `message` is for the analyst, `code` ClickHouse's (0: it did not answer).
    `parameter`: the one whose value is missing or wrong."""

    def __init__(self, code: int, message: str, parameter: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.parameter = parameter

    def explained(self, sql: str) -> StatementFailed:
        """Returns the error in terms of the text `sql` that the analyst wrote."""
        if self.code == 0 or self.code in _WORDS:
            return self
        fault = explain(self.message, sql)
        return StatementFailed(self.code, fault.message, fault.parameter)

    @property
    def outcome(self) -> str:
        return "cancelled" if self.code == CANCELLED else "failed"

    def problem(self) -> Problem:
        if self.code == 0:
            return Problem(503, "analytics_unavailable", self.message, headers={"Retry-After": "2"})
        if self.code == CANCELLED:
            return Problem(409, "cancelled", self.message)
        if self.parameter:
            errors = [FieldError(f"parameters.{self.parameter}", self.message)]
            return Problem(400, "bad_parameter", self.message, errors=errors)
        return Problem(400, "too_slow" if self.code == 159 else "query_failed", self.message)


@dataclass
class Answer:
    """A result that has begun. `rows` and `size` grow while it is read."""

    response: httpx.Response
    started: float = field(default_factory=time.monotonic)
    rows: int = 0
    size: int = 0
    read_rows: int = 0

    @property
    def ms(self) -> int:
        return int((time.monotonic() - self.started) * 1000)

    def outcome(self, outcome: str, message: str = "") -> StatementOutcome:
        return StatementOutcome(outcome, self.ms, message, self.rows, self.read_rows)

    async def chunks(self) -> AsyncIterator[bytes]:
        """The body. Raises `StatementFailed` when ClickHouse breaks it off or it grows beyond `limits.RESULT_BYTES`."""
        tag = self.response.headers.get("x-clickhouse-exception-tag", "")
        tail, last = f"__exception__\r\n{tag}\r\n".encode() if tag else b"", b""
        try:
            async for chunk in self.response.aiter_raw():
                self.size += len(chunk)
                if self.size > limits.RESULT_BYTES:
                    raise StatementFailed(396, f"The result has more than {limits.RESULT_BYTES:,} bytes. Add a LIMIT.")
                if self.ms > limits.DELIVERED_S * 1000:
                    raise StatementFailed(159, f"The result was not read within {limits.DELIVERED_S} seconds.")
                if tail and tail in last + chunk:
                    raise _failed((last + chunk).partition(tail)[2].decode("utf-8", "replace"))
                last = chunk[-len(tail) :]
                yield chunk
        except httpx.HTTPError as failure:
            raise StatementFailed(0, "The result was interrupted. Please try again.") from failure

    async def lines(self) -> AsyncIterator[list[bytes]]:
        """The lines of the body without line ends, as many at a time as arrive together: one at a time costs as much as
        the rest of the answer."""
        rest = b""
        async for chunk in self.chunks():
            *whole, rest = (rest + chunk).split(b"\n")
            if whole:
                yield whole
        if rest:
            yield [rest]


class StatementRunner:
    """Statements on ClickHouse with the service's own rights, read-only and within `limits`."""

    def __init__(self, settings: Settings) -> None:
        if settings.clickhouse_url is None:
            raise SettingsError("CLICKHOUSE_URL is not set and no stack runs here; start one with `althing up`.")
        parts = urlsplit(settings.clickhouse_url)
        self._url = f"{address(settings.clickhouse_url)}/"
        self.validators = ValidatorPool()
        self.statements = RunningStatements(settings.postgres_url or "", anyio.to_thread.run_sync)
        self._http = httpx.AsyncClient(
            auth=(unquote(parts.username or "default"), unquote(parts.password or "")),
            timeout=_TIMEOUT,
            limits=httpx.Limits(max_connections=_CONNECTIONS, max_keepalive_connections=4),
            trust_env=False,
        )

    async def start(
        self,
        statement_id: UUID,
        account_id: UUID,
        statement: ExecutableStatement,
        format_: str,
        parameters: Mapping[str, str],
        page_rows: int,
        row_filter: Mapping[str, str],
    ) -> Answer:
        """Begins a statement. Raises `StatementFailed`; ClickHouse may run it on until `gone`. JSON is one page of
        `page_rows` and one more; ClickHouse finishes it first."""
        params = {
            **limits.settings(),
            **row_filter,
            "readonly": "1",
            "database": EXECUTION_DATABASE,
            "query_id": str(statement_id),
            "default_format": FORMATS[format_],
            "output_format_json_quote_64bit_integers": "1" if format_ == "json" else "0",
            "output_format_json_quote_denormals": "1",
            "cancel_http_readonly_queries_on_client_close": "1",
        }
        if format_ == "json":
            params |= {"limit": str(page_rows + 1), "wait_end_of_query": "1"}
        for table in statement.data:
            params |= {f"{table.name}_structure": table.structure, f"{table.name}_format": data_tables.FORMAT}
        sql = statement.sql.encode()
        form: list[_Field] = [("query", (None, sql[at : at + _FIELD_BYTES])) for at in range(0, len(sql), _FIELD_BYTES)]
        form += [(f"param_{name}", (None, value.encode())) for name, value in parameters.items()]
        form += [(table.name, (table.name, table.content())) for table in statement.data]
        started = time.monotonic()
        request = self._http.build_request(
            "POST", self._url, params=params, files=form, headers={ON_BEHALF: str(account_id)}
        )
        try:
            response = await self._http.send(request, stream=True)
            if response.status_code != 200:
                raise _failed(await _beginning(response))
        except httpx.HTTPError as failure:
            log.warning("clickhouse_unavailable", query_id=statement_id, error=type(failure).__name__)
            raise StatementFailed(0, "The analytics store is unavailable. Please try again in a moment.") from failure
        return Answer(response, started, read_rows=_read_rows(response))

    async def kill(self, statement_id: UUID) -> None:
        """Cancels the statement in ClickHouse; without effect if it has ended."""
        sql = f"KILL QUERY WHERE query_id = '{statement_id}' ASYNC"
        with suppress(httpx.HTTPError):
            await self._http.post(self._url, content=sql.encode(), timeout=5)

    async def gone(self, statement_id: UUID) -> None:
        """Stops it, and returns once ClickHouse has let it go: as long as it may run there, it counts as running."""
        sql, timeout = f"KILL QUERY WHERE query_id = '{statement_id}' SYNC", httpx.Timeout(_GONE_S, connect=3, pool=3)
        given_up_at = time.monotonic() + _GIVEN_UP_S
        while time.monotonic() < given_up_at:
            try:
                answer = await self._http.post(self._url, content=sql.encode(), timeout=timeout)
            except httpx.ReadTimeout:
                log.warning("query_not_cancelled", query_id=statement_id, timeout_s=_GONE_S)
            except httpx.HTTPError:
                return
            else:
                if not answer.text.startswith("waiting"):
                    return
                await asyncio.sleep(_AGAIN_S)

    async def close(self) -> None:
        self.validators.close()
        self.statements.close()
        await self._http.aclose()


async def _beginning(response: httpx.Response) -> str:
    beginning = b""
    try:
        async for chunk in response.aiter_bytes():
            beginning += chunk
            if len(beginning) > _ERROR_BYTES:
                break
    finally:
        await response.aclose()
    return beginning.decode("utf-8", "replace")


def _read_rows(response: httpx.Response) -> int:
    try:
        return int(orjson.loads(response.headers.get("x-clickhouse-summary", "{}")).get("read_rows", 0))
    except (orjson.JSONDecodeError, ValueError, AttributeError):
        return 0


def _failed(text: str) -> StatementFailed:
    match = _MESSAGE.search(text)
    if match is None:
        return StatementFailed(1001, "The statement failed.")
    code = int(match.group(1))
    if code in (202, 210):
        return StatementFailed(0, "The analytics store is busy. Please try again in a moment.")
    return StatementFailed(code, _WORDS.get(code, match.group(2).strip()[:2000]))


async def until_gone(disconnected: asyncio.Task[None], work: asyncio.Task[Answer]) -> Answer | None:
    """Returns the result of `work`, or None when the client went away first. However this ends, `work` has ended,
    too."""
    try:
        await asyncio.wait({disconnected, work}, return_when=asyncio.FIRST_COMPLETED)
        return work.result() if work.done() else None
    finally:
        if not work.done():
            work.cancel()
            with suppress(asyncio.CancelledError, StatementFailed):
                await (await work).response.aclose()
