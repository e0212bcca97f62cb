"""Recurring jobs on a running stack: the command service runs them; the canary is measured again and again, and counted
nowhere; a daily backup is taken beside it."""

from __future__ import annotations

from pathlib import Path
from threading import Event
from typing import Any

import httpx
import psycopg
import pytest

from infra.kernel.clickhouse.reader import Reader
from infra.kernel.config.loading import load
from infra.ops.backup import BackupError, daily
from infra.ops.backup.creation import existing
from schemas.canary import WEBSITE_ID
from tests.support.stack import Stack, wait_for


def test_the_canary_is_measured_and_no_figure_counts_it(loaded: Stack) -> None:
    settings = load(loaded.environment, env_file=None)
    with psycopg.connect(loaded.environment["POSTGRES_URL"], autocommit=True) as postgres:

        def measured() -> Any:
            return postgres.execute(
                "SELECT seen_after_s FROM operations.canary WHERE seen_after_s IS NOT NULL"
            ).fetchone()

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


def test_the_command_service_runs_the_jobs_again_after_it_was_killed(loaded: Stack) -> None:
    def last_success() -> float:
        """Of the job that sends emails; each process knows its own runs alone."""
        try:
            lines = httpx.get(
                f"http://127.0.0.1:{loaded.environment['ALTHING_COMMAND_PORT']}/metrics"
            ).text.splitlines()
        except httpx.TransportError:
            return 0.0
        found = [line for line in lines if line.startswith('scheduler_last_success_timestamp_seconds{job="send-mail"}')]
        return float(found[0].rpartition(" ")[2]) if found else 0.0

    assert set(loaded.ps()) >= {"command", "query", "ingest", "projectors", "web"} and "scheduler" not in loaded.ps()
    before = wait_for(last_success, "emails to be looked for")
    restarts = loaded.ps()["command"]["restarts"]
    loaded.kill("command")
    loaded.wait_restarted("command", restarts + 1)
    wait_for(lambda: last_success() > before, "emails to be looked for again")


def test_a_daily_backup_is_taken_once_and_a_cancelled_one_leaves_nothing(
    loaded: Stack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {**loaded.environment, "ALTHING_BACKUP_DIR": str(tmp_path)}.items():
        monkeypatch.setenv(name, value)
    settings, stop = load(env_file=None), Event()
    with psycopg.connect(loaded.environment["POSTGRES_URL"], autocommit=True) as postgres:
        postgres.execute("DELETE FROM operations.backup")
        stop.set()
        with pytest.raises(BackupError):
            daily.take_due(settings, stop)
        assert existing(tmp_path) == []
        postgres.execute("DELETE FROM operations.backup")
    assert daily.take_due(settings, Event()) == "taken"
    assert len(existing(tmp_path)) == 1
    assert daily.take_due(settings, Event()) is None
    assert len(existing(tmp_path)) == 1
