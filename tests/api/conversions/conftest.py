"""Fixtures of the tests about conversions and money."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from infra.kernel.config.settings import Settings
from tests.support.accounting import Accounting
from tests.support.policies import Policies, policies
from tests.support.query import serving


@pytest.fixture(scope="package")
def books(embedded_postgres: Settings, embedded_clickhouse: Settings) -> Iterator[Accounting]:
    """Shared by the files, which `tests/support/schedule.py` keeps together: each test has a shop of its own."""
    with policies(embedded_postgres, embedded_clickhouse) as made, serving(made.world.settings) as query:
        yield Accounting(made, query)


@pytest.fixture(scope="package")
def command_policies(embedded_postgres: Settings, embedded_clickhouse: Settings) -> Iterator[Policies]:
    """Shared by the files of one group, too: each test has a shop of its own."""
    with policies(embedded_postgres, embedded_clickhouse) as made:
        yield made


@pytest.fixture(autouse=True)
def _searches(request: pytest.FixtureRequest) -> Iterator[None]:
    """The sales of a test are searched for no more once it has ended: each second, for all of them, in every file."""
    books = request.getfixturevalue("books") if "books" in request.fixturenames else None
    made = request.getfixturevalue("command_policies") if "command_policies" in request.fixturenames else None
    yield
    if books is not None:
        books.made.put_off_searches()
    if made is not None:
        made.put_off_searches()
