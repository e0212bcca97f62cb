"""The log context of a request: its id, bound once, also for the threads and tasks that work for it.

The gateway creates each request's id and forwards it (`X-Request-Id`), so that its log lines and those of the service
can be joined. The header does not authenticate the client: anyone who reaches a service may send one.
"""

from __future__ import annotations

import re
import secrets
from typing import Final

import structlog
from starlette.types import ASGIApp, Receive, Scope, Send

from infra.kernel.http.request_limits import RawHeaders
from infra.kernel.observability import logging, tracing

REQUEST_ID: Final = b"x-request-id"
_FORM: Final = re.compile(rb"[0-9A-Za-z_.-]{1,64}")


class LogContextMiddleware:
    """Middleware: binds `request_id` and `correlation_id`, replacing those of the connection's last request.

    They stay bound after the app has returned: its error handler runs outside of middlewares.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Binds the context of an HTTP request and calls the app."""
        if scope["type"] == "http":
            bind(scope["headers"])
            if tracing.is_on() and scope["path"] not in tracing.HEALTH:
                await tracing.trace_request(self._app, scope, receive, send, request_id())
                return
        await self._app(scope, receive, send)


def bind(headers: RawHeaders) -> None:
    """Begins a request's context, with the id in `headers` if there is a well-formed one, else with a new one."""
    sent = next((value for name, value in headers if name == REQUEST_ID), b"")
    request_id = sent.decode() if _FORM.fullmatch(sent) else secrets.token_hex(8)
    logging.begin_context(request_id=request_id, correlation_id=request_id)


def request_id() -> str:
    """The id of the request that this thread or task works for."""
    return str(structlog.contextvars.get_contextvars().get("request_id", ""))
