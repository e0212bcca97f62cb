"""Projections on real engines: each test has databases of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from infra.kernel.config.settings import Settings
from tests.support.projection_bench import ProjectionBench, bench


@pytest.fixture
def projecting(embedded_postgres: Settings, embedded_clickhouse: Settings, tmp_path: Path) -> Iterator[ProjectionBench]:
    """Fresh tables, an empty log, nothing running."""
    with bench(embedded_postgres, embedded_clickhouse, tmp_path) as made:
        yield made
