"""The outermost layer of every HTTP server: limits slow senders, oversized heads and oversized bodies.

`guarded_protocol` is for uvicorn's `http=` (bytes on the socket), `BodyGuard` wraps the ASGI app (whole requests).
uvicorn itself has no timeout for a request that arrives slowly; a thousand such sockets would starve real visitors.
"""

from __future__ import annotations

import asyncio
import json
import re
from asyncio import TimerHandle
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from contextlib import ExitStack
from http import HTTPStatus
from types import MappingProxyType
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from infra.kernel.http.body_budget import FREE_BYTES, BodyBudget

Message = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
RawHeaders = tuple[tuple[bytes, bytes], ...]
OnRejected = Callable[[Scope, int, str, str], None]
"""Called for each rejected request: the request, status, code and message."""

MAX_BODY_BYTES = 1024 * 1024
MAX_IMAGE_BYTES = 5 * 1024 * 1024
UploadLimits = Mapping[re.Pattern[str], int]
"""Paths to which larger bodies may be sent, and how large."""
NO_UPLOADS: UploadLimits = MappingProxyType({})
MAX_HEAD_BYTES = 32 * 1024
MAX_HEADERS = 256
PIECE_BYTES = 8 * 1024
"""The bytes that are parsed in one round of the event loop, apart from a plain body."""
MAX_BODY_PARTS = 4096
_PART_BYTES = 16
"""A chunked body may have more parts than `MAX_BODY_PARTS` if they have so many bytes on average."""
_MIN_PIECE = 64
_MIN_CHUNKED_PIECE = 256
_MAX_REMAINDER = 4 * 1024 * 1024
REQUEST_DEADLINE_S = 8.0
LAST_REQUEST_S = 2.0
_HEADER_FRAME = 4
_REJECTED_AFTER_S = 0.25
_LINGER_S = 1.0
_LINGER_BYTES = 8 * MAX_BODY_BYTES


def guarded_protocol(deadline_s: float = REQUEST_DEADLINE_S, max_head_bytes: int = MAX_HEAD_BYTES) -> type[Guarded]:
    """`Guarded` with these bounds, for `uvicorn.run(..., http=guarded_protocol())`; every server has a class alone."""
    return type("Guarded", (Guarded,), {"deadline_s": deadline_s, "max_head_bytes": max_head_bytes})


