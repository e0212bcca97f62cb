"""`althing migrate`: creates and updates tables and topics. Idempotent, and safe to run concurrently.

The `.sql` files beside this module run in the order of their numbers, each in its own transaction, each once; a file
that was changed after it ran stops the migration. Then the packages that create tables from code run, then the log's
topics and the key of its personal texts are created. Forward only: the next file fixes a mistake.

The first files are the baseline: one for each schema. An installation from before it runs the files in `OLDER` instead,
and has the baseline recorded as applied (docs/decisions/0046-one-baseline-a-schema.md).
"""

from __future__ import annotations

import argparse
import hashlib
import re
import sys
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psycopg
import structlog
from eventsourcing.persistence import PersistenceError

import command_api.schema
import projectors.schema
from infra.kernel.config.loading import load
from infra.kernel.config.parsers import parse_count
from infra.kernel.config.settings import Settings, SettingsError
from infra.kernel.log import LogUnavailable, open_log, partitions, signature
from infra.kernel.postgres.pool import required_url
from infra.kernel.security.text_keys import TextKeys
from projectors.engine.clickhouse import Unavailable

FOLDER = Path(__file__).with_name("postgres")
OLDER: Final = FOLDER / "from_0_2"
FIRST: Final = "0410_read.sql"
LAST: Final = "0429_sql.sql"
"""The last migration of the baseline."""

BRIDGE: Final = "commit c36edee7"
"""A version that has every migration from the first one on, and so upgrades any older database."""

_SQUASHED: Final = "98837bb9e8817ef71ea0931490a6e335efd9919b0a4d37e41f1d64e7b19f67ed"
"""Digest of the names and checksums of the files that ran before those in `OLDER`, up to 0296."""

CREATORS: Final[tuple[Callable[[Settings], None], ...]] = (
    command_api.schema.create_schema,
    projectors.schema.create_schema,
)
"""Create the tables that no SQL file does: the event store's, and those of every projection, inline or not."""

ENGINE_UNAVAILABLE: Final = (psycopg.OperationalError, PersistenceError, LogUnavailable, Unavailable)
"""The exceptions that the steps raise while an engine starts or cannot be reached."""

_LOCK = 7_265_401
_LOCK_WAIT_S = 120
_LOCK_ATTEMPTS: Final = 4
_LOCK_TIMEOUT_MS: Final = 500
"""Shorter than Postgres' `deadlock_timeout` (1 s): a migration that waits for a request which waits for the migration
times out before Postgres ends the request."""

_NAME = re.compile(r"(\d{4})_[a-z0-9_]+\.sql")
log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


class MigrationError(SettingsError):
    """The migrations cannot go on; the sentence says which one, and why."""


@dataclass(frozen=True)
class Migration:
    """One SQL file. `name` orders the migrations and marks them as applied."""

    name: str
    sql: str

    @property
    def checksum(self) -> str:
        return hashlib.sha256(self.sql.encode()).hexdigest()


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="althing migrate", description="Brings tables and topics up to date.")
    parser.add_argument(
        "--wait",
        type=parse_count,
        default=0,
        metavar="SECONDS",
        help="wait this long for engines that do not answer yet",
    )
    wait_s: int = parser.parse_args(arguments).wait
    settings = load()
    try:
        migrate_patiently(settings, wait_s)
    except ENGINE_UNAVAILABLE as error:
        sys.stderr.write(f"althing: {' '.join(str(error).split())}.\n")
        return 1
    return 0


def migrate_patiently(settings: Settings, wait_s: float, pause_s: float = 1.0) -> None:
    """`migrate`, again and again for `wait_s` seconds while an engine does not answer: every step is idempotent. Raises
    what `migrate` raises."""
    deadline = time.monotonic() + wait_s
    while True:
        try:
            migrate(settings)
        except ENGINE_UNAVAILABLE as error:
            if time.monotonic() + pause_s > deadline:
                raise
            log.info("engine_awaited", error=" ".join(str(error).split()))
            time.sleep(pause_s)
        else:
            return


def migrate(settings: Settings) -> None:
    """Migrates everything in order. Raises `MigrationError`, `psycopg.Error` or `infra.kernel.log.LogUnavailable`."""
    applied = apply(required_url(settings), read_folder(FOLDER))
    log.info("migrations_applied", migrations=applied)
    with (
        closing(open_log(settings)) as topics,
        psycopg.connect(required_url(settings), autocommit=True, connect_timeout=5) as connection,
    ):
        partitions.create(connection, topics)
        for create in CREATORS:
            create(settings)
        signature.note_starts(connection, topics)
        if FIRST in applied:  # services of before, which read nothing sealed, may be running else
            with connection.transaction():
                TextKeys(settings).create_first(connection)


