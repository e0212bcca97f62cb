"""One ClickHouse front for all contract tests; each works on tables of its own."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from tests.support.clickhouse import PASSWORD, READER, READER_PASSWORD, USER, ClickHouse, start_clickhouse
from tests.support.engines import engine_folder


@pytest.fixture(scope="package")
def server() -> Iterator[ClickHouse]:
    with engine_folder("clickhouse") as folder:
        running = start_clickhouse(folder)
        yield running
        running.stop()


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
