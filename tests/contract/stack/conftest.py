"""A stack without its public services, on real engines: the doctor examines it, and ingest and web start beside it."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from tests.support.stack import Stack, stack


@pytest.fixture(scope="session")
def reports_of_stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[socket.socket]:
    """What the supervisor reports to systemd."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as channel:
        channel.bind(str(tmp_path_factory.mktemp("systemd") / "notify"))
        channel.setblocking(False)
        yield channel


@pytest.fixture(scope="session")
def small_stack(reports_of_stack: socket.socket) -> Iterator[Stack]:
    """Engines, `command`, `query` and `projectors`."""
    settings = {"NOTIFY_SOCKET": reports_of_stack.getsockname()}
    with stack(settings, only=("command", "query", "projectors")) as running:
        yield running
