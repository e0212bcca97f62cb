"""The daily backup, a recurring job: runs when `ALTHING_BACKUP_DIR` is set and the last whole backup is a day old.

It is taken by a process of its own: reading a long log would slow down the decisions of the process that runs the jobs.
"""

from __future__ import annotations

import subprocess
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from threading import Event
from typing import Final

from prometheus_client import Gauge

from infra.kernel.config import secret_handover
from infra.kernel.config.settings import SECRET_NAMES, Settings
from infra.kernel.observability import service_manager
from infra.kernel.postgres.pool import connect
from infra.ops.backup import BackupError, history
from infra.ops.stack.tools import ALTHING

EVERY: Final = timedelta(days=1)
AFTER_FAILURE: Final = timedelta(hours=1)
_CHECK_S: Final = 0.5

_LAST: Final = Gauge("backup_last_success_timestamp_seconds", "When the newest whole backup was begun")


def take_due(settings: Settings, stop: Event) -> str | None:
    """Creates a backup if it is due; does nothing without a folder. Raises `BackupError`; retried after an hour. `stop`
    cancels it."""
    if settings.backup_dir is None:
        return None
    last = history.newest_done(settings)
    if last is not None:
        _LAST.set(last.timestamp())
    now = datetime.now(UTC)
    if (last is not None and now - last < EVERY) or _failed_lately(settings, now):
        return None
    environment = service_manager.withheld(secret_handover.environment())
    with (
        secret_handover.handed_over(environment, SECRET_NAMES) as (variables, descriptors),
        subprocess.Popen(
            [*ALTHING, "backup", "--json"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            env=variables,
            pass_fds=descriptors,
        ) as process,
    ):
        said: str | None = None
        while said is None:
            with suppress(subprocess.TimeoutExpired):
                said = process.communicate(timeout=_CHECK_S)[1]
            if stop.is_set():
                process.terminate()
    if process.returncode != 0:
        raise BackupError(said.strip().rpartition("\n")[2] or f"it ended with code {process.returncode}")
    _LAST.set(now.timestamp())
    return "taken"


def _failed_lately(settings: Settings, now: datetime) -> bool:
    with connect(settings) as connection:
        row = connection.execute(
            "SELECT max(started_at) FROM operations.backup WHERE state = 'failed' AND started_at > %s",
            (now - AFTER_FAILURE,),
        ).fetchone()
    return bool(row and row[0])
