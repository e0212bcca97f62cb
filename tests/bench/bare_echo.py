"""The baseline of `bench_ingest`: our HTTP server with an application that reads the body and answers 202."""

from __future__ import annotations

import sys

from infra.kernel.http.request_limits import Receive, Scope, Send
from infra.kernel.http.server import serve

_START = {
    "type": "http.response.start",
    "status": 202,
    "headers": [(b"content-type", b"application/json"), (b"content-length", b"2")],
}
_BODY = {"type": "http.response.body", "body": b"{}"}


async def echo(_scope: Scope, receive: Receive, send: Send) -> None:
    await receive()
    await send(_START)
    await send(_BODY)


if __name__ == "__main__":
    sys.exit(serve(echo, host="127.0.0.1", port=int(sys.argv[1]), lifespan=False))
