"""`althing migrate`: brings the tables and topics up to date. Safe to run again, and by several at once.

The `.sql` files beside this module run in the order of their numbers, each in its own transaction, each once; a file
that was changed after it ran stops everything. Then the rooms that make tables from code, then the log's topics.
Forward only: a mistake is mended by the next file.
"""

from __future__ import annotations

import hashlib
import logging
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import psycopg

from infra.log import LogUnavailable, open_log, signature
from infra.postgres import required_url
from infra.settings import Settings, SettingsError, load

FOLDER = Path(__file__).with_name("postgres")
MIGRATIONS = ("command_api.store:create_schema", "projectors.engine.schema:create_schema")
"""Functions of `Settings` that create what they miss; they live in rooms that this one may not import."""

_LOCK = 7_265_401
_LOCK_WAIT_S = 120
_NAME = re.compile(r"(\d{4})_[a-z0-9_]+\.sql")
log = logging.getLogger(__name__)


class MigrationError(SettingsError):
    """The migrations cannot go on; the sentence says which one, and why."""


@dataclass(frozen=True)
class Migration:
    name: str
    sql: str

    @property
    def checksum(self) -> str:
        return hashlib.sha256(self.sql.encode()).hexdigest()


def main(arguments: list[str]) -> int:
    if arguments:
        raise SettingsError("`althing migrate` takes no arguments.")
    settings = load()
    try:
        migrate(settings)
    except LogUnavailable as error:
        sys.stderr.write(f"althing: {error}.\n")
        return 1
    return 0


def migrate(settings: Settings) -> None:
    """Everything in order. Raises `MigrationError`, `psycopg.Error` or `infra.log.LogUnavailable`."""
    applied = apply(required_url(settings), read_folder(FOLDER))
    log.info("applied %s", ", ".join(applied) if applied else "nothing: all migrations were there")
    for target in MIGRATIONS:
        module, _, name = target.partition(":")
        create: Callable[[Settings], None] = getattr(import_module(module), name)
        create(settings)
    topics = open_log(settings)
    try:
        topics.create_topics()
        with psycopg.connect(required_url(settings), autocommit=True, connect_timeout=5) as connection:
            signature.note_starts(connection, topics)
    finally:
        topics.close()


def read_folder(folder: Path) -> tuple[Migration, ...]:
    """The files in the order of their numbers. Raises `MigrationError` for a bad name or a number used twice."""
    found: dict[str, Migration] = {}
    for path in sorted(folder.glob("*.sql")):
        matched = _NAME.fullmatch(path.name)
        if matched is None:
            raise MigrationError(f"{path.name} is not named NNNN_what_it_does.sql.")
        if matched[1] in found:
            raise MigrationError(f"{path.name} and {found[matched[1]].name} have the same number.")
        found[matched[1]] = Migration(path.name, path.read_text())
    return tuple(found.values())


def apply(url: str, migrations: Sequence[Migration]) -> list[str]:
    """Runs those that have not run on this database; returns their names.

    Files may come with a lower number than one that has run (rooms have their own ranges); they run all the same.
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
        known: Mapping[str, str] = dict(connection.execute("select name, checksum from ops.migrations").fetchall())
        _check(migrations, known)
        missing = [migration for migration in migrations if migration.name not in known]
        for migration in missing:
            _run(connection, migration)
        return [migration.name for migration in missing]


def _check(migrations: Sequence[Migration], known: Mapping[str, str]) -> None:
    for migration in migrations:
        if known.get(migration.name, migration.checksum) != migration.checksum:
            raise MigrationError(
                f"{migration.name} was changed after it ran on this database; write a new file instead."
            )
    unknown = sorted(set(known) - {migration.name for migration in migrations})
    if unknown:
        raise MigrationError(
            f"this database has run {unknown[-1]}, which this version does not know: it is newer than the program."
        )


def _run(connection: psycopg.Connection[tuple[object, ...]], migration: Migration) -> None:
    try:
        with connection.transaction():
            connection.execute("set local lock_timeout = '2s'")
            connection.execute(migration.sql.encode())
            connection.execute(
                "insert into ops.migrations (name, checksum) values (%s, %s)", (migration.name, migration.checksum)
            )
    except psycopg.errors.LockNotAvailable as error:
        raise MigrationError(
            f"{migration.name} could not get its locks within 2 s; nothing was changed, run it again."
        ) from error
    except psycopg.Error as error:
        raise MigrationError(f"{migration.name} failed and was rolled back: {error}") from error
