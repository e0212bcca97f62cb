"""`althing capacity`: the model's arithmetic, and its constants against what the benches recorded."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from infra.kernel.config.paths import ROOT
from infra.ops.capacity import measured
from infra.ops.capacity.command import main
from infra.ops.capacity.measured import Measured
from infra.ops.capacity.model import UTILISATION, CapacityPlan, Load, Prices, plan

CONSTANTS = [value for value in vars(measured).values() if isinstance(value, Measured)]
NEAR = 1.5
"""Other machines, and the same one on another day, differ by less."""


def of(load: Load) -> CapacityPlan:
    return plan(load, Prices())


def figures(subject: str) -> dict[str, dict[str, object]]:
    recorded = json.loads((ROOT / "docs/benchmarks.json").read_text())
    return {figure["name"]: figure for figure in recorded[subject]["figures"]}


@pytest.mark.parametrize("constant", CONSTANTS, ids=lambda constant: constant.figure)
def test_each_constant_is_what_its_bench_recorded(constant: Measured) -> None:
    recorded = figures(constant.subject)[constant.figure]["value"]
    assert isinstance(recorded, float | int)
    assert recorded / NEAR < constant.value < recorded * NEAR


def test_the_share_of_the_rollups_is_what_the_bench_noted() -> None:
    figure = figures(measured.TABLE_BYTES.subject)[measured.TABLE_BYTES.figure]
    noted = re.match(r"([\d.]+) with all rollups", str(figure["note"]))
    assert noted is not None and isinstance(figure["value"], float)
    assert pytest.approx(float(noted[1]) / figure["value"] - 1, rel=0.5) == measured.ROLLUP_SHARE


def test_a_small_load_has_what_survives_the_loss_of_one_machine() -> None:
    found = of(Load(10_000))
    assert (found.ingest, found.brokers, found.projectors, found.shards, found.clickhouse_replicas) == (2, 3, 2, 1, 2)
    assert found.partitions == 2 and not found.warnings


@pytest.mark.parametrize("events", [1e8, 1e9, 1e10])
def test_everything_runs_at_the_peak_below_the_measured_throughput(events: float) -> None:
    found = of(Load(events))
    assert found.peak_per_s == pytest.approx(events / 86_400 * 3)
    for parts, throughput in ((found.ingest, measured.INGEST_SINGLE), (found.projectors, measured.PROJECTOR)):
        assert found.peak_per_s / parts <= throughput.value * UTILISATION
        assert parts == 2 or found.peak_per_s / (parts - 1) > throughput.value * UTILISATION, "and no part is idle"


def test_ten_times_the_events_need_ten_times_the_disk() -> None:
    small, large = of(Load(1e8)), of(Load(1e9))
    assert large.log_disk == pytest.approx(10 * small.log_disk)
    assert large.clickhouse_disk == pytest.approx(10 * small.clickhouse_disk)
    assert small.month < large.month < 11 * small.month


def test_batches_need_less_of_ingest_and_nothing_else_changes() -> None:
    single, batch = of(Load(1e10)), of(Load(1e10, batch=1000))
    assert batch.ingest < single.ingest / 5
    assert replace(batch, ingest=0, cores=0, month=0) == replace(single, ingest=0, cores=0, month=0)


def test_what_this_version_cannot_do_and_what_is_risky_is_said() -> None:
    found = of(Load(1e10, replicas=1))
    assert f"raise clicks {found.partitions}`" in found.warnings[0] and found.partitions % 2 == 0
    assert [text.split(":")[0] for text in found.warnings] == [
        "A new installation has 2 partitions of clicks",
        "The disk decides the number of brokers (4 TiB each)",
        "With fewer than three copies in Kafka, the loss of one broker stops writes or loses data.",
    ]


@pytest.mark.parametrize("load", [Load(0), Load(-1), Load(1, peak=0.5), Load(1, batch=0), Load(1, days=0)])
def test_a_load_that_is_none_is_rejected(load: Load) -> None:
    with pytest.raises(ValueError, match="must be positive"):
        of(load)


def test_the_command_prints_the_plan(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--events-per-day", "1e9", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["ingest"] == of(Load(1e9)).ingest
    assert main(["--events-per-day", "1e9"]) == 0
    assert "34,722 at the peak" in capsys.readouterr().out
    assert main(["--events-per-day", "0"]) == 2
    assert "must be positive" in capsys.readouterr().err