class Guarded(HttpToolsProtocol):
    """A uvicorn protocol that limits how a request may arrive; `guarded_protocol` returns it with custom limits.

    Head and body together must arrive within `deadline_s`, however slowly the bytes come, else the connection is
    closed. A head larger than `max_head_bytes` or with more than `MAX_HEADERS` headers gets 431. The bytes of one
    read are parsed in slices, so other connections run in between; a pipelined request waits unparsed until the
    previous one is answered, and chunks of a few bytes are rejected. A slow response is not affected, and an idle
    keep-alive connection is left to uvicorn's own timer.

    When the server stops, an open connection stays open for `LAST_REQUEST_S`, because a request may be in transit: it
    is answered with `Connection: close`. uvicorn would close at once and lose it.
    """

    deadline_s = REQUEST_DEADLINE_S
    max_head_bytes = MAX_HEAD_BYTES
    is_ending = False
    """Set on the class when its server begins to end."""

    _arrival: TimerHandle | None = None
    _due: float | None = None
    _rest = b""
    _at = 0
    _is_due = False
    _body_bytes = 0
    _body_parts = 0
    _head_bytes = 0
    _in_head = True
    _refused = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # asyncio calls it with this
        """Starts the time limit of the first request."""
        super().connection_made(transport)
        self._arm()
        if self.is_ending:  # accepted just before the listening socket was closed
            self.shutdown()

    def data_received(self, data: bytes) -> None:
        """Passes one piece to the parser and keeps the rest for later rounds."""
        if self._refused:
            self.transport.pause_reading()
        elif self._rest:
            self._rest, self._at = self._rest[self._at :] + data, 0
            if len(self._rest) > _MAX_REMAINDER:
                self.transport.abort()
            else:
                self.transport.pause_reading()
        elif len(data) <= PIECE_BYTES and data.count(_BLANK_LINE) <= 2 and not self._is_answering():
            self._take(data)  # one request, or a part of one
        else:
            self._rest, self._at = data, 0
            self._resume()

    def _resume(self) -> None:
        """Takes the received bytes up to the end of a request, at most `PIECE_BYTES` of them and a plain body as a
        whole; the rest waits for the response, or the next iteration of the loop. One read may contain thousands
        of headers, chunks or requests."""
        self._is_due = False
        taken = 0
        while self._at < len(self._rest) and self.parser is not None and not self._is_done():
            plain = self._plain_left()
            if self._is_answering() or (taken >= PIECE_BYTES and not plain):
                self.transport.pause_reading()
                if not self._is_answering():
                    self._resume_soon()
                return
            start, self._at = self._at, self._at + (plain or self._piece())
            piece = self._rest[start : self._at]
            taken += len(piece)
            self._take(piece)
        self._rest, self._at = b"", 0
        if self.parser is not None and not self.flow.read_paused and not self._is_done():
            self.transport.resume_reading()

    def _resume_soon(self) -> None:
        if not self._is_due:
            self._is_due = True
            self.loop.call_soon(self._resume)

    def _piece(self) -> int:
        """Returns how many bytes to take next: up to the next blank line, where a request may end."""
        least = self._at + (_MIN_PIECE if self._in_head else _MIN_CHUNKED_PIECE) - len(_BLANK_LINE)
        position = self._rest.find(_BLANK_LINE, least, self._at + PIECE_BYTES)
        return position + len(_BLANK_LINE) - self._at if position >= 0 else PIECE_BYTES

    def _is_answering(self) -> bool:
        """Returns whether a whole request was read and is not answered yet."""
        is_last_whole = self._in_head and self.cycle is not None
        return bool(self.pipeline) or (is_last_whole and not self.cycle.response_complete)

    def _plain_left(self) -> int:
        """Bytes that are still to come of a body that is not sent in chunks."""
        return 0 if self._in_head else max(0, _plain_length(self.headers) - self._body_bytes)

    def _is_done(self) -> bool:
        return self._refused or self.transport.is_closing()

    def _take(self, data: bytes) -> None:
        self._arm()
        if self._in_head:
            self._head_bytes += len(data)
        super().data_received(data)
        if self._in_head and self._head_bytes > self.max_head_bytes and not self.transport.is_closing():
            self.transport.write(_HEAD_TOO_LARGE)
            self.transport.close()

    def on_message_begin(self) -> None:
        """Starts the counts and the time limit of a request."""
        super().on_message_begin()
        self._in_head = True
        self._body_bytes = self._body_parts = 0
        self._arm()

    def on_headers_complete(self) -> None:
        """Rejects a head that is too large."""
        self._in_head = False
        came, self._head_bytes = self._head_bytes, 0
        in_one_piece = came > self.max_head_bytes and self._head_size() > self.max_head_bytes
        if in_one_piece or len(self.headers) > MAX_HEADERS:
            self._reject(_HEAD_TOO_LARGE, "the request's head is too large")
        super().on_headers_complete()
        if self.is_ending:
            self._make_last()

    def on_body(self, body: bytes) -> None:
        """Rejects a body in chunks that are too small."""
        self._body_bytes += len(body)
        self._body_parts += 1
        if self._body_parts > MAX_BODY_PARTS and self._body_bytes < self._body_parts * _PART_BYTES:
            self._reject(_TOO_MANY_CHUNKS, "the request's chunks are too small")
        super().on_body(body)

    def shutdown(self) -> None:
        """Ends the connection after the request that it answers."""
        if self.cycle is None or self.cycle.response_complete:
            self.loop.call_later(LAST_REQUEST_S, self._close_if_silent)
        else:
            self._make_last()

    def send_400_response(self, msg: str) -> None:
        """Answers a malformed request, unless it has been rejected."""
        if not self._refused:
            super().send_400_response(msg)

    def _reject(self, answer: bytes, reason: str) -> None:
        """Ends the parser, and a little later the connection: the delay slows down clients that reconnect at once."""
        self._refused = True
        self.transport.pause_reading()
        self.loop.call_later(_REJECTED_AFTER_S, self._end_rejected, answer)
        raise ValueError(reason)

    def _end_rejected(self, answer: bytes) -> None:
        if not self.transport.is_closing():
            self.transport.write(answer)
            self.transport.close()

    def _head_size(self) -> int:
        return len(self.url) + sum(len(name) + len(value) + _HEADER_FRAME for name, value in self.headers)

    def on_response_complete(self) -> None:
        """Continues with the requests that have arrived meanwhile."""
        super().on_response_complete()
        if self._rest:
            self._resume_soon()

    def on_message_complete(self) -> None:
        """Ends the time limit of a request."""
        super().on_message_complete()
        self._in_head = True
        self._disarm()

    def connection_lost(self, exc: Exception | None) -> None:
        """Ends the time limit."""
        if self._arrival is not None:
            self._arrival.cancel()
        super().connection_lost(exc)

    def _arm(self) -> None:
        """The request that arrives has to be in by then. A timer that runs for an earlier one is used again: to
        start and cancel one for each request would cost more than all else here."""
        if self._due is None:
            self._due = self.loop.time() + self.deadline_s
            if self._arrival is None:
                self._arrival = self.loop.call_at(self._due, self._check_deadline)

    def _disarm(self) -> None:
        self._due = None

    def _make_last(self) -> None:
        self.cycle.keep_alive = False
        if not self.cycle.response_started:
            self.cycle.default_headers = [*self.cycle.default_headers, (b"connection", b"close")]

    def _close_if_silent(self) -> None:
        is_asked = self.cycle is not None and not self.cycle.response_complete
        if not is_asked and not self._head_bytes and not self.transport.is_closing():
            self.transport.close()

    def _check_deadline(self) -> None:
        self._arrival = None
        if self._due is None:
            return
        if self._due > self.loop.time():
            self._arrival = self.loop.call_at(self._due, self._check_deadline)
        elif not self.transport.is_closing():
            self.transport.abort()


