"""Whatever kills the service while costs are read, applied or undone: all of a file counts, or nothing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from command_api.costs.imports import routes
from infra.kernel.config.settings import Settings
from tests.api.costs.test_cost_imports import AUTUMN, SPRING, CostImporter, google
from tests.support.crashing_process import CrashingProcess
from tests.support.policies import Policies, policies

UNDONE = ("before_store", "inside_store")
"""Nothing of the step is stored."""


@pytest.fixture(scope="module")
def led(embedded_postgres: Settings, embedded_clickhouse: Settings) -> Iterator[Policies]:
    with policies(embedded_postgres, embedded_clickhouse, leading=False) as made:
        yield made


@pytest.mark.crash
def test_killed_at_every_step_a_file_counts_once_and_then_not_at_all(
    led: Policies, crashing_process: CrashingProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(routes, "READ_WAIT_S", 0)
    importer, settings = CostImporter(led), led.world.settings
    uploaded = importer.upload(google((*SPRING, "12.40"), (*AUTUMN, "5.00")))["importId"]

    def killed_until(state: str, before: dict[tuple[str, str], int], after: dict[tuple[str, str], int]) -> None:
        for moment in UNDONE:
            assert crashing_process.at(settings, "cost_imports", moment) == -9, moment
            assert importer.spent() == before, (state, moment)
        assert crashing_process.at(settings, "cost_imports", "after_store") == -9
        importer.until(uploaded, state)
        assert importer.spent() == after, state

    both = {SPRING: 1240, AUTUMN: 500}
    killed_until("ready", {}, {})
    importer.call(uploaded, "apply")
    killed_until("applied", {}, both)
    importer.call(uploaded, "undo")
    killed_until("undone", both, {})


@pytest.mark.crash
def test_an_undo_while_a_file_is_applied_leaves_nothing(
    led: Policies, crashing_process: CrashingProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(routes, "READ_WAIT_S", 0)
    importer, settings = CostImporter(led), led.world.settings
    uploaded = importer.upload(google((*SPRING, "12.40")))["importId"]
    assert crashing_process.at(settings, "cost_imports", "after_store") == -9
    importer.call(uploaded, "apply")
    assert crashing_process.at(settings, "cost_imports", "inside_store") == -9
    importer.call(uploaded, "undo")
    assert crashing_process.at(settings, "cost_imports", "after_store") == -9
    importer.until(uploaded, "undone")
    assert importer.spent() == {}
