"""A request's body as a stream of decoded bytes, bounded in size and in the time between its pieces."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager

from infra.kernel.http.request_limits import Receive, disconnected
from infra.services.clickhouse_server.content_encodings import BodyDecompressor
from infra.services.clickhouse_server.errors import Code, error

IDLE_S = 30.0
STATEMENT_S = 30.0
FORM_S = 120.0
INSERT_S = 600.0
"""For all of a body, however its pieces come."""

MAX_STATEMENT_BYTES = 4 << 20
HEAD_BYTES = 256 << 10
_DRAIN_S = 2.0
_DRAIN_BYTES = 64 << 20


@asynccontextmanager
async def watched(receive: Receive, gone: Callable[[], object]) -> AsyncIterator[None]:
    """Calls `gone` when the client goes away while this lasts. For a request that has been read."""

    async def watch() -> None:
        await disconnected(receive)
        gone()

    watcher = asyncio.create_task(watch())
    try:
        yield
    finally:
        watcher.cancel()


class StreamedBody:
    """Reads once, front to back. `complete` once the client has sent all of it."""

    def __init__(self, receive: Receive, decoder: BodyDecompressor) -> None:
        self._receive = receive
        self._decoder = decoder
        self._pending: Iterator[bytes] = iter(())
        self._deadline = math.inf
        self.complete = False

    def allow(self, seconds: float) -> None:
        """Sets the deadline of the rest: it has to come within so many seconds from now on."""
        self._deadline = time.monotonic() + seconds

    async def pieces(self) -> AsyncIterator[bytes]:
        """The rest of the body. Raises `ClickHouseError` if it stalls, breaks off or cannot be decoded."""
        while (piece := await self._next()) is not None:
            yield piece

    async def head(self) -> tuple[bytes, bool]:
        """The first `HEAD_BYTES` or more, or everything if it is less; and whether that is everything."""
        return await self._until(HEAD_BYTES)

    async def rest_of_statement(self, head: bytes) -> bytes:
        """Returns the whole statement; raises `ClickHouseError` 425 above `MAX_STATEMENT_BYTES`."""
        text = head + (await self._until(MAX_STATEMENT_BYTES + 1))[0]
        if len(text) > MAX_STATEMENT_BYTES:
            raise error(Code.QUERY_IS_TOO_LARGE, f"A statement may have at most {MAX_STATEMENT_BYTES:,} bytes")
        return text

    async def drain(self) -> None:
        """Swallows a bounded part of what still comes, so that the client reads the refusal instead of a reset."""
        swallowed = 0
        try:
            async with asyncio.timeout(_DRAIN_S):
                while not self.complete and swallowed < _DRAIN_BYTES:
                    message = await self._receive()
                    swallowed += len(message.get("body", b""))
                    if message["type"] == "http.disconnect":
                        return
                    self.complete = not message.get("more_body", False)
        except TimeoutError:
            return

    async def _until(self, size: int) -> tuple[bytes, bool]:
        parts: list[bytes] = []
        have = 0
        while have < size:
            piece = await self._next()
            if piece is None:
                return b"".join(parts), True
            parts.append(piece)
            have += len(piece)
        return b"".join(parts), False

    async def _next(self) -> bytes | None:
        while True:
            for piece in self._pending:
                if piece:
                    return piece
            if self.complete:
                self._decoder.finish()
                return None
            self._pending = self._decoder.decode(await self._message())

    async def _message(self) -> bytes:
        try:
            async with asyncio.timeout(min(IDLE_S, self._deadline - time.monotonic())):
                message = await self._receive()
        except TimeoutError as failure:
            raise error(Code.SOCKET_TIMEOUT, "The request's body did not come in time") from failure
        if message["type"] == "http.disconnect":
            raise error(Code.NETWORK_ERROR, "The client went away before its request was complete")
        self.complete = not message.get("more_body", False)
        return bytes(message.get("body", b""))
