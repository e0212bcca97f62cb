"""A ClickHouse server with a rollup of some size, dashboards that read it, and statements run for analysts."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

import httpx

from infra.domain.sql_access import limits
from tests.support.clickhouse import PASSWORD, USER, ClickHouse, start_clickhouse
from tests.support.engines import engine_folder

ROLLUP: Final = (
    "CREATE TABLE traffic (website_id UInt32, bucket DateTime, is_bot Bool, clicks Int64) ENGINE = MergeTree"
    " PARTITION BY toYYYYMM(bucket) ORDER BY (website_id, bucket)"
)
ROWS: Final = (
    "INSERT INTO traffic SELECT number % 50, toDateTime('2026-01-01 00:00:00') + number * 8, 0, number % 7"
    " FROM numbers(2000000)"
)
DASHBOARD: Final = (
    "SELECT toStartOfDay(bucket) AS day, sum(clicks) FROM althing.traffic WHERE website_id = 7 AND NOT is_bot"
    " GROUP BY day ORDER BY day"
)


class HostileServer:
    def __init__(self, server: ClickHouse, http: httpx.Client) -> None:
        self.server, self.http = server, http

    @property
    def pid(self) -> int:
        assert self.server.process is not None
        return self.server.process.pid

    def analyst(self, account: str, sql: str, settings: Mapping[str, str] | None = None) -> httpx.Response:
        """One statement in a process of its own."""
        asked = {**limits.settings(), "readonly": "1", **(settings or {})}
        return self.http.post("/", content=sql.encode(), params=asked, headers={"X-Althing-Analyst": account})

    def dashboard(self) -> float:
        """Milliseconds of one read."""
        started = time.perf_counter()
        self.http.post("/", content=DASHBOARD).raise_for_status()
        return (time.perf_counter() - started) * 1000

    def dashboards_p95(self, reads: int) -> float:
        return statistics.quantiles([self.dashboard() for _ in range(reads)], n=20)[-1]


@contextmanager
def hostile_server() -> Iterator[HostileServer]:
    with engine_folder("hostile") as folder:
        server = start_clickhouse(folder)
        try:
            pool = httpx.Limits(max_connections=64)
            with httpx.Client(base_url=server.address, auth=(USER, PASSWORD), timeout=120, limits=pool) as http:
                for sql in (ROLLUP, ROWS):
                    http.post("/", content=sql).raise_for_status()
                yield HostileServer(server, http)
        finally:
            server.stop()
