"""One world of analysts for the files that `tests/support/schedule.py` keeps together."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from infra.kernel.config.settings import Settings
from tests.support.analysts import AnalystWorld, analyst_world


@pytest.fixture(scope="package")
def world(embedded_postgres: Settings) -> Iterator[AnalystWorld]:
    with analyst_world(embedded_postgres) as made:
        yield made
