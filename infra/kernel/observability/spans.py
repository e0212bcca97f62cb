"""The parts of traces, without a framework: `tracing` decides what becomes a span, an `Exporter` sends it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from types import MappingProxyType
from typing import Final, Protocol

Attributes = Mapping[str, str | int]
NO_ATTRIBUTES: Final[Attributes] = MappingProxyType({})


class Exporter(Protocol):
    """Sends spans to a collector (`infra.kernel.observability.otlp`). Never blocks and never raises."""

    def record(self, name: str, trace_id: int, began_ns: int, attributes: Attributes, error: str) -> None:
        """Adds a span that ends now. Trace 0: one of its own."""

    def current(self, name: str, trace_id: int, parent: bytes) -> AbstractContextManager[CurrentSpan]:
        """A span around a block, under which spans of the same trace are shown. `parent`: a `traceparent`."""

    def trace_parent(self) -> bytes:
        """The header `traceparent` of a request that is part of the current span."""


class CurrentSpan(Protocol):
    """A span that has not ended."""

    def update_name(self, name: str) -> None:
        """Names the span."""

    def set_attributes(self, attributes: Attributes) -> None:
        """Adds attributes."""
