"""What analysts' processes cost: dashboards beside eight hostile analysts, the first answer, memory and idle time."""

from __future__ import annotations

import statistics
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import psutil

from tests.bench import Figure
from tests.bench.hostile_server import HostileServer, hostile_server
from tests.support.engines import wait_until
from tests.support.hostile_statements import BOMBS, cpu_seconds

COMMAND: Final = "python -m tests.bench analysts"
READS: Final = 400
COUNT: Final = "SELECT count() FROM althing.traffic"


def run() -> list[Figure]:
    with hostile_server() as server:
        return [*_costs(server), *_beside(server)]


def _costs(server: HostileServer) -> list[Figure]:
    first = _timed(server)
    warm = [_timed(server) for _ in range(50)]
    [child] = psutil.Process(server.pid).children()
    before = cpu_seconds(server.pid)
    time.sleep(5)
    idle = (cpu_seconds(server.pid) - before) / 5 * 1000
    return [
        _figure("first statement, process started for it", first, "ms"),
        _figure("small statement, p50", statistics.median(warm), "ms", _p50(server), "the same read as a dashboard's"),
        _figure("private memory of an idle process", child.memory_full_info().uss / 1e6, "MB"),
        _figure("processor time of front and process, idle", idle, "ms/s"),
    ]


def _beside(server: HostileServer) -> list[Figure]:
    server.dashboards_p95(100)
    quiet, bombs = server.dashboards_p95(READS), sorted(BOMBS.values())
    with ThreadPoolExecutor(8) as threads:
        asked = [threads.submit(server.analyst, f"hostile-{number}", bombs[number % len(bombs)]) for number in range(8)]
        wait_until(lambda: len(psutil.Process(server.pid).children()) == 8, 60, "eight processes")
        time.sleep(2)
        beside = server.dashboards_p95(READS)
        ended = time.perf_counter()
        codes = {each.result().headers.get("x-clickhouse-exception-code") for each in asked}
        assert codes <= {"159", "241"}, codes
    return [
        _figure("dashboard read beside eight hostile analysts, p95", beside, "ms", quiet, "quiet", "≤ 2× quiet")
    ] + ([] if time.perf_counter() - ended < 40 else [_figure("statements outlived their limit", 1, "")])


def _timed(server: HostileServer) -> float:
    started = time.perf_counter()
    server.analyst("warm-up", COUNT).raise_for_status()
    return (time.perf_counter() - started) * 1000


def _p50(server: HostileServer) -> float:
    return statistics.median(server.dashboard() for _ in range(50))


def _figure(
    name: str, value: float, unit: str, baseline: float | None = None, baseline_name: str = "", aim: str = ""
) -> Figure:
    figure: Figure = {"name": name, "value": round(value, 2), "unit": unit, "command": COMMAND}
    if baseline is not None:
        figure |= {"baseline": round(baseline, 2), "baseline_name": baseline_name}
    if aim:
        figure |= {"aim": aim}
    return figure


if __name__ == "__main__":
    for row in run():
        print(row)
