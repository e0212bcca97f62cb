"""One ClickHouse front for all contract tests; each works on tables of its own. What systemd receives."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.support.clickhouse import PASSWORD, READER, READER_PASSWORD, USER, ClickHouse, own_clickhouse


@pytest.fixture(scope="package")
def server() -> Iterator[ClickHouse]:
    with own_clickhouse() as running:
        yield running


@pytest.fixture(scope="package")
def http(server: ClickHouse) -> Iterator[httpx.Client]:
    """A client of the full user."""
    with httpx.Client(base_url=server.address, auth=(USER, PASSWORD), timeout=60) as opened:
        yield opened


@pytest.fixture(scope="package")
def reader(server: ClickHouse) -> Iterator[httpx.Client]:
    """A client of the readonly user."""
    with httpx.Client(base_url=server.address, auth=(READER, READER_PASSWORD), timeout=60) as opened:
        yield opened


@pytest.fixture
def systemd(tmp_path: Path) -> Iterator[socket.socket]:
    """Receives what a service reports to systemd."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as channel:
        channel.bind(str(tmp_path / "notify"))
        channel.settimeout(60)
        yield channel
