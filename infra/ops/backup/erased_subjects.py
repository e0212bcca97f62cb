"""Who was erased, kept beside the backups: an older backup must not bring anybody back.

The list (`erased.json` in the folder of the backups) grows with every backup and, once a minute, by the scheduler. A
restore notes everybody on it who is not erased in what was restored; the command service erases them anew, by the same
steps as the first time, before it answers its first request.
"""

from __future__ import annotations

import fcntl
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import psycopg

from infra.backup import BackupError
from infra.postgres import connect
from infra.settings import Settings
from infra.stack.secret_file import write_private

FILE_NAME: Final = "erased.json"
_LOCK_FILE: Final = ".erased.lock"


def note(settings: Settings) -> str | None:
    """Brings the list of the configured folder up to date (a job of the scheduler). Nothing where none is set."""
    if settings.backup_dir is None:
        return None
    folder = settings.backup_dir.resolve()
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with connect(settings) as connection:
        return f"{update(connection, folder)} more"


def update(connection: psycopg.Connection[Any], folder: Path) -> int:
    """Adds to the list in `folder` who was erased since; how many. Nobody is ever taken off."""
    with (folder / _LOCK_FILE).open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        return _update(connection, folder)


def _update(connection: psycopg.Connection[Any], folder: Path) -> int:
    known = read(folder)
    rows = connection.execute(
        "SELECT subject_id::text, erased_at FROM auth.subject_key WHERE key_wrapped IS NULL AND erased_at IS NOT NULL"
    )
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
