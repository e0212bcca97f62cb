"""Fixtures of the tests about conversions and money."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from infra.kernel.config.settings import Settings
from tests.support.accounting import Accounting
from tests.support.policies import policies
from tests.support.query import serving


@pytest.fixture(scope="package")
def books(embedded_postgres: Settings, embedded_clickhouse: Settings) -> Iterator[Accounting]:
    """Shared by the files, which `tests/support/schedule.py` keeps together: each test has a shop of its own."""
    with policies(embedded_postgres, embedded_clickhouse) as made, serving(made.world.settings) as query:
        yield Accounting(made, query)
