"""An OpenTelemetry collector: takes OTLP over HTTP as protobuf, as real ones do, and keeps the spans."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


@dataclass(frozen=True)
class CollectedSpan:
    """A span as it was exported. `trace`, `id`, `parent`: hexadecimal; without a parent the last is empty."""

    service: str
    name: str
    trace: str
    id: str
    parent: str
    attributes: dict[str, str | int]
    is_error: bool


@dataclass
class Collector:
    """`address` is what `OTEL_EXPORTER_OTLP_ENDPOINT` takes."""

    address: str = ""
    _spans: list[CollectedSpan] = field(default_factory=list)
    _lock: Lock = field(default_factory=Lock)

    @property
    def spans(self) -> list[CollectedSpan]:
        """All spans until now."""
        with self._lock:
            return list(self._spans)

    def trace(self, trace: str) -> set[tuple[str, str]]:
        """Service and name of the spans of a trace."""
        return {(span.service, span.name) for span in self.spans if span.trace == trace}

    def take(self, body: bytes) -> None:
        """Keeps the spans of one request. Raises `DecodeError`."""
        request = ExportTraceServiceRequest.FromString(body)
        found = []
        for resource in request.resource_spans:
            service = next(one.value.string_value for one in resource.resource.attributes if one.key == "service.name")
            for scope in resource.scope_spans:
                for span in scope.spans:
                    values = {one.key: one.value.string_value or one.value.int_value for one in span.attributes}
                    found.append(
                        CollectedSpan(
                            service, span.name, span.trace_id.hex(), span.span_id.hex(), span.parent_span_id.hex(),
                            values, span.status.code == 2,
                        )
                    )  # fmt: skip
        with self._lock:
            self._spans += found


@contextmanager
def collector() -> Iterator[Collector]:
    """A collector on a port of its own."""
    made = Collector()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            is_right = self.path == "/v1/traces" and self.headers["Content-Type"] == "application/x-protobuf"
            if is_right:
                made.take(gzip.decompress(body) if self.headers["Content-Encoding"] == "gzip" else body)
            self.send_response(200 if is_right else 404)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        made.address = f"http://127.0.0.1:{server.server_address[1]}"
        yield made
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
