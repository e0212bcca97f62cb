"""A statement's answer ends in the books and at ClickHouse, however it ends, also when nobody is there to take it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, cast
from uuid import UUID, uuid4

import httpx
import pytest
from starlette.types import Message

from infra.domain.sql_access import analyst_accounts
from infra.domain.sql_access.analyst_accounts import Analyst
from infra.domain.sql_access.running_statements import RunningStatement
from infra.domain.sql_access.statement_log import StatementOutcome
from infra.domain.sql_access.validation_result import ValidatedStatement
from infra.domain.sql_access.views import Scope
from infra.kernel.http.problems import Problem
from query_api.sql.execution import Answer, StatementFailed, until_gone
from query_api.sql.statements import SqlQuestion, _Result, _statement, run_as_csv, run_to_end

ADA = Analyst(uuid4(), "ada@example.com", is_admin=False)
QUESTION = SqlQuestion(sql="SELECT 1", parameters={})


class Runner:
    """A runner, its validators and its books: what was written down, and what ClickHouse had to stop."""

    def __init__(self, start: Callable[[], Answer]) -> None:
        self.start_ = start
        self.ended: list[StatementOutcome] = []
        self.killed: list[UUID] = []
        self.validators = self.statements = self

    async def validate(self, *_: Any) -> ValidatedStatement:
        return ValidatedStatement(("SELECT 1",), ())

    @asynccontextmanager
    async def running(
        self, _pool: Any, _person: Analyst, statement_id: UUID, *_: Any
    ) -> AsyncIterator[RunningStatement]:
        statement, failure = RunningStatement(statement_id), None
        try:
            yield statement
        except BaseException as raised:
            failure = raised
            raise
        finally:
            self.ended.append(statement.outcome_after(failure))

    async def start(self, *_: Any) -> Answer:
        await asyncio.sleep(0)
        return self.start_()

    async def gone(self, statement_id: UUID) -> None:
        self.killed.append(statement_id)

    @property
    def outcomes(self) -> list[str]:
        return [one.outcome for one in self.ended]


class _Stream(httpx.AsyncByteStream):
    def __init__(self, *pieces: bytes | Exception) -> None:
        self.pieces = pieces

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self.pieces:
            if isinstance(piece, Exception):
                raise piece
            yield piece


def answer(*pieces: bytes | Exception) -> Answer:
    return Answer(httpx.Response(200, stream=_Stream(*pieces)))


@pytest.fixture(autouse=True)
def _no_postgres(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analyst_accounts, "scope", lambda *_: Scope("", frozenset(), lambda _: []))


async def responded(runner: Runner, *, is_gone: bool) -> Answer:
    """The answer goes out to a client that waits for it, or that left just before."""
    async with AsyncExitStack() as stack:
        begun = _statement(cast(Any, None), cast(Any, runner), ADA, QUESTION, "test")
        statement = await stack.enter_async_context(begun)
        found = await statement.start("csv", 10)
        result = _Result(statement, found.chunks(), stack.pop_all(), headers={}, media_type="text/csv")

    async def receive() -> Message:
        if not is_gone:
            await asyncio.Event().wait()
        return {"type": "http.disconnect"}

    async def send(_: Message) -> None:
        await asyncio.sleep(0)

    await result({"type": "http", "asgi": {"version": "3.0", "spec_version": "2.3"}}, receive, send)
    return found


def test_a_client_that_left_before_the_first_byte_holds_no_resources() -> None:
    runner = Runner(lambda: answer(b"a\n"))
    found = asyncio.run(responded(runner, is_gone=True))
    assert (runner.outcomes, len(runner.killed), found.response.is_closed) == (["cancelled"], 1, True)


def test_a_whole_answer_is_written_down_once() -> None:
    runner = Runner(lambda: answer(b"a\n"))
    found = asyncio.run(responded(runner, is_gone=False))
    assert (runner.outcomes, runner.killed, found.response.is_closed) == (["done"], [], True)


def test_an_answer_that_breaks_off_is_written_down_as_that() -> None:
    runner = Runner(lambda: answer(b"a\n", httpx.ReadError("broken")))
    with pytest.raises(StatementFailed, match="interrupted"):
        asyncio.run(responded(runner, is_gone=False))
    assert (runner.outcomes, len(runner.killed)) == (["failed"], 1)


def _refuses() -> Answer:
    raise StatementFailed(62, "Syntax error")


def _is_too_long() -> Answer:
    raise httpx.InvalidURL("URL component 'query' too long")


@pytest.mark.parametrize("run", [run_to_end, run_as_csv])
@pytest.mark.parametrize(
    ("start", "raised", "message"),
    [
        (_refuses, Problem, "Syntax error."),
        (_is_too_long, httpx.InvalidURL, "The statement ended unexpectedly."),
        (lambda: answer(b'["a"]\n', httpx.ReadError("x")), Problem, "The result was interrupted. Please try again."),
        (lambda: answer(b'["a"]\n["UInt8"]\n', MemoryError()), MemoryError, "The statement ended unexpectedly."),
        (lambda: answer(b'"a","b"\n"UInt8","UInt8"\n' + b"1,1\n" * 99), Problem, "The result has more than 150 bytes"),
    ],
    ids=["refused", "too long", "broken off", "an unexpected error", "too large"],
)
def test_however_a_statement_ends_it_runs_no_more(
    run: Any, start: Callable[[], Answer], raised: type[Exception], message: str
) -> None:
    runner = Runner(start)
    if run is run_as_csv and "more than" in message:
        assert not asyncio.run(cast(Any, run)(None, runner, ADA, QUESTION, "test", 150)).is_whole
        assert (runner.outcomes, len(runner.killed)) == (["cancelled"], 1)
        return
    if run is run_to_end and "more than" in message:
        runner.start_ = lambda: answer(b'["a"]\n["UInt8"]\n' + b"[1]\n" * 99)
    with pytest.raises(raised):
        asyncio.run(run(None, runner, ADA, QUESTION, "test", 150))
    assert (runner.outcomes, len(runner.killed)) == (["failed"], 1)
    assert runner.ended[0].message.startswith(message)


def test_a_request_that_is_cancelled_leaves_nothing() -> None:
    """As when the server stops: in each step of its way."""
    for steps in range(12):
        answers = list[Answer]()

        def begun(answers: list[Answer] = answers) -> Answer:
            answers.append(answer(b'["a"]\n["UInt8"]\n'))
            return answers[-1]

        runner = Runner(begun)

        async def cancelled(runner: Runner = runner, steps: int = steps) -> None:
            work = asyncio.ensure_future(run_to_end(cast(Any, None), cast(Any, runner), ADA, QUESTION, "test", 1000))
            for _ in range(steps):
                await asyncio.sleep(0)
            work.cancel()
            await asyncio.wait([work])

        asyncio.run(cancelled())
        assert all(one.response.is_closed for one in answers)
        assert len(runner.killed) == runner.outcomes.count("cancelled") and len(runner.outcomes) <= 1


@pytest.mark.parametrize("is_cancelled", [True, False], ids=["caller cancelled", "client gone"])
def test_an_answer_that_comes_while_its_client_leaves_is_closed(is_cancelled: bool) -> None:
    came = answer(b"a\n")

    async def leave() -> None:
        async def stubborn() -> Answer:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                return came
            raise AssertionError

        gone = asyncio.Event()
        work = asyncio.create_task(stubborn())
        waiting = asyncio.create_task(until_gone(asyncio.create_task(gone.wait()), work))  # type: ignore[arg-type]  # its result is not read
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        if is_cancelled:
            waiting.cancel()
            await asyncio.wait([waiting])
            assert waiting.cancelled()
        else:
            gone.set()
            assert await waiting is None

    asyncio.run(leave())
    assert came.response.is_closed
