"""Fixtures of the API tests: an ingest process with one website, and the world of the query API."""

from collections.abc import Iterator

import httpx
import pytest

from schemas import topics
from tests.support.full_api import full_api
from tests.support.ingest_service import IngestService, Site, Tail, running_ingest
from tests.support.query import QueryService, World

__all__ = ["clicks", "client", "full_api", "ingest_service", "rejected", "site", "world"]


@pytest.fixture(scope="session")
def ingest_service() -> Iterator[IngestService]:
    """Ingest alone, on a real log, for all tests of the tracking API."""
    with running_ingest(ALTHING_SITE_RATE="10000") as ingest_service:
        yield ingest_service


@pytest.fixture
def site(ingest_service: IngestService) -> Site:
    """A new website with its keys."""
    return ingest_service.add_site("own.example")


@pytest.fixture
def client(ingest_service: IngestService) -> Iterator[httpx.Client]:
    with ingest_service.client() as client:
        yield client


@pytest.fixture
def clicks(ingest_service: IngestService) -> Iterator[Tail]:
    """What is appended to topic `clicks` from now on."""
    with ingest_service.tail(topics.CLICKS) as tail:
        yield tail


@pytest.fixture
def rejected(ingest_service: IngestService) -> Iterator[Tail]:
    """What is appended to topic `rejected` from now on."""
    with ingest_service.tail(topics.REJECTED) as tail:
        yield tail


@pytest.fixture(scope="module")
def world(query_service: QueryService) -> World:
    """People with websites of their own, new for each module."""
    return World(query_service)
