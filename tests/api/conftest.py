"""Fixtures of the API tests."""

from collections.abc import Iterator

import pytest

from tests.support.edge import Edge, running_edge
from tests.support.whole_api import whole_api

__all__ = ["edge", "whole_api"]


@pytest.fixture(scope="session")
def edge() -> Iterator[Edge]:
    """Ingest alone, on a real log, for all tests of the tracking API."""
    with running_edge(ALTHING_SITE_RATE="10000") as edge:
        yield edge