_HEAD_PROBLEM = json.dumps(
    {
        "type": "about:blank",
        "title": "Request Header Fields Too Large",
        "status": 431,
        "code": "head_too_large",
        "message": f"Address and headers may have at most {MAX_HEAD_BYTES:,} bytes and {MAX_HEADERS} headers.",
    }
).encode()
_HEAD_TOO_LARGE = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-type: application/problem+json\r\n"
    b"content-length: %d\r\nconnection: close\r\n\r\n%b" % (len(_HEAD_PROBLEM), _HEAD_PROBLEM)
)
_BLANK_LINE = b"\n\r\n"
"""Every head ends with one: the parser refuses a bare line feed."""
_TOO_MANY_CHUNKS = b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"


def _plain_length(headers: list[tuple[bytes, bytes]]) -> int:
    """The length of a body that is not sent in chunks."""
    length = 0
    for name, value in headers:
        if name == b"content-length":
            length = int(value)  # the parser has refused what is not a number
        elif name == b"transfer-encoding":
            return 0
    return length


class BodyGuard:
    """Passes `app` every request with its whole body in one `http.request` message, or rejects it before `app`
    runs.

    413: declared or counted (chunked) above `max_bytes`, or the limit of its path in `uploads`. 408: begun, and not
    complete within `deadline_s` from then on (a request that does not begin to arrive is closed by `guarded_protocol`).
    503: no memory for the body beside others (`infra.kernel.http.body_budget`). Errors are `application/problem+json`
    with `Connection: close` and the additional `headers` (for CORS), and `on_refused` is called. Requests without a
    body pass unchanged, so that streams still see the client's disconnect.
    """

    def __init__(
        self,
        app: App,
        *,
        max_bytes: int = MAX_BODY_BYTES,
        uploads: UploadLimits = NO_UPLOADS,
        deadline_s: float = REQUEST_DEADLINE_S,
        headers: RawHeaders = (),
        on_refused: OnRejected | None = None,
        budget: BodyBudget | None = None,
    ) -> None:
        self._app = app
        self._budget = budget or BodyBudget()
        self._max_bytes = max_bytes
        self._uploads = uploads
        self._deadline_s = deadline_s
        self._headers = headers
        self._on_refused = on_refused

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Runs the app once the whole body has arrived. Scopes other than HTTP pass unchanged."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        declared = 0
        chunked = False
        path = scope.get("path", "")
        most = next((limit for where, limit in self._uploads.items() if where.fullmatch(path)), self._max_bytes)
        for name, value in scope["headers"]:
            if name == b"content-length":
                declared = int(value)  # the protocol's parser has refused what is not a number
            elif name == b"transfer-encoding":
                chunked = True
        if declared > most:
            await self._reject(413, "too_large", _too_large(most), scope, receive, send)
        elif declared or chunked:
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            if not message.get("more_body", False) and declared <= FREE_BYTES and not chunked:
                await self._with_body(message, scope, receive, send)  # as most are: here as a whole, and small
                return
            with ExitStack() as room:
                await self._gather(message, most, declared or most, room, scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _gather(
        self, message: Message, most: int, needed: int, room: ExitStack, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Waits for the rest of a body, of which `message` is the first part. Once it is large, `needed` bytes are
        reserved for it until `room` closes."""
        parts: list[bytes] = []
        size = reserved = 0
        try:
            async with asyncio.timeout(self._deadline_s):
                while True:
                    part = message.get("body", b"")
                    size += len(part)
                    if size > most:
                        break
                    if size > FREE_BYTES and not reserved:
                        if not await self._budget.reserve(needed):
                            await self._reject(503, "busy", _BUSY, scope, receive, send)
                            return
                        reserved = needed
                        room.callback(self._budget.release, needed)
                    parts.append(part)
                    if not message.get("more_body", False):
                        break
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        return
        except TimeoutError:
            await self._reject(408, "too_slow", "The request's body did not arrive in time.", scope, receive, send)
            return
        if size > most:
            await self._reject(413, "too_large", _too_large(most), scope, receive, send)
            return
        body = parts[0] if len(parts) == 1 else b"".join(parts)
        await self._with_body({"type": "http.request", "body": body, "more_body": False}, scope, receive, send)

    async def _with_body(self, whole: Message, scope: Scope, receive: Receive, send: Send) -> None:
        left: Message | None = whole

        async def replay() -> Message:
            nonlocal left
            if left is None:
                return await receive()
            message, left = left, None
            return message

        await self._app(scope, replay, send)

    async def _reject(self, status: int, code: str, message: str, scope: Scope, receive: Receive, send: Send) -> None:
        if self._on_refused is not None:
            self._on_refused(scope, status, code, message)
        body = problem(status, code, message)
        headers = [
            (b"content-type", b"application/problem+json"),
            (b"content-length", str(len(body)).encode()),
            (b"connection", b"close"),
            *self._headers,
        ]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body, "more_body": True})
        if status == 413:
            await _linger(receive)
        await send({"type": "http.response.body", "body": b"", "more_body": False})


_BUSY = "Many large requests are being received right now. Please try again in a moment."


def _too_large(most: int) -> str:
    return f"A request's body may have at most {most:,} bytes."


def problem(status: int, code: str, message: str) -> bytes:
    """An RFC 9457 body, the same for every service; `message` can be shown to a person."""
    title = HTTPStatus(status).phrase
    return json.dumps(
        {"type": "about:blank", "title": title, "status": status, "code": code, "detail": message, "message": message}
    ).encode()


async def disconnected(receive: Receive) -> None:
    """Returns when the client has gone away. For a request whose body has been read."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def _linger(receive: Receive) -> None:
    """Reads and discards a little of the remaining body: closing on unread bytes would reset the connection, and
    many clients would lose the response that explains the error."""
    swallowed = 0
    try:
        async with asyncio.timeout(_LINGER_S):
            while swallowed < _LINGER_BYTES:
                message = await receive()
                swallowed += len(message.get("body", b""))
                if message["type"] == "http.disconnect" or not message.get("more_body", False):
                    return
    except TimeoutError:
        return
