"""Fixtures for all tests; each starts only when a test uses it."""

import gc
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog
from hypothesis import HealthCheck, settings
from xdist.remote import Producer
from xdist.scheduler import Scheduling

from tests.support.pool_deadlocks import watch_pools
from tests.support.query import query_service, query_settings
from tests.support.schedule import GroupScheduling, lower_priority, order
from tests.support.stack import embedded_clickhouse, embedded_kafka, embedded_postgres

__all__ = [
    "embedded_clickhouse",
    "embedded_kafka",
    "embedded_postgres",
    "query_service",
    "query_settings",
]

gc.disable()  # until all tests are collected: imports and the tests themselves leave nothing to collect


def pytest_addoption(parser: pytest.Parser) -> None:
    text = "seconds since 1970 from which on no slow test begins"
    parser.addoption("--slow-until", type=float, default=float("inf"), help=text)


def pytest_configure(config: pytest.Config) -> None:
    lower_priority(config)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: order(item.nodeid))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Scheduling | None:
    return GroupScheduling(config, log) if config.getoption("dist") == "loadfile" else None


def pytest_collection_finish() -> None:
    """What the process holds by now it holds to its end: no collection looks at it again."""
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)
    gc.enable()


# No example is timed: a busy machine is no fault of the code.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")
watch_pools()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Shows what a test recorded of its run with `record_property`, also of a test that passed in a worker."""
    for report in terminalreporter.getreports("passed"):
        for name, value in report.user_properties:
            terminalreporter.section(f"{report.nodeid}: {name}")
            terminalreporter.write_line(str(value))


def pytest_runtest_setup(item: pytest.Item) -> None:
    """A test's log lines bear nothing that an earlier test bound in the same thread."""
    if item.get_closest_marker("slow") and time.time() > item.config.getoption("--slow-until"):
        pytest.skip("no time is left for slow tests")
    structlog.contextvars.clear_contextvars()


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory without `.env` and without a stack."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ALTHING_DATA_DIR", str(tmp_path / "data"))
    return tmp_path


@pytest.fixture
def no_garbage_collection() -> Iterator[None]:
    gc.disable()
    yield
    gc.enable()
