"""A stack without its public services, on real engines: the doctor examines it, and ingest and web start beside it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.stack import Stack, stack


@pytest.fixture(scope="session")
def small_stack() -> Iterator[Stack]:
    """Engines, `command`, `query` and `projectors`."""
    with stack(only=("command", "query", "projectors")) as running:
        yield running
