"""Traces of ingest's requests: a request belongs to the chains of the events that it publishes."""

from __future__ import annotations

from time import time_ns

from infra.kernel.http.request_limits import App, Message, Receive, Scope, Send
from infra.kernel.observability import tracing
from ingest.app import endpoint_of


def traced(app: App) -> App:
    """The app with one span per request and chain; the app itself while tracing is off."""
    return _traced(app) if tracing.is_on() else app


def _traced(app: App) -> App:
    async def call(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in tracing.HEALTH:
            await app(scope, receive, send)
            return
        began_ns, correlations, status = time_ns(), tracing.collect(), 0

        async def observed(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        try:
            await app(scope, receive, observed)
        finally:
            name = f"{scope['method']} {endpoint_of(scope['path'])}"
            tracing.record(name, correlations or [""], began_ns, {"http.response.status_code": status})

    return call
