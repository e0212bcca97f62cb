"""Fixtures of the API tests: the edge with a website of one's own, and the query API's world."""

from collections.abc import Iterator

import httpx
import pytest

from schemas import topics
from tests.support.edge import Edge, Site, Tail, running_edge
from tests.support.query import QueryService, World
from tests.support.whole_api import whole_api

__all__ = ["clicks", "client", "edge", "rejected", "site", "whole_api", "world"]


@pytest.fixture(scope="session")
def edge() -> Iterator[Edge]:
    """Ingest alone, on a real log, for all tests of the tracking API."""
    with running_edge(ALTHING_SITE_RATE="10000") as edge:
        yield edge


@pytest.fixture
def site(edge: Edge) -> Site:
    """A new website with its keys."""
    return edge.add_site("own.example")


@pytest.fixture
def client(edge: Edge) -> Iterator[httpx.Client]:
    with edge.client() as client:
        yield client


@pytest.fixture
def clicks(edge: Edge) -> Iterator[Tail]:
    """What is appended to topic `clicks` from now on."""
    with edge.tail(topics.CLICKS) as tail:
        yield tail


@pytest.fixture
def rejected(edge: Edge) -> Iterator[Tail]:
    """What is appended to topic `rejected` from now on."""
    with edge.tail(topics.REJECTED) as tail:
        yield tail


@pytest.fixture(scope="module")
def world(query_service: QueryService) -> World:
    """People with websites of their own, new for each module."""
    return World(query_service)
