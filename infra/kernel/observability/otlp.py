"""Sends spans to an OpenTelemetry collector by OTLP over HTTP. Imported only when tracing is on.

Spans wait in a bounded queue and are sent by a thread of their own: a collector that is slow or down costs spans, never
time. `OTEL_TRACES_SAMPLER`, `OTEL_BSP_*` and the other standard settings apply.
"""

from __future__ import annotations

import atexit
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

import structlog
from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExportResult
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.trace import NonRecordingSpan, Span, SpanContext, Status, StatusCode, TraceFlags

from infra.kernel.config.version import product_version
from infra.kernel.observability.log_throttle import LogThrottle
from infra.kernel.observability.spans import Attributes

TIMEOUT_S: Final = 2.0
"""The time limit of one attempt with its retries; a process that ends does not wait longer for a collector that is
down."""

_PARENT: Final = re.compile(rb"00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})")
_wanted: ContextVar[int] = ContextVar("wanted_trace_id", default=0)

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


class OtlpExporter:
    """`infra.kernel.observability.spans.Exporter` over the SDK. Thread-safe."""

    def __init__(self, service: str, endpoint: str) -> None:
        resource = Resource.create({"service.name": f"althing-{service}", "service.version": product_version()})
        self._provider = TracerProvider(id_generator=_Ids(), resource=resource, shutdown_on_exit=False)
        self._sender = _Sender(f"{endpoint.rstrip('/')}/v1/traces", timeout=TIMEOUT_S)
        self._processor = BatchSpanProcessor(self._sender)
        self._provider.add_span_processor(self._processor)
        self._tracer = self._provider.get_tracer("althing", product_version())
        atexit.register(self.close)

    def flush(self) -> None:
        """Sends what waits."""
        self._processor.force_flush()

    def close(self) -> None:
        """Sends what waits, without a second attempt, and ends the thread."""
        atexit.unregister(self.close)
        self._sender.is_ending = True
        self._processor.force_flush()
        self._provider.shutdown()

    def record(self, name: str, trace_id: int, began_ns: int, attributes: Attributes, error: str) -> None:
        """Adds a span that ends now."""
        span = self._start(name, trace_id, b"", began_ns)
        span.set_attributes(attributes)
        if error:
            span.set_status(Status(StatusCode.ERROR, error))
        span.end()

    @contextmanager
    def current(self, name: str, trace_id: int, parent: bytes) -> Iterator[Span]:
        """A span around a block."""
        span = self._start(name, trace_id, parent, None)
        with trace.use_span(span, end_on_exit=True, record_exception=False):
            yield span

    def trace_parent(self) -> bytes:
        """The header `traceparent` of the current span."""
        context = trace.get_current_span().get_span_context()
        return f"00-{context.trace_id:032x}-{context.span_id:016x}-{context.trace_flags & 1:02x}".encode()

    def _start(self, name: str, trace_id: int, parent: bytes, began_ns: int | None) -> Span:
        token = _wanted.set(trace_id)
        try:
            return self._tracer.start_span(name, self._context(trace_id, parent), start_time=began_ns)
        finally:
            _wanted.reset(token)

    def _context(self, trace_id: int, parent: bytes) -> Context | None:
        """The given or the current span's context if it is of that trace; else an empty one."""
        match = _PARENT.fullmatch(parent)
        if match is not None and int(match[1], 16) == trace_id and int(match[2], 16):
            flags = TraceFlags(int(match[3], 16) & TraceFlags.SAMPLED)
            remote = SpanContext(trace_id, int(match[2], 16), is_remote=True, trace_flags=flags)
            return trace.set_span_in_context(NonRecordingSpan(remote), Context())
        is_current = trace.get_current_span().get_span_context().trace_id == trace_id
        return None if is_current and trace_id else Context()


class _Ids(RandomIdGenerator):
    def generate_trace_id(self) -> int:
        return _wanted.get() or super().generate_trace_id()


class _Sender(OTLPSpanExporter):
    is_ending = False
    """The process ends: after a failure nothing more is sent."""

    _has_failed = False
    _throttle: Final = LogThrottle()

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        if self.is_ending and self._has_failed:
            return SpanExportResult.FAILURE
        result = super().export(spans)
        self._has_failed = result is not SpanExportResult.SUCCESS
        if self._has_failed and self._throttle.should_log("export"):
            log.warning("trace_export_failed", spans=len(spans))
        return result
