"""`/livez`, `/readyz` and `/metrics` of ingest."""

from __future__ import annotations

import asyncio
from typing import Any

from infra.kernel.http.health import may_monitor
from infra.kernel.http.request_limits import Receive, Scope, Send
from ingest.context import IngestContext
from ingest.errors import EventRejected
from ingest.metrics import exposition
from ingest.responses import NO_STORE, send_bytes, send_json, send_problem
from schemas.tracking import Outcome


async def livez(_context: IngestContext, _scope: Scope, _receive: Receive, send: Send) -> None:
    """The process answers."""
    await send_json(send, 200, {"status": "ok"})


async def readyz(context: IngestContext, _scope: Scope, _receive: Receive, send: Send) -> None:
    """Answers whether events can be taken now: 200 or 503, with the state of each part."""
    log_answers = await asyncio.get_running_loop().run_in_executor(None, context.log.ready)
    parts: dict[str, Any] = {
        "log": "ok" if log_answers else "down",
        "directory": "ok" if context.directory.is_known else "unknown",
        "state": "stopping" if context.stopping else "running",
    }
    ready = log_answers and context.directory.is_known and not context.stopping
    await send_json(send, 200 if ready else 503, {"status": "ok" if ready else "unready", "parts": parts})


async def metrics(context: IngestContext, scope: Scope, _receive: Receive, send: Send) -> None:
    """Prometheus text, for this machine and `ALTHING_METRICS_NETWORKS`, never through a proxy."""
    if not may_monitor(scope, context.settings.metrics_networks):
        await send_problem(send, EventRejected(Outcome.NOT_ALLOWED, "not_found", "There is nothing here.", status=404))
        return
    gauges = {
        "unacked": float(context.publisher.unacked),
        "unacked_bytes": float(context.publisher.unacked_bytes),
        "clicks_waiting": float(context.retries.waiting),
        "directory_known": float(context.directory.is_known),
    }
    kind = (b"content-type", b"text/plain; version=0.0.4; charset=utf-8")
    await send_bytes(send, 200, exposition(context.counters, gauges), (kind, NO_STORE))
