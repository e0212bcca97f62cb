"""Responses of ingest: JSON or problem+json, always with CORS headers."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, Final

import msgspec

from infra.kernel.http.request_limits import Message, RawHeaders, Send
from ingest.errors import EventRejected, Unavailable

ANY_ORIGIN: Final = (b"access-control-allow-origin", b"*")
CORS: Final[RawHeaders] = (
    ANY_ORIGIN,
    (b"access-control-expose-headers", b"Retry-After"),
    (b"cross-origin-resource-policy", b"cross-origin"),
    (b"x-content-type-options", b"nosniff"),
)
NO_STORE: Final = (b"cache-control", b"no-store")
_JSON: Final = (b"content-type", b"application/json")
_PROBLEM: Final = (b"content-type", b"application/problem+json")
_CREDENTIALS: Final = ((b"access-control-allow-credentials", b"true"), (b"vary", b"origin"))
encode: Final = msgspec.json.Encoder().encode


def with_credentials(message: Message, origin: bytes) -> Message:
    """The start of an answer that every origin may read, for one that sends its cookies along: then browsers accept no
    `*`. JSON beacons always do. Nothing here is decided by a cookie, so it allows nothing more."""
    headers = list(message["headers"])
    if ANY_ORIGIN not in headers:
        return message
    headers[headers.index(ANY_ORIGIN)] = (ANY_ORIGIN[0], origin)
    return {**message, "headers": [*headers, *_CREDENTIALS]}


async def send_bytes(send: Send, status: int, body: bytes, headers: RawHeaders) -> None:
    """Sends one complete response."""
    length = (b"content-length", str(len(body)).encode())
    await send({"type": "http.response.start", "status": status, "headers": [*headers, length]})
    await send({"type": "http.response.body", "body": body})


async def send_json(send: Send, status: int, content: Any, *headers: tuple[bytes, bytes]) -> None:
    """Sends one JSON response with CORS headers."""
    await send_bytes(send, status, encode(content), (_JSON, NO_STORE, *CORS, *headers))


async def send_problem(send: Send, error: EventRejected | Unavailable, **more: Any) -> None:
    """The refusal as problem+json; `more` = additional members."""
    status = error.status if isinstance(error, EventRejected) else 503
    content = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "code": error.code,
        "detail": error.message,
        "message": error.message,
        **more,
    }
    headers = [_PROBLEM, NO_STORE, *CORS]
    if error.retry_after:
        headers.append((b"retry-after", str(error.retry_after).encode()))
    if status == 401:
        headers.append((b"www-authenticate", b'Bearer realm="tracking"'))
    await send_bytes(send, status, encode(content), tuple(headers))


_ACCEPTED_ONE: Final = b'{"accepted":1,"rejected":[]}'
_START_ONE: Final = [_JSON, ANY_ORIGIN, (b"content-length", str(len(_ACCEPTED_ONE)).encode())]


async def send_accepted_one(send: Send) -> None:
    """The answer to one good event, made once."""
    await send({"type": "http.response.start", "status": 202, "headers": _START_ONE})
    await send({"type": "http.response.body", "body": _ACCEPTED_ONE})
