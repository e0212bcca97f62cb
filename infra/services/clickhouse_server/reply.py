"""How an answer goes onto the wire: ClickHouse's headers, its error bodies, its notice of a failure in mid-stream."""

from __future__ import annotations

import asyncio
import json
import secrets
import string
from dataclasses import dataclass, field

from infra.kernel.http.request_limits import Send
from infra.services.clickhouse_server import content_encodings
from infra.services.clickhouse_server.engine import Stats
from infra.services.clickhouse_server.errors import ClickHouseError
from infra.services.clickhouse_server.formats import content_type

SEND_S = 60.0
TAIL_S = 2.0
"""Between an error in mid-stream and the end of the connection: Node's client drops what it has not read by then."""
SERVER_NAME = "althing"
_TAG_ALPHABET = string.ascii_lowercase


@dataclass
class ReplyWriter:
    """One answer being written. `send` calls are bounded: a client that reads nothing for `SEND_S` loses its answer."""

    send: Send
    version: str
    timezone: str
    head_only: bool = False
    query_id: str = ""
    coding: str | None = None
    native: bool = False
    tables_read_at: str = ""
    events_kept_from: str = ""
    started: bool = False
    _encoder: content_encodings.Encoder | None = None
    _tag: str = field(default_factory=lambda: "".join(secrets.choice(_TAG_ALPHABET) for _ in range(16)))

    async def whole(self, body: bytes, output_format: str, stats: Stats) -> None:
        """A complete answer with its length."""
        if body:
            encoder = content_encodings.encoder(self.coding, native=self.native)
            body = encoder.encode(body) + encoder.finish()
        headers = self._headers(content_type(output_format), stats, output_format)
        if body and self.coding is not None:
            headers.append((b"content-encoding", self.coding.encode()))
        headers.append((b"content-length", str(len(body)).encode()))
        await self._start(200, headers)
        await self._body(b"" if self.head_only else body, more=False)

    async def begin(self, output_format: str, stats: Stats) -> None:
        """The head of an answer whose body follows by `chunk` and `end`, or `fail`."""
        self._encoder = content_encodings.encoder(self.coding, native=self.native)
        headers = self._headers(content_type(output_format), stats, output_format)
        headers.append((b"x-clickhouse-exception-tag", self._tag.encode()))
        if self.coding is not None:
            headers.append((b"content-encoding", self.coding.encode()))
        await self._start(200, headers)

    async def chunk(self, data: bytes) -> None:
        if data and self._encoder is not None and not self.head_only:
            await self._body(self._encoder.encode(data), more=True)

    async def end(self) -> None:
        rest = self._encoder.finish() if self._encoder is not None and not self.head_only else b""
        await self._body(rest, more=False)

    async def fail(self, failure: ClickHouseError, *, close: bool = False) -> None:
        """An error as a response of its own, or, after `begin`, as the tail that ClickHouse's clients look for.

        In the second case the body is left incomplete on purpose: a client that does not know the tail must not
        treat half a result as a whole one.
        """
        message = f"{failure.text} (version {self.version})\n".encode()
        if self.started:
            tag = self._tag.encode()
            tail = (tag, message, len(message), tag)
            await self.chunk(b"\r\n__exception__\r\n%b\r\n%b%d %b\r\n__exception__\r\n" % tail)
            await asyncio.sleep(TAIL_S)
            return
        headers = self._headers("text/plain; charset=UTF-8", None)
        headers.append((b"x-clickhouse-exception-code", str(failure.code).encode()))
        headers.append((b"content-length", str(len(message)).encode()))
        if failure.status == 401:
            headers.append((b"www-authenticate", b'Basic realm="ClickHouse server HTTP API"'))
        if failure.status == 503:
            headers.append((b"retry-after", b"1"))
        if close:
            headers.append((b"connection", b"close"))
        await self._start(failure.status, headers)
        await self._body(b"" if self.head_only else message, more=False)

    async def plain(self, status: int, body: bytes) -> None:
        headers = [(b"content-type", b"text/html; charset=UTF-8"), (b"content-length", str(len(body)).encode())]
        await self._start(status, headers)
        await self._body(b"" if self.head_only else body, more=False)

    def _headers(self, kind: str, stats: Stats | None, output_format: str = "") -> list[tuple[bytes, bytes]]:
        headers = [
            ("content-type", kind),
            ("x-clickhouse-server-display-name", SERVER_NAME),
            ("x-clickhouse-query-id", self.query_id),
            ("x-clickhouse-timezone", self.timezone),
        ]
        if self.tables_read_at:
            headers.append(("x-tables-read-at", self.tables_read_at))
        if self.events_kept_from:
            headers.append(("x-events-kept-from", self.events_kept_from))
        if output_format:
            headers.append(("x-clickhouse-format", output_format))
        if stats is not None:
            headers.append(("x-clickhouse-summary", _summary(stats)))
        return [(name.encode(), value.encode("latin-1", "replace")) for name, value in headers]

    async def _start(self, status: int, headers: list[tuple[bytes, bytes]]) -> None:
        self.started = True
        await self.send({"type": "http.response.start", "status": status, "headers": headers})

    async def _body(self, data: bytes, *, more: bool) -> None:
        async with asyncio.timeout(SEND_S):
            await self.send({"type": "http.response.body", "body": data, "more_body": more})


def _summary(stats: Stats) -> str:
    results = {"result_rows": stats.result_rows or stats.written_rows, "result_bytes": stats.written_bytes}
    values = {**vars(stats), **results}
    return json.dumps({name: str(value) for name, value in values.items()}, separators=(",", ":"))
