"""A statement's answer ends in the books and at ClickHouse, also when nobody is there any more to take it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any, cast
from uuid import uuid4

import httpx
import pytest
from starlette.types import Message

from infra.domain.sql_access.statement_log import Outcome
from query_api.sql.execution import Answer, Failed
from query_api.sql.statements import _Result, _RunningStatement


class Books:
    """What was written down and what was stopped."""

    def __init__(self) -> None:
        self.id = uuid4()
        self.ended: list[str] = []
        self.killed: list[Any] = []
        self.runner = self

    async def end(self, outcome: Outcome) -> None:
        self.ended.append(outcome.outcome)

    async def gone(self, statement_id: Any) -> None:
        self.killed.append(statement_id)


async def whole() -> AsyncIterator[bytes]:
    yield b"[]"


async def broken() -> AsyncIterator[bytes]:
    yield b"["
    raise Failed(159, "too long")


async def answered(books: Books, response: httpx.Response, body: AsyncIterator[bytes], *, is_gone: bool) -> None:
    """The answer goes out to a client that waits for it, or that left just before."""
    result = _Result(
        cast(_RunningStatement, books),
        Answer(response),
        body,
        headers={"X-Query-Id": "1"},
        media_type="application/json",
    )

    async def receive() -> Message:
        if not is_gone:
            await asyncio.Event().wait()
        return {"type": "http.disconnect"}

    async def send(_: Message) -> None:
        await asyncio.sleep(0)

    await result({"type": "http", "asgi": {"version": "3.0", "spec_version": "2.3"}}, receive, send)


def test_a_client_that_left_before_the_first_byte_holds_no_resources() -> None:
    books, response = Books(), httpx.Response(200, stream=_Stream())
    asyncio.run(answered(books, response, whole(), is_gone=True))
    assert (books.ended, books.killed, response.is_closed) == (["cancelled"], [books.id], True)


def test_a_whole_answer_is_written_down_once() -> None:
    books, response = Books(), httpx.Response(200, stream=_Stream())
    asyncio.run(answered(books, response, whole(), is_gone=False))
    assert (books.ended, books.killed, response.is_closed) == (["done"], [], True)


def test_an_answer_that_breaks_off_is_written_down_as_that() -> None:
    books, response = Books(), httpx.Response(200, stream=_Stream())
    with pytest.raises(Failed, match="too long"):
        asyncio.run(answered(books, response, broken(), is_gone=False))
    assert (books.ended, books.killed, response.is_closed) == (["failed"], [books.id], True)


class _Stream(httpx.AsyncByteStream):
    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield b""
