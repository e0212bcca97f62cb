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

from tests.bench import Figure, figure, percentile_of
from tests.bench.peers import umami
from tests.bench.peers.load import COMMON_RATE, Load, load
from tests.bench.peers.questions import ESTIMATE, QUESTIONS, differences, furthest
from tests.bench.peers.reading import Reading, read
from tests.bench.peers.systems import althing_system, plain_system, umami_system

COMMAND: Final = "make bench-peers"
EVENTS: Final = 5_000_000
OURS: Final = "Althing"
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
    for name, within in (("Umami", 0.0), (OURS, ESTIMATE)):
        for question in QUESTIONS:
            for found in differences(readings[name].answers[question], reference[question], within):
                yield f"{name}, {question}: {found}"


def against(name: str, ours: float, peer: str, theirs: float, unit: str, note: str = "") -> Figure:
    """Ours with the peer's as the baseline, and how many times better it is."""
    better, worse = (ours, theirs) if unit.endswith(("/s", "core-second")) else (theirs, ours)
    shown = "" if not worse or not better else f"{_times(better / worse)}{'; ' if note else ''}"
    return _figure(f"{name} ({peer})", ours, unit, baseline=theirs, against=peer, note=shown + note)


def _times(ratio: float) -> str:
    return f"{ratio:.2g} times better" if ratio >= 1 else f"{1 / ratio:.2g} times worse"


def _of_loads(loads: Mapping[str, Load]) -> Iterator[Figure]:
    ours = loads[OURS]
    for peer in PEERS:
        theirs, unit = loads[peer], "events per core-second"
        single = "single events as fast as they are taken"
        yield against(f"{single}, acknowledged", ours.singles.rate, peer, theirs.singles.rate, "events/s")
        yield against(
            f"{single}, all processes", ours.singles.per_core_second, peer, theirs.singles.per_core_second, unit
        )
        if ours.batches and theirs.batches:
            rate, core = "batches of 1,000, acknowledged", "batches of 1,000, all processes"
            yield against(rate, ours.batches.rate, peer, theirs.batches.rate, "events/s")
            yield against(core, ours.batches.per_core_second, peer, theirs.batches.per_core_second, unit)
        common = f"single events at {COMMON_RATE:.0f}/s"
        yield against(f"{common}, p99", ours.p99, peer, theirs.p99, "ms")
        yield against(
            f"{common}, all processes", ours.common.per_core_second, peer, theirs.common.per_core_second, unit
        )
        crash = "kill -9 under load, acknowledged events"
        note = "; ".join(
            f"{name}: {loads[name].crash.kills} kills, {loads[name].crash.acknowledged:,}" for name in (OURS, peer)
        )
        yield against(f"{crash} lost", ours.crash.lost, peer, theirs.crash.lost, "events", note)
        yield against(f"{crash} doubled", ours.crash.doubled, peer, theirs.crash.doubled, "events", note)


def _of_readings(readings: Mapping[str, Reading], events: int) -> Iterator[Figure]:
    size = f"{events / 1e6:.2g} M events"
    ours = readings[OURS]
    for peer in PEERS:
        for question in QUESTIONS:
            for name, value in (("p50", statistics.median), ("p95", lambda times: percentile_of(times, 95))):
                mine, theirs = value(ours.times[question]), value(readings[peer].times[question])
                yield against(f"{size}, {question}, {name}", mine, peer, theirs, "ms")
    answers = readings["plain"].answers
    wrong = max(furthest(ours.answers[question], answers[question]) for question in QUESTIONS)
    compared = sum(len(answers[question]) for question in QUESTIONS)
    note = "page views are equal everywhere, Umami's visitors as well"
    yield _figure(f"{size}, furthest of {compared} compared values: estimated visitors", 100 * wrong, "%", note=note)


def _bytes(loads: Mapping[str, Load], readings: Mapping[str, Reading]) -> Iterator[Figure]:
    tables, log = readings[OURS].bytes_of_event, loads[OURS].log_bytes
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
