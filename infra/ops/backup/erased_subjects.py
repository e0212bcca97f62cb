"""The list of erased accounts beside the backups: a restore of an older backup must not bring them back.

The list (`erased.json` in the folder of the backups) grows with every backup and, once a minute, by the scheduler. A
restore records all accounts on it that are not erased in the restored data; the command service erases them again,
by the same steps as the first time, before it answers its first request.
"""

from __future__ import annotations

import fcntl
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import psycopg

from infra.kernel.config.settings import Settings
from infra.kernel.postgres.pool import connect
from infra.ops.backup import BackupError
from infra.ops.stack.secret_file import write_private

FILE_NAME: Final = "erased.json"
_LOCK_FILE: Final = ".erased.lock"
_ERASED: Final = (
    "SELECT subject_id::text, erased_at FROM auth.subject_key WHERE key_wrapped IS NULL AND erased_at IS NOT NULL"
)


def note(settings: Settings) -> str | None:
    """Brings the list of the configured folder up to date (a job of the scheduler). Nothing where none is set."""
    if settings.backup_dir is None:
        return None
    folder = settings.backup_dir.resolve()
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with connect(settings) as connection:
        return f"{update(connection, folder)} more"


def update(connection: psycopg.Connection[Any], folder: Path) -> int:
    """Adds newly erased accounts to the list in `folder` and returns their number. Entries are never removed."""
    with (folder / _LOCK_FILE).open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        known = read(folder)
        rows = connection.execute(_ERASED)
        new = {subject: at.isoformat() for subject, at in rows if subject not in known}
        if new or not (folder / FILE_NAME).exists():
            write_private(folder / FILE_NAME, json.dumps({**known, **new}, indent=1) + "\n")
        return len(new)


def read(folder: Path) -> Mapping[str, str]:
    """Ids of the erased with their times. Raises `BackupError` for a damaged list: who is on it must not come back."""
    path = folder / FILE_NAME
    try:
        found = json.loads(path.read_text())
        return {str(subject): str(at) for subject, at in found.items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, AttributeError) as error:
        raise BackupError(
            f"{path}, the list of erased people, cannot be read ({error}); a restore without it could bring them back."
        ) from error


def apply(connection: psycopg.Connection[Any], listed: Mapping[str, str]) -> int:
    """Notes who of the list is to be erased again; how many."""
    if not listed:
        return 0
    done = connection.execute(
        "INSERT INTO ops.to_erase (account_id, erased_at) SELECT l.id::uuid, l.at::timestamptz"
        " FROM unnest(%s::text[], %s::text[]) AS l (id, at) JOIN auth.subject_key AS k ON k.subject_id = l.id::uuid"
        " WHERE k.key_wrapped IS NOT NULL ON CONFLICT DO NOTHING",
        (list(listed.keys()), list(listed.values())),
    )
    return done.rowcount
