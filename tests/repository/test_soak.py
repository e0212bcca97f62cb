"""What a soak breaks, and how it tells growth from noise."""

from __future__ import annotations

import json
import random
import xml.etree.ElementTree as ElementTree
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from infra.ops.stack.plan import ENGINES, SERVICES
from tests.soak.faults import Fault, schedule
from tests.soak.report import Inflicted, Soak, picture, text, write
from tests.soak.samples import WARM_UP_S, DiskSample, Sample, judge, judge_disk


def test_in_half_an_hour_each_process_is_killed_and_has_a_long_life() -> None:
    faults = schedule(30)
    counts = Counter((fault.kind, fault.name) for fault in faults)
    assert len(faults) == 30 and {name for kind, name in counts if kind == "killed"} == {*ENGINES, *SERVICES}
    assert min(counts["killed", name] for name in ENGINES) >= 3
    assert {name for kind, name in counts if kind == "frozen"} >= {"projectors", *ENGINES}
    assert [number for number, fault in enumerate(faults, 1) if fault.kind == "restarted"] == [15, 30]
    for name in (*ENGINES, *SERVICES):
        ends = [0, *(number for number, fault in enumerate(faults, 1) if _ends(fault, name))]
        assert max(after - before for before, after in pairwise(ends)) >= 15


def _ends(fault: Fault, name: str) -> bool:
    return fault.kind == "restarted" or (fault.kind, fault.name) == ("killed", name)


def test_a_leak_is_found_though_the_process_is_killed_meanwhile() -> None:
    leaks = {each.figure: each.is_flat for each in judge(samples(memory_per_hour=200, handles_per_hour=0))}
    assert leaks == {"memory_mib": False, "handles": True, "threads": True}
    leaks = {each.figure: each.is_flat for each in judge(samples(memory_per_hour=0, handles_per_hour=90))}
    assert leaks == {"memory_mib": True, "handles": False, "threads": True}


@pytest.mark.parametrize(("extra", "is_flat"), [(500, True), (700, False)])
def test_memory_of_an_engine_is_held_against_its_bound(extra: float, is_flat: bool) -> None:
    own = samples(memory_per_hour=300, handles_per_hour=0)
    engine = [replace(each, name="clickhouse", memory_mib=each.memory_mib + extra) for each in own]
    judged = next(each for each in judge(engine) if each.figure == "memory_mib")
    assert judged.is_flat is is_flat and judged.is_bounded


@pytest.mark.parametrize(("extra", "is_flat"), [(20, True), (60, False)])
def test_pools_may_fill_up_to_their_sizes(extra: int, is_flat: bool) -> None:
    own = samples(memory_per_hour=0, handles_per_hour=90)
    pools = [replace(each, name="query", handles=each.handles + extra) for each in own]
    judged = next(each for each in judge(pools) if each.figure == "handles")
    assert judged.is_flat is is_flat and judged.is_bounded


def test_noise_and_warm_up_are_no_leak() -> None:
    assert all(each.is_flat for each in judge(samples(memory_per_hour=5, handles_per_hour=0, noise=15)))


def test_a_run_that_is_too_short_says_so() -> None:
    few = [sample for sample in samples(memory_per_hour=0, handles_per_hour=0) if sample.at < WARM_UP_S]
    assert {each.is_flat for each in judge(few)} == {None}


@pytest.mark.parametrize(("late_bytes", "is_flat"), [(1.0, True), (1.8, True), (2.4, False)])
def test_disk_may_grow_with_the_requests_and_no_faster(late_bytes: float, is_flat: bool) -> None:
    assert judge_disk(disk(late_bytes))[2] is is_flat


def test_the_report_names_what_is_wrong() -> None:
    good = soak(samples(memory_per_hour=0, handles_per_hour=0), {"missing": 0, "duplicate": 0})
    assert good.problems == []
    assert "**0 missing, 0 duplicate; all flat**" in text(good)
    short = soak([each for each in good.samples if each.at < WARM_UP_S], {"missing": 0})
    assert "**0 missing; too short to say what grows**" in text(short)
    bad = soak(samples(memory_per_hour=200, handles_per_hour=0), {"missing": 2, "duplicate": 0})
    assert bad.problems[0] == "2 missing"
    assert bad.problems[1].startswith("ingest: Memory, MiB grows by ")
    ElementTree.fromstring(picture(good))  # noqa: S314 - our own text


def test_the_numbers_are_kept_beside_the_page(tmp_path: Path) -> None:
    write(soak(samples(memory_per_hour=0, handles_per_hour=0), {"missing": 0}), tmp_path)
    kept = json.loads((tmp_path / "soak.json").read_text())
    assert kept["samples"]["columns"][:2] == ["at", "name"]
    assert kept["samples"]["rows"][1][:2] == [10.0, "ingest"]
    assert {path.name for path in tmp_path.rglob("*.*")} == {"soak.json", "soak.md", "soak.svg"}


def samples(memory_per_hour: float, handles_per_hour: float, noise: float = 2) -> list[Sample]:
    """Half an hour of one process that is killed after a quarter, and grows fast until it is warm."""
    chance = random.Random(1)
    found = []
    for at in range(0, 1800, 10):
        age = float(at % 900)
        warming = 100 * min(1.0, age / WARM_UP_S)
        memory = warming + memory_per_hour * age / 3600 + chance.uniform(-noise, noise)
        handles = round(40 + handles_per_hour * age / 3600)
        found.append(Sample(float(at), "ingest", 1 + at // 900, age, memory, handles, 9))
    return found


def disk(late_bytes: float) -> list[DiskSample]:
    """So many MiB for each request from the last third on, one before."""
    return [
        DiskSample(float(at), at, 100 + min(at, 1200) + late_bytes * max(0, at - 1200), 1.0)
        for at in range(0, 1801, 10)
    ]


def soak(grown: list[Sample], found: dict[str, int]) -> Soak:
    return Soak(
        at="2026-11-20 12:00",
        commit="abc",
        minutes=30,
        fault_every_s=60,
        seed=1,
        requests=10,
        events=10,
        retries=1,
        commands=1,
        stream_messages=1,
        reads=[10.0, 20.0],
        faults=[Inflicted(30.0, "killed", "ingest", 2.0)],
        found=found,
        checked={"records": 10},
        examples=[],
        samples=grown,
        disk=disk(1.0),
    )
