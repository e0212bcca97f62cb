"""The canary on a running stack: measured again and again, and counted nowhere."""

from __future__ import annotations

from typing import Any

import psycopg

from infra.kernel.clickhouse.reader import Reader
from infra.kernel.config.loading import load
from schemas.canary import WEBSITE_ID
from tests.support.stack import Stack, wait_for


def test_the_canary_is_measured_and_no_figure_counts_it(loaded: Stack) -> None:
    settings = load(loaded.environment, env_file=None)
    with psycopg.connect(loaded.environment["POSTGRES_URL"], autocommit=True) as postgres:

        def measured() -> Any:
            return postgres.execute("SELECT seen_after_s FROM ops.canary WHERE seen_after_s IS NOT NULL").fetchone()

        [seconds] = wait_for(measured, "a canary to be readable")
        assert 0 < seconds < 600
        listed = postgres.execute("SELECT count(*) FROM read.websites WHERE id = %s", (WEBSITE_ID,)).fetchone()
        assert listed == (0,)
    with Reader(settings) as clickhouse:
        tables = [
            row["table"]
            for row in clickhouse.rows(
                "SELECT table FROM system.columns WHERE database = currentDatabase() AND name = 'website_id'"
                " ORDER BY table"
            )
        ]
        assert {"events", "duplicates", "traffic_15m", "recent_events", "delivery_minute"} <= set(tables)
        holding = {
            table
            for table in tables
            if list(clickhouse.rows(f"SELECT 1 AS one FROM {table} WHERE website_id = '{WEBSITE_ID}' LIMIT 1"))
        }
    assert {name.partition("__")[0] for name in holding} == {"duplicates"}
