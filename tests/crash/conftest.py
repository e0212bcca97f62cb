"""One stack for all tests that break it under load, and fixtures of processes that crash at a named step."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from infra.kernel.config.settings import Settings
from tests.support.crashing_process import crashing_process
from tests.support.flight_recorder import recording
from tests.support.pipeline import Pipeline, pipeline
from tests.support.projection_bench import projecting
from tests.support.stack import SECRETS, Stack, stack
from tests.support.under_load import ADMIN, SELDOM

__all__ = ["crashing_process", "loaded", "projecting"]


@pytest.fixture(scope="package")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """`CRASH_LOG` (kafka) says which log is used. The broker records its writes, for the failure of the power."""
    settings = {**ADMIN, **SECRETS, **SELDOM, **recording(tmp_path_factory.mktemp("recorded")), "ALTHING_CANARY": "1"}
    with stack({**settings, "ALTHING_LOG": os.environ.get("CRASH_LOG", "kafka")}) as made:
        yield made


@pytest.fixture
def way(embedded_postgres: Settings, embedded_clickhouse: Settings, tmp_path: Path) -> Iterator[Pipeline]:
    """The way from the log into every table, for a test that breaks it."""
    with pipeline(embedded_postgres, embedded_clickhouse, tmp_path) as made:
        yield made


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    return tmp_path / "ledger.jsonl"
