"""Fixtures of the tests of the marketplace: one market with its people."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest

from tests.support.marketplace import Market, market
from tests.support.query import Person, QueryService


@pytest.fixture(scope="package")
def there(query_service: QueryService, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Market]:
    """Shared by the files, which `tests/support/schedule.py` keeps together."""
    with market(query_service, tmp_path_factory.mktemp("market")) as found:
        yield found


@pytest.fixture
def now_again(there: Market) -> Iterator[None]:
    yield
    there.later = timedelta()


@pytest.fixture(scope="package")
def seller(there: Market) -> Person:
    return there.person("Embla")


@pytest.fixture(scope="package")
def buyer(there: Market) -> Person:
    return there.person("Bjarni")


@pytest.fixture(scope="package")
def other(there: Market) -> Person:
    return there.person("Eve")


@pytest.fixture(scope="package")
def admin(there: Market) -> Person:
    return there.person("Gunnar", "member", "admin")
