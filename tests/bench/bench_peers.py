"""Althing beside Umami and beside the plain design, FastAPI over tables in Postgres: the same events, the same
questions, the same machine, the same sender. Every figure has the peer's as its baseline.

Each system runs alone while events are sent; all have acknowledged data on disk. Their answers are compared, and a
difference ends the bench. `--events` is for trying it out.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from tests.bench import Figure, figure
from tests.bench.peers import umami
from tests.bench.peers.load import COMMON_RATE, Load, load
from tests.bench.peers.questions import ESTIMATE, QUESTIONS, differences, furthest
from tests.bench.peers.reading import Reading, read
from tests.bench.peers.systems import althing_system, plain_system, umami_system

COMMAND: Final = "make bench-peers"
EVENTS: Final = 5_000_000
ALTHING: Final = "Althing"
PEERS: Final = ("Umami", "plain")
_figure = partial(figure, COMMAND)


def run(events: int = EVENTS) -> list[Figure]:
    umami.install()
    loads = {}
    for start in (umami_system, plain_system, althing_system):
        with start() as system:
            loads[system.name] = load(system)
    readings = read(events)
    different = list(compare(readings))
    if different:
        raise RuntimeError("The answers differ: " + "; ".join(different[:20]))
    return [*_of_loads(loads), *_of_readings(readings, events), *_bytes(loads, readings)]


def compare(readings: Mapping[str, Reading]) -> Iterator[str]:
    """Every contradiction to the plain design, which counts exactly and by the definitions of Althing."""
    reference = readings["plain"].answers
    for name, within in (("Umami", 0.0), (ALTHING, ESTIMATE)):
        for question in QUESTIONS:
            for found in differences(readings[name].answers[question], reference[question], within):
                yield f"{name}, {question}: {found}"


def against(name: str, althing: float, peer: str, other: float, unit: str, note: str = "") -> Figure:
    """Althing's figure with the peer's as the baseline, and how many times better it is."""
    better, worse = (althing, other) if unit.endswith(("/s", "core-second")) else (other, althing)
    shown = "" if not worse or not better else f"{_times(better / worse)}{'; ' if note else ''}"
    return _figure(f"{name} ({peer})", althing, unit, baseline=other, against=peer, note=shown + note)


def _times(ratio: float) -> str:
    return f"{ratio:.2g} times better" if ratio >= 1 else f"{1 / ratio:.2g} times worse"


def _of_loads(loads: Mapping[str, Load]) -> Iterator[Figure]:
    althing = loads[ALTHING]
    for peer in PEERS:
        other, unit = loads[peer], "events per core-second"
        single = "single events as fast as they are taken"
        beside = f"cores that other programs took: {althing.others:.1f}, and {other.others:.1f} beside {peer}"
        yield against(f"{single}, acknowledged", althing.singles.rate, peer, other.singles.rate, "events/s", beside)
        yield against(
            f"{single}, all processes", althing.singles.per_core_second, peer, other.singles.per_core_second, unit
        )
        if althing.batches and other.batches:
            rate, core = "batches of 1,000, acknowledged", "batches of 1,000, all processes"
            yield against(rate, althing.batches.rate, peer, other.batches.rate, "events/s", beside)
            yield against(core, althing.batches.per_core_second, peer, other.batches.per_core_second, unit)
        common = f"single events at {COMMON_RATE:.0f}/s"
        yield against(f"{common}, p99", althing.p99, peer, other.p99, "ms", beside)
        yield against(
            f"{common}, all processes", althing.common.per_core_second, peer, other.common.per_core_second, unit
        )
        crash = "kill -9 under load, acknowledged events"
        note = "; ".join(
            f"{name}: {loads[name].crash.kills} kills, {loads[name].crash.acknowledged:,}" for name in (ALTHING, peer)
        )
        yield against(f"{crash} lost", althing.crash.lost, peer, other.crash.lost, "events", note)
        yield against(f"{crash} doubled", althing.crash.doubled, peer, other.crash.doubled, "events", note)


def _of_readings(readings: Mapping[str, Reading], events: int) -> Iterator[Figure]:
    size = f"{events / 1e6:.2g} M events"
    althing = readings[ALTHING]
    for peer in PEERS:
        for question in QUESTIONS:
            for name, value in (("p50", statistics.median), ("p95", _p95)):
                here, other = value(althing.times[question]), value(readings[peer].times[question])
                yield against(f"{size}, {question}, {name}", here, peer, other, "ms")
    answers = readings["plain"].answers
    wrong = max(furthest(althing.answers[question], answers[question]) for question in QUESTIONS)
    compared = sum(len(answers[question]) for question in QUESTIONS)
    note = "page views are equal everywhere, Umami's visitors as well"
    yield _figure(f"{size}, furthest of {compared} compared values: estimated visitors", 100 * wrong, "%", note=note)


def _p95(times: Sequence[float]) -> float:
    """Never more than the longest: there are few."""
    return statistics.quantiles(times, n=20, method="inclusive")[18]


def _bytes(loads: Mapping[str, Load], readings: Mapping[str, Reading]) -> Iterator[Figure]:
    tables, log = readings[ALTHING].bytes_of_event, loads[ALTHING].log_bytes
    note = f"tables and rollups {tables:.0f}, log {log:.0f}"
    for peer in PEERS:
        yield against("bytes of an event on disk", tables + log, peer, readings[peer].bytes_of_event, "bytes", note)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=EVENTS)
    for each in run(parser.parse_args(arguments).events):
        print(each)


if __name__ == "__main__":
    main()
