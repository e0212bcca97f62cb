"""Traces for OpenTelemetry, off without `OTEL_EXPORTER_OTLP_ENDPOINT`: then nothing of OpenTelemetry is imported.

The id of a trace follows from the correlation id, so that services need not hand it on, and logs and traces meet. Work
on a batch becomes one span in the trace of each of the first `MAX_TRACES` correlation ids. `traceparent` is honoured
from our own gateway: only if it names the trace of the request's id, and it never authorizes anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from hashlib import blake2b
from itertools import islice
from time import time_ns
from typing import TYPE_CHECKING, Final
from uuid import UUID

from infra.kernel.config.settings import Settings
from infra.kernel.observability.spans import NO_ATTRIBUTES, Attributes, CurrentSpan, Exporter

if TYPE_CHECKING:  # ingest has no framework
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAX_TRACES: Final = 100
TRACE_PARENT: Final = b"traceparent"
HEALTH: Final = frozenset({"/livez", "/readyz", "/metrics"})
"""Paths whose requests are not traced."""

_exporter: Exporter | None = None
_collected: ContextVar[list[str] | None] = ContextVar("collected_correlation_ids", default=None)


def configure(service: str, settings: Settings) -> None:
    """Turns tracing on in this process if the settings name a collector."""
    if settings.otlp_endpoint is None:
        return
    from infra.kernel.observability.otlp import OtlpExporter

    use(OtlpExporter(service, settings.otlp_endpoint))


def use(exporter: Exporter | None) -> None:
    """Sends the spans of this process there; `None` turns tracing off."""
    global _exporter
    _exporter = exporter


def is_on() -> bool:
    """Returns whether spans are recorded: called before anything is prepared for them."""
    return _exporter is not None


def trace_id(correlation_id: str) -> int:
    """The trace of a correlation id: a UUID is its own, of another text it is a hash; 0 without one."""
    if not correlation_id:
        return 0
    try:
        return UUID(correlation_id).int
    except ValueError:
        return int.from_bytes(blake2b(correlation_id.encode(), digest_size=16).digest(), "big")


def record(
    name: str,
    correlations: Iterable[str],
    began_ns: int,
    attributes: Attributes = NO_ATTRIBUTES,
    error: BaseException | None = None,
) -> None:
    """Records work that began at `began_ns` (Unix time) and ends now, in the trace of each correlation id."""
    if _exporter is None:
        return
    # Only its type: the message may quote what a client sent.
    text = type(error).__name__ if error is not None else ""
    for one in islice(dict.fromkeys(correlations), MAX_TRACES):
        named = {**attributes, "correlation_id": one} if one else attributes
        _exporter.record(name, trace_id(one), began_ns, named, text)


@contextmanager
def recorded(
    name: str, correlations: Callable[[], Iterable[str]], attributes: Attributes = NO_ATTRIBUTES
) -> Iterator[None]:
    """Records the block; its correlation ids are read when it ends."""
    if _exporter is None:
        yield
        return
    began_ns = time_ns()
    try:
        yield
    except Exception as error:
        record(name, correlations(), began_ns, attributes, error)
        raise
    record(name, correlations(), began_ns, attributes)


def current(name: str, correlation_id: str, parent: bytes = b"") -> AbstractContextManager[CurrentSpan | None]:
    """A span around a block, for spans inside it; none while tracing is off."""
    if _exporter is None:
        return nullcontext()
    return _exporter.current(name, trace_id(correlation_id), parent)


def parent_headers() -> tuple[tuple[bytes, bytes], ...]:
    """Headers of a request to another service: the current span; none while tracing is off."""
    return () if _exporter is None else ((TRACE_PARENT, _exporter.trace_parent()),)


async def trace_request(app: ASGIApp, scope: Scope, receive: Receive, send: Send, correlation_id: str) -> None:
    """Calls the app inside a span of its request, which is named by the route once it is known."""
    parent = next((value for name, value in scope["headers"] if name == TRACE_PARENT), b"")
    with current(scope["method"], correlation_id, parent) as span:

        async def described(message: Message) -> None:
            if span is not None and message["type"] == "http.response.start":
                name = f"{scope['method']} {getattr(scope.get('route'), 'path', '')}".strip()
                status: int = message["status"]
                span.update_name(name)
                span.set_attributes({"http.response.status_code": status, "correlation_id": correlation_id})
            await send(message)

        await app(scope, receive, described)


def collect() -> list[str]:
    """A list that `note` of this task adds to from now on."""
    correlations: list[str] = []
    _collected.set(correlations)
    return correlations


def note(correlations: Iterable[str]) -> None:
    """Adds correlation ids to the list of this task, if it collects."""
    collected = _collected.get()
    if collected is not None:
        collected.extend(islice(correlations, MAX_TRACES))
