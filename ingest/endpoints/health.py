"""`/livez`, `/readyz` and `/metrics` of the edge."""

from __future__ import annotations

import asyncio
from typing import Any

from infra.health import is_loopback
from infra.http_guard import Receive, Scope, Send
from ingest.answers import NO_STORE, send_bytes, send_json, send_problem
from ingest.counters import exposition
from ingest.edge import Edge
from ingest.refused import Refused
from schemas.tracking import Outcome


async def livez(edge: Edge, scope: Scope, receive: Receive, send: Send) -> None:
    """The process answers."""
    await send_json(send, 200, {"status": "ok"})


async def readyz(edge: Edge, scope: Scope, receive: Receive, send: Send) -> None:
    """Whether events can be taken now: 200 or 503, with the state of each part."""
    log_answers = await asyncio.get_running_loop().run_in_executor(None, edge.log.ready)
    parts: dict[str, Any] = {
        "log": "ok" if log_answers else "down",
        "directory": "ok" if edge.directory.is_known else "unknown",
        "state": "stopping" if edge.stopping else "running",
    }
    ready = log_answers and edge.directory.is_known and not edge.stopping
    await send_json(send, 200 if ready else 503, {"status": "ok" if ready else "unready", "parts": parts})


async def metrics(edge: Edge, scope: Scope, receive: Receive, send: Send) -> None:
    """Prometheus text, for this machine only and never through a proxy."""
    peer = scope.get("client")
    headers: dict[bytes, bytes] = dict(scope["headers"])
    if not is_loopback(peer[0] if peer else None) or b"x-forwarded-for" in headers:
        await send_problem(send, Refused(Outcome.NOT_ALLOWED, "not_found", "There is nothing here.", status=404))
        return
    gauges = {
        "unacked": float(edge.publisher.unacked),
        "unacked_bytes": float(edge.publisher.unacked_bytes),
        "clicks_waiting": float(edge.retries.waiting),
        "directory_known": float(edge.directory.is_known),
    }
    kind = (b"content-type", b"text/plain; version=0.0.4; charset=utf-8")
    await send_bytes(send, 200, exposition(edge.counters, gauges), (kind, NO_STORE))
