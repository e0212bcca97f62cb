"""The ClickHouse front against the engine called in-process: inserts with four materialized views, small reads.

Run as a module, it prints the figures.
"""

from __future__ import annotations

import json
import multiprocessing
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psutil

from infra.kernel.clickhouse.client import client, insert_rows
from tests.bench import Figure
from tests.support.clickhouse import ClickHouse, start_clickhouse
from tests.support.engines import engine_folder

COMMAND = "python -m tests.bench clickhouse_front"
ROWS, REPEATS = 50_000, 8
_TEXT = [
    "source",
    "medium",
    "campaign",
    "term",
    "content",
    "browser",
    "os",
    "device",
    "referrer",
    "path",
    "sub1",
    "sub2",
]
_NUMBERS = ["link", "partner", "amount", "revenue", "position", "duration", "width", "height", "bot"]
TABLES = [
    "CREATE TABLE bench_raw (website_id UInt32, occurred_at DateTime, visitor UInt64, country FixedString(2), "
    + ", ".join(f"{name} LowCardinality(String)" for name in _TEXT)
    + ", "
    + ", ".join(f"{name} Int64" for name in _NUMBERS)
    + ") ENGINE = MergeTree ORDER BY (website_id, occurred_at, visitor) PARTITION BY toYYYYMM(occurred_at)"
    " SETTINGS non_replicated_deduplication_window = 1000",
    *(
        statement
        for key in ("country", "source", "partner", "device")
        for statement in (
            f"CREATE TABLE bench_{key} (website_id UInt32, slot DateTime, {key} String,"
            " n SimpleAggregateFunction(sum, UInt64), u AggregateFunction(uniqCombined(12), UInt64))"
            f" ENGINE = AggregatingMergeTree ORDER BY (website_id, slot, {key})"
            " SETTINGS non_replicated_deduplication_window = 1000",
            f"CREATE MATERIALIZED VIEW bench_{key}_mv TO bench_{key} AS SELECT website_id,"
            f" toStartOfFifteenMinutes(occurred_at) AS slot, toString({key}) AS {key}, count() AS n,"
            f" uniqCombinedState(12)(visitor) AS u FROM bench_raw GROUP BY website_id, slot, {key}",
        )
    ),
]


def run() -> list[Figure]:
    with engine_folder("bench-clickhouse") as folder:
        baseline = _baseline(folder / "in-process")
        server = start_clickhouse(folder / "front")
        try:
            return [_figure(name, value, baseline.get(name)) for name, value in _measure(server).items()]
        finally:
            server.stop()


def _figure(name: str, value: float, baseline: float | None) -> Figure:
    figure: Figure = {"name": name, "value": round(value, 2), "unit": _unit(name), "command": COMMAND}
    if baseline is not None:
        figure |= {"baseline": round(baseline, 2), "baseline_name": "the engine in-process"}
    return figure


def _unit(name: str) -> str:
    return "rows/s" if name.startswith("insert") else "MB" if name.startswith("rss") else "ms"


def _measure(server: ClickHouse) -> dict[str, float]:
    assert server.process is not None
    process = psutil.Process(server.process.pid)
    found = {"rss idle after start": process.memory_info().rss / 1e6}
    http = client(server.settings)
    for statement in TABLES:
        http.command(statement)
    body = _body()
    speed = []
    for index in range(REPEATS):
        began = time.perf_counter()
        insert_rows(http, "bench_raw", body, f"bench:{index}")
        speed.append(ROWS / (time.perf_counter() - began))
    assert int(http.query("SELECT sum(n) FROM bench_country").result_rows[0][0]) == ROWS * REPEATS
    found["insert of 50,000 rows, 25 columns, 4 views (median)"] = sorted(speed)[REPEATS // 2]
    found["SELECT 1 p50"], found["SELECT 1 p99"] = _latency(lambda: http.query("SELECT 1"))
    small = "SELECT country, sum(n) FROM bench_country WHERE website_id = 3 GROUP BY country"
    one, _ = _latency(lambda: http.query(small), 100)
    found["small SELECT p50"] = one
    with ThreadPoolExecutor(10) as threads:
        began = time.perf_counter()
        list(threads.map(lambda _: http.query(small), range(200)))
        each = (time.perf_counter() - began) * 1000 / 200
    found["10 threads of small SELECTs, per query"] = each
    with ThreadPoolExecutor(10) as threads:
        began = time.perf_counter()
        list(threads.map(lambda _: http.query("SELECT sleep(0.2)"), range(10)))
        found["10 parallel sleeps of 200 ms"] = (time.perf_counter() - began) * 1000
    found["rss after the inserts"] = process.memory_info().rss / 1e6
    http.close()
    return found


def _baseline(folder: Path) -> dict[str, float]:
    """The same work by direct calls, in a process of its own (an engine's threads stay in the process)."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_in_process, (folder,))


def _in_process(folder: Path) -> dict[str, float]:
    from infra.services.clickhouse_server.engine import Engine

    folder.mkdir()
    engine = Engine(folder, 2 << 30)
    data = folder / "rows.ndjson"
    data.write_bytes(_body())
    with engine.connection() as connection:
        for statement in TABLES:
            connection.run(statement)
        speed = []
        for index in range(REPEATS):
            connection.apply({"insert_deduplication_token": f"bench:{index}"})
            began = time.perf_counter()
            connection.insert(b"INSERT INTO bench_raw", b"", "JSONEachRow", data, {})
            speed.append(ROWS / (time.perf_counter() - began))
        connection.apply({"insert_deduplication_token": ""})
        small = "SELECT country, sum(n) FROM bench_country WHERE website_id = 3 GROUP BY country"
        p50, p99 = _latency(lambda: connection.run("SELECT 1", "Native"))
        small_p50, _ = _latency(lambda: connection.run(small, "Native"), 100)
    engine.close()
    return {
        "insert of 50,000 rows, 25 columns, 4 views (median)": sorted(speed)[REPEATS // 2],
        "SELECT 1 p50": p50,
        "SELECT 1 p99": p99,
        "small SELECT p50": small_p50,
    }


def _latency(call: Callable[[], object], times: int = 500) -> tuple[float, float]:
    for _ in range(20):
        call()
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        call()
        taken.append((time.perf_counter() - began) * 1000)
    taken.sort()
    return taken[times // 2], taken[times * 99 // 100]


def _body() -> bytes:
    """50,000 rows of about 500 bytes of JSON: 25 columns with the value counts that real traffic has."""
    lines = []
    for i in range(ROWS):
        row: dict[str, Any] = {
            "website_id": i % 7,
            "occurred_at": 1_790_000_000 + i // 4,
            "visitor": i * 2654435761 % 9973,
            "country": ("FR", "DE", "US", "GB", "BR")[i % 5],
        }
        row.update((name, f"{name}-{i * (n + 3) % (5 + n * 7)}") for n, name in enumerate(_TEXT))
        row.update((name, i * (n + 1) % 1000) for n, name in enumerate(_NUMBERS))
        lines.append(json.dumps(row, separators=(",", ":")).encode())
    return b"\n".join(lines)


if __name__ == "__main__":
    for figure in run():
        print(figure)