def read_folder(folder: Path) -> tuple[Migration, ...]:
    """The files in the order of their numbers. Raises `MigrationError` for a bad name or a number used twice."""
    by_number: dict[str, Migration] = {}
    for path in sorted(folder.glob("*.sql")):
        matched = _NAME.fullmatch(path.name)
        if matched is None:
            raise MigrationError(f"{path.name} is not named NNNN_what_it_does.sql.")
        if matched[1] in by_number:
            raise MigrationError(f"{path.name} and {by_number[matched[1]].name} have the same number.")
        by_number[matched[1]] = Migration(path.name, path.read_text())
    return tuple(by_number.values())


def apply(url: str, migrations: Sequence[Migration]) -> list[str]:
    """Runs pending migrations on this database; returns their names.

    A pending file may have a lower number than one that has run (packages have their own ranges); it runs all the
    same. Raises `MigrationError`.
    """
    with psycopg.connect(url, autocommit=True, connect_timeout=5) as connection:
        connection.execute(f"set statement_timeout = '{_LOCK_WAIT_S}s'")
        connection.execute("select pg_advisory_lock(%s)", (_LOCK,))
        connection.execute("set statement_timeout = 0")
        connection.execute("create schema if not exists ops")
        connection.execute(
            "create table if not exists ops.migrations "
            "(name text primary key, checksum text not null, applied_at timestamptz not null default now())"
        )
        applied: Mapping[str, str] = dict(connection.execute("select name, checksum from ops.migrations").fetchall())
        check(migrations, applied)
        upgraded: list[str] = []
        if _is_before_baseline(migrations, applied):
            upgraded = _run_pending(connection, read_folder(OLDER), applied)
            applied = _record_baseline(connection, migrations)
        return upgraded + _run_pending(connection, migrations, applied)


def check(migrations: Sequence[Migration], known: Mapping[str, str]) -> None:
    """Checks whether these files can follow those that ran, `known` with their checksums. Raises `MigrationError`."""
    is_older = _is_before_baseline(migrations, known)
    files = (*migrations, *(read_folder(OLDER) if is_older else ()))
    for migration in files:
        if known.get(migration.name, migration.checksum) != migration.checksum:
            raise MigrationError(
                f"{migration.name} was changed after it ran on this database; write a new file instead."
            )
    others = sorted(set(known) - {migration.name for migration in files})
    unknown = [name for name in others if not is_older or name >= FIRST]
    if unknown:
        raise MigrationError(
            f"this database has run {unknown[-1]}, which this version does not know: it is newer than the program."
        )
    squashed = "".join(f"{name} {known[name]}\n" for name in others)
    if is_older and hashlib.sha256(squashed.encode()).hexdigest() != _SQUASHED:
        raise MigrationError(
            f"this database is of a version before {BRIDGE} and has not run all migrations that the baseline replaces: "
            f"run `althing migrate` of that version first (docs/deployment.md, Upgrade)."
        )


def newer_than_program(names: Collection[str]) -> list[str]:
    """Returns the applied migrations that a later version has, in order."""
    files = {migration.name for migration in read_folder(FOLDER)}
    return sorted(name for name in names if name >= FIRST and name not in files)


def _is_before_baseline(migrations: Sequence[Migration], known: Mapping[str, str]) -> bool:
    return any(each.name == FIRST for each in migrations) and any(name < FIRST for name in known)


def _run_pending(
    connection: psycopg.Connection[tuple[object, ...]], migrations: Sequence[Migration], known: Collection[str]
) -> list[str]:
    pending = [migration for migration in migrations if migration.name not in known]
    for migration in pending:
        _run(connection, migration)
    return [migration.name for migration in pending]


def _record_baseline(
    connection: psycopg.Connection[tuple[object, ...]], migrations: Sequence[Migration]
) -> Mapping[str, str]:
    """Replaces the migrations of before by the baseline, which has all that they made."""
    baseline = {each.name: each.checksum for each in migrations if each.name <= LAST}
    with connection.transaction():
        connection.execute("delete from ops.migrations where name <> all(%s)", (list(baseline),))
        for name, checksum in baseline.items():
            connection.execute("insert into ops.migrations (name, checksum) values (%s, %s)", (name, checksum))
    return baseline


def _run(connection: psycopg.Connection[tuple[object, ...]], migration: Migration) -> None:
    for attempt in range(1, _LOCK_ATTEMPTS + 1):
        try:
            with connection.transaction():
                connection.execute(f"set local lock_timeout = {_LOCK_TIMEOUT_MS}")
                connection.execute(migration.sql.encode())
                connection.execute(
                    "insert into ops.migrations (name, checksum) values (%s, %s)", (migration.name, migration.checksum)
                )
            return
        except psycopg.errors.LockNotAvailable as error:
            if attempt == _LOCK_ATTEMPTS:
                raise MigrationError(
                    f"{migration.name} could not get its locks within 2 s; nothing was changed, run it again."
                ) from error
        except psycopg.Error as error:
            raise MigrationError(f"{migration.name} failed and was rolled back: {error}") from error
