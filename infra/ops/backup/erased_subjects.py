"""The lists of erased accounts and visitors beside the backups: a restore of an older backup must not bring them back.

The list (`erased.json` in the folder of the backups) grows with every backup and, once a minute, by a recurring job. A
restore records all accounts on it that are not erased in the restored data; the command service erases them again,
by the same steps as the first time, before it answers its first request.

`erased-visitors.json` has each `visitor.forgotten` as it was decided: pseudonyms, by which the person is forgotten
again, and never the id by which they were found.
"""

from __future__ import annotations

import fcntl
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import psycopg

from infra.kernel.config.settings import Settings
from infra.kernel.postgres.pool import connect
from infra.ops.backup import BackupError
from infra.ops.stack.secret_file import write_private

FILE_NAME: Final = "erased.json"
VISITORS_FILE_NAME: Final = "erased-visitors.json"
_LOCK_FILE: Final = ".erased.lock"
_ERASED: Final = (
    "SELECT subject_id::text, erased_at FROM kernel.subject_key WHERE key_wrapped IS NULL AND erased_at IS NOT NULL"
)
_FORGOTTEN: Final = (
    "SELECT originator_id::text, convert_from(state, 'UTF8')::jsonb FROM events.stored_events"
    " WHERE topic LIKE 'visitor.forgotten.v%'"
)


def note(settings: Settings) -> str | None:
    """Brings the list of the configured folder up to date (a recurring job). Nothing where none is set."""
    if settings.backup_dir is None:
        return None
    folder = settings.backup_dir.resolve()
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with connect(settings) as connection:
        return f"{update(connection, folder)} more"


def update(connection: psycopg.Connection[Any], folder: Path) -> int:
    """Adds newly erased accounts and visitors to the lists in `folder` and returns their number. Entries are never
    removed."""
    with (folder / _LOCK_FILE).open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        accounts = {subject: at.isoformat() for subject, at in connection.execute(_ERASED)}
        visitors = dict(connection.execute(_FORGOTTEN).fetchall())
        return _add(folder / FILE_NAME, accounts) + _add(folder / VISITORS_FILE_NAME, visitors)


def _add(path: Path, found: Mapping[str, Any]) -> int:
    listed = _read(path)
    new = {name: value for name, value in found.items() if name not in listed}
    if new or not path.exists():
        write_private(path, json.dumps({**listed, **new}, indent=1) + "\n")
    return len(new)


@dataclass(frozen=True, slots=True)
class Erased:
    """The contents of the lists: accounts with their times, and decided erasures of visitors by their ids."""

    accounts: Mapping[str, str]
    visitors: Mapping[str, Any]


def read(folder: Path) -> Erased:
    """Reads both lists. Raises `BackupError` for a damaged one: who is on it must not come back."""
    accounts = {subject: str(at) for subject, at in _read(folder / FILE_NAME).items()}
    return Erased(accounts, _read(folder / VISITORS_FILE_NAME))


def _read(path: Path) -> Mapping[str, Any]:
    try:
        content = json.loads(path.read_text())
        return {str(name): value for name, value in content.items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, AttributeError) as error:
        raise BackupError(
            f"{path}, the list of erased people, cannot be read ({error}); a restore without it could bring them back."
        ) from error


def apply(connection: psycopg.Connection[Any], listed: Erased) -> int:
    """Notes who of the lists is to be erased again; how many."""
    return _apply_accounts(connection, listed.accounts) + _apply_visitors(connection, listed.visitors)


def _apply_visitors(connection: psycopg.Connection[Any], listed: Mapping[str, Any]) -> int:
    if not listed:
        return 0
    done = connection.execute(
        "INSERT INTO operations.visitor_to_erase (erasure_id, decided) SELECT l.id::uuid, l.decided::jsonb"
        " FROM unnest(%s::text[], %s::text[]) AS l (id, decided) WHERE NOT EXISTS ("
        "SELECT FROM events.stored_events AS e WHERE e.originator_id = l.id::uuid) ON CONFLICT DO NOTHING",
        (list(listed), [json.dumps(decided) for decided in listed.values()]),
    )
    return done.rowcount


def _apply_accounts(connection: psycopg.Connection[Any], listed: Mapping[str, str]) -> int:
    if not listed:
        return 0
    done = connection.execute(
        "INSERT INTO operations.to_erase (account_id, erased_at) SELECT l.id::uuid, l.at::timestamptz"
        " FROM unnest(%s::text[], %s::text[]) AS l (id, at) JOIN kernel.subject_key AS k ON k.subject_id = l.id::uuid"
        " WHERE k.key_wrapped IS NOT NULL ON CONFLICT DO NOTHING",
        (list(listed.keys()), list(listed.values())),
    )
    return done.rowcount
