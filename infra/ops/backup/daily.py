"""The backup a day, as the scheduler takes it: when `ALTHING_BACKUP_DIR` is set and the last whole one is a day old."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

import psycopg
from prometheus_client import Gauge

from infra.backup import BackupError, ledger
from infra.backup.taking import take
from infra.postgres import connect
from infra.settings import Settings

EVERY: Final = timedelta(days=1)
AFTER_FAILURE: Final = timedelta(hours=1)

_LAST: Final = Gauge("backup_last_success_timestamp_seconds", "When the newest whole backup was begun")


def take_due(settings: Settings) -> str | None:
    """Takes one if it is time. Nothing where no folder is set. Raises `BackupError`; it tries again after an hour."""
    if settings.backup_dir is None:
        return None
    last = ledger.newest_done(settings)
    if last is not None:
        _LAST.set(last.timestamp())
    now = datetime.now(UTC)
    if (last is not None and now - last < EVERY) or _failed_lately(settings, now):
        return "not due"
    try:
        taken = take(settings, settings.backup_dir.resolve(), settings.backup_keep)
    except psycopg.Error as error:
        raise BackupError(str(error).partition("\n")[0]) from error
    _LAST.set(now.timestamp())
    return f"{taken.folder.name}, {taken.manifest.size:,} bytes"


def _failed_lately(settings: Settings, now: datetime) -> bool:
    with connect(settings) as connection:
        row = connection.execute(
            "SELECT max(started_at) FROM ops.backup WHERE state = 'failed' AND started_at > %s", (now - AFTER_FAILURE,)
        ).fetchone()
    return bool(row and row[0])
