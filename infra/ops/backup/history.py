"""The outcome of each backup, in `operations.backup`: the system page and the metrics read it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import psycopg

from infra.kernel.config.settings import Settings
from infra.kernel.postgres.pool import connect
from infra.ops.backup.manifest import Manifest

LOCK: Final = 7_265_403
KEPT: Final = timedelta(days=400)
MAX_ERROR_LENGTH: Final = 2_000


@dataclass
class Noted:
    """The row of the backup that is being taken."""

    connection: psycopg.Connection[Any]
    backup_id: UUID

    def done(self, made: Manifest) -> None:
        """Records that the backup is whole, and was read again."""
        self.connection.execute(
            "UPDATE operations.backup SET state = 'done', finished_at = now(), verified_at = now(), bytes = %s,"
            " events = %s"
            " WHERE id = %s",
            (made.size, made.counts["events.stored_events"] + _records(made), self.backup_id),
        )


@contextmanager
def noted(settings: Settings, backup_id: UUID, folder: Path) -> Iterator[Noted]:
    """Notes the beginning of a backup and, if it fails, why. Rows of backups that were killed are closed."""
    with connect(settings) as connection:
        connection.autocommit = True
        # Held as long as the backup is made, so that a row without a holder belongs to a killed one.
        connection.execute("SELECT pg_advisory_lock_shared(%s)", (LOCK,))
        close_dead(connection, holding=1)
        connection.execute("DELETE FROM operations.backup WHERE started_at < now() - %s", (KEPT,))
        connection.execute("INSERT INTO operations.backup (id, folder) VALUES (%s, %s)", (backup_id, str(folder)))
        try:
            yield Noted(connection, backup_id)
        except BaseException as error:
            with suppress(psycopg.Error):
                connection.execute(
                    "UPDATE operations.backup SET state = 'failed', finished_at = now(), error = %s WHERE id = %s",
                    (_sentence(error), backup_id),
                )
            raise


def close_dead(connection: psycopg.Connection[Any], holding: int = 0) -> None:
    """Closes the rows of backups that were killed, unless one is being taken. `holding`: of the lock, by the caller."""
    connection.execute(
        "UPDATE operations.backup SET state = 'failed', finished_at = now(), error = 'It was interrupted.'"
        " WHERE state = 'running' AND (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND classid = 0"
        " AND objid = %s AND database = (SELECT oid FROM pg_database WHERE datname = current_database())) <= %s",
        (LOCK, holding),
    )


def newest_done(settings: Settings) -> datetime | None:
    """Returns when the last whole backup was begun. Closes the rows of those that were killed."""
    with connect(settings) as connection:
        close_dead(connection)
        row = connection.execute("SELECT max(started_at) FROM operations.backup WHERE state = 'done'").fetchone()
    return row[0] if row else None


def note_drill(settings: Settings, backup_id: str, error: str) -> None:
    """Records the outcome of a drill with that backup; no error: it was restored whole."""
    with connect(settings) as connection:
        connection.execute(
            "UPDATE operations.backup SET drill_error = %(e)s,"
            " restored_at = CASE WHEN %(e)s = '' THEN now() ELSE restored_at"
            " END WHERE id = %(id)s",
            {"e": error[:MAX_ERROR_LENGTH], "id": backup_id},
        )


def _records(made: Manifest) -> int:
    return sum(end for place, end in made.ends.items() if not place.startswith("domain-"))


def _sentence(error: BaseException) -> str:
    if isinstance(error, KeyboardInterrupt):
        return "It was cancelled."
    return (str(error).partition("\n")[0] or type(error).__name__)[:MAX_ERROR_LENGTH]
