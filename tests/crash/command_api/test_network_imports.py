"""Whatever kills the service while a report of a network is read, applied or undone: all of it counts, or nothing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from command_api.networks import routes
from infra.kernel.config.settings import Settings
from tests.api.networks.test_imports import Importer, sale
from tests.support.crashing_process import CrashingProcess
from tests.support.policies import Policies, policies

SALES = 7
READING = ("before_rows", "after_rows", "after_kinds", "inside_store")
COUNTING = ("before_statement", "after_statement", "before_published", "after_published", "inside_store")


@pytest.fixture(scope="module")
def led(embedded_postgres: Settings, embedded_clickhouse: Settings) -> Iterator[Policies]:
    with policies(embedded_postgres, embedded_clickhouse, leading=False) as made:
        yield made


@pytest.mark.crash
def test_killed_at_every_step_an_import_counts_once_and_then_not_at_all(
    led: Policies, crashing_process: CrashingProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(routes, "READ_WAIT_S", 0)
    with led.leading():
        importer = Importer(led)
    rows = [sale(importer.txid(), 1.5, "approved") for _ in range(SALES)]
    uploaded = importer.upload(rows)["importId"]
    for moment in READING:
        assert crashing_process.at(led.world.settings, "importing", moment) == -9, moment
    with led.leading():
        assert importer.until(uploaded, "ready")["new"] == SALES
    importer.call(uploaded, "apply")
    for moment in COUNTING[:-1]:
        assert crashing_process.at(led.world.settings, "importing", moment) == -9, moment
    with led.leading():
        importer.until(uploaded, "applied")
    assert importer.earned() == SALES * 150
    assert [importer.conversion(str(row["id"])).commission for row in rows] == [150] * SALES

    importer.call(uploaded, "undo")
    for moment in COUNTING[:-1]:
        assert crashing_process.at(led.world.settings, "importing", moment) == -9, moment
    with led.leading():
        importer.until(uploaded, "undone")
    assert importer.earned() == 0
    assert [importer.conversion(str(row["id"])).is_attributed for row in rows] == [False] * SALES


@pytest.mark.crash
def test_an_undo_while_an_import_is_applied_leaves_nothing(
    led: Policies, crashing_process: CrashingProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(routes, "READ_WAIT_S", 0)
    with led.leading():
        importer = Importer(led)
    rows = [sale(importer.txid(), 2, "approved") for _ in range(SALES)]
    uploaded = importer.upload(rows)["importId"]
    with led.leading():
        importer.until(uploaded, "ready")
    importer.call(uploaded, "apply")
    assert crashing_process.at(led.world.settings, "importing", "after_published") == -9
    importer.call(uploaded, "undo")
    with led.leading():
        importer.until(uploaded, "undone")
    led_total = led.world.count(
        "SELECT count(*) FROM networks.import_row WHERE import_id = %s AND is_applied", uploaded
    )
    assert (led_total, importer.earned()) == (0, 0)
