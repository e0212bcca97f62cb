"""The daily backup, a job of the scheduler: runs when `ALTHING_BACKUP_DIR` is set and the last whole backup is a day
old."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

import psycopg
from prometheus_client import Gauge

from infra.kernel.config.settings import Settings
from infra.kernel.postgres.pool import connect
from infra.ops.backup import BackupError, history
from infra.ops.backup.creation import take

EVERY: Final = timedelta(days=1)
AFTER_FAILURE: Final = timedelta(hours=1)

_LAST: Final = Gauge("backup_last_success_timestamp_seconds", "When the newest whole backup was begun")


def take_due(settings: Settings) -> str | None:
    """Creates a backup if it is due; does nothing without a folder. Raises `BackupError`; retried after an hour."""
    if settings.backup_dir is None:
        return None
    last = history.newest_done(settings)
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
