"""Traces: off by default, one trace per correlation id, and a collector that is down costs nothing but spans."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from time import time_ns
from uuid import uuid4

import pytest
from starlette.types import Message, Receive, Scope, Send

from infra.kernel.http.request_context import LogContextMiddleware
from infra.kernel.observability import tracing
from infra.kernel.observability.otlp import OtlpExporter
from tests.support.collector import CollectedSpan, Collector, collector
from tests.support.ports import free_ports


@pytest.fixture
def collected() -> Iterator[tuple[Collector, OtlpExporter]]:
    with collector() as made:
        exporter = OtlpExporter("test", made.address)
        tracing.use(exporter)
        try:
            yield made, exporter
        finally:
            tracing.use(None)
            exporter.close()


def spans(collected: tuple[Collector, OtlpExporter]) -> list[CollectedSpan]:
    made, exporter = collected
    exporter.flush()
    return made.spans


def test_nothing_of_opentelemetry_is_imported_without_a_collector() -> None:
    program = """
import gc
import sys
gc.disable()  # as in a start of a service: imports leave nothing to collect
from infra.kernel.config.loading import load
from infra.kernel.observability import tracing
import command_api.app, ingest.service, projectors.service, query_api.app
tracing.configure("test", load({}, env_file=None))
assert not tracing.is_on()
assert not [name for name in sys.modules if name.startswith(("opentelemetry.sdk", "opentelemetry.exporter"))]
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_work_on_a_batch_is_in_the_trace_of_each_correlation_id(collected: tuple[Collector, OtlpExporter]) -> None:
    first, second = str(uuid4()), "request-1"
    with tracing.recorded("outer", lambda: [first, second, first], {"events": 3}):
        pass
    found = spans(collected)
    assert [(span.service, span.name, span.parent) for span in found] == [("althing-test", "outer", "")] * 2
    assert found[0].trace == first.replace("-", "")
    assert [span.attributes for span in found] == [
        {"events": 3, "correlation_id": first},
        {"events": 3, "correlation_id": second},
    ]
    assert found[1].trace == f"{tracing.trace_id(second):032x}"


def test_a_failure_is_marked_without_its_text(collected: tuple[Collector, OtlpExporter]) -> None:
    with pytest.raises(ValueError, match="a@b"), tracing.recorded("failing", lambda: ["x"]):
        raise ValueError("a@b.example is not free")
    [span] = spans(collected)
    assert span.is_error
    assert "a@b" not in str(span)


def test_a_batch_has_a_bounded_number_of_spans(collected: tuple[Collector, OtlpExporter]) -> None:
    tracing.record("many", (str(uuid4()) for _ in range(10 * tracing.MAX_TRACES)), time_ns())
    assert len(spans(collected)) == tracing.MAX_TRACES


async def _request(headers: list[tuple[bytes, bytes]]) -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG001
        tracing.record("inner", [dict(scope["headers"])[b"x-request-id"].decode()], time_ns())
        await send({"type": "http.response.start", "status": 204, "headers": []})

    async def receive() -> Message:
        return {"type": "http.request"}

    async def send(_: Message) -> None:
        pass

    scope = {"type": "http", "method": "GET", "path": "/x", "headers": headers}
    await LogContextMiddleware(app)(scope, receive, send)


@pytest.mark.parametrize("is_ours", [True, False])
def test_a_trace_parent_counts_only_for_the_trace_of_the_request_id(
    collected: tuple[Collector, OtlpExporter], is_ours: bool
) -> None:
    trace = tracing.trace_id("request-2") if is_ours else tracing.trace_id("of another request")
    parent = f"00-{trace:032x}-00000000000000aa-01".encode()
    asyncio.run(_request([(b"x-request-id", b"request-2"), (b"traceparent", parent)]))
    inner, outer = spans(collected)
    assert {inner.trace, outer.trace} == {f"{tracing.trace_id('request-2'):032x}"}
    assert (inner.name, inner.parent) == ("inner", outer.id)
    assert outer.attributes["http.response.status_code"] == 204
    assert outer.parent == ("00000000000000aa" if is_ours else "")


def test_a_collector_that_is_down_costs_spans_only() -> None:
    """With time-outs for each span, or for each batch at the end, this would reach the test's time limit."""
    [port] = free_ports(1)
    exporter = OtlpExporter("test", f"http://127.0.0.1:{port}")
    tracing.use(exporter)
    try:
        for number in range(5_000):  # more than the queue holds
            tracing.record("lost", [str(number)], time_ns())
    finally:
        tracing.use(None)
        exporter.close()
