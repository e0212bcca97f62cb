"""Postgres: it answers and is new enough, the user's rights suffice, it is durable, migrations are applied."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import psycopg
from psycopg import Connection

from infra.kernel.config.settings import SettingsError
from infra.ops.doctor.finding import Finding, error, ok, warning
from infra.ops.doctor.subject import Subject
from infra.ops.migrations import migrate

CHECK: Final = "postgres"
MIN_VERSION: Final = 150_000
CONNECT_TIMEOUT_S: Final = 3
_OPTIONS: Final = "-c statement_timeout=3000 -c default_transaction_read_only=on -c TimeZone=UTC"
_MAX_NAMED: Final = 3


def check(subject: Subject) -> Iterator[Finding]:
    url = subject.effective.postgres_url
    if url is None:
        yield ok(CHECK, "The embedded Postgres is not running; `althing up` starts it.")
        return
    try:
        with connect(url) as connection:
            yield of_version(connection.info.server_version)
            yield from of_rights(connection)
            yield from of_durability(connection)
            yield from of_migrations(applied(connection), migrate.read_folder(migrate.FOLDER))
    except psycopg.Error as failure:
        yield of_failure(failure)


def connect(url: str) -> Connection[Any]:
    """A connection that can only read. Raises `psycopg.OperationalError` within a few seconds."""
    return psycopg.connect(url, autocommit=True, connect_timeout=CONNECT_TIMEOUT_S, options=_OPTIONS)


def of_failure(failure: psycopg.Error) -> Finding:
    text = " ".join(str(failure).split())
    if "authentication failed" in text or "no password supplied" in text:
        return error(CHECK, f"Postgres does not accept user or password: {text}.", "Correct them in POSTGRES_URL.")
    if "does not exist" in text:
        return error(
            CHECK, f"Postgres refuses the connection: {text}.", "Create what is missing, or correct POSTGRES_URL."
        )
    return error(
        CHECK,
        f"Postgres cannot be used: {text}.",
        "Start Postgres, or correct host and port in POSTGRES_URL, or open them in the firewall.",
    )


def of_version(version: int) -> Finding:
    text = f"Postgres {version // 10_000}.{version % 10_000} answers."
    if version < MIN_VERSION:
        return error(CHECK, text, f"Upgrade Postgres to version {MIN_VERSION // 10_000} or newer.")
    return ok(CHECK, text)


def of_rights(connection: Connection[Any]) -> Iterator[Finding]:
    row = connection.execute(
        "select pg_is_in_recovery(), has_database_privilege(current_database(), 'CREATE'), current_user,"
        " exists (select from pg_roles where rolname = 'query_reader'),"
        " (select rolcreaterole or rolsuper from pg_roles where rolname = current_user)"
    ).fetchone()
    is_standby, may_create, user, has_reader, may_create_roles = row or (False, False, "", False, False)
    if is_standby:
        yield error(
            CHECK, "The server is a standby, which accepts no writes.", "Set POSTGRES_URL to the primary server."
        )
    if not may_create:
        yield error(
            CHECK,
            f"User {user} may create no schemas in the database.",
            f"As an administrator, run `GRANT CREATE ON DATABASE … TO {user}`.",
        )
    if not has_reader and not may_create_roles:
        yield error(
            CHECK,
            f"Role query_reader is missing, and user {user} may create no roles.",
            f"As an administrator, run `CREATE ROLE query_reader NOLOGIN; GRANT query_reader TO {user}`.",
        )
    if may_create and (has_reader or may_create_roles) and not is_standby:
        yield ok(CHECK, f"User {user} may create the tables.")


def of_durability(connection: Connection[Any]) -> Iterator[Finding]:
    names = ("fsync", "full_page_writes", "synchronous_commit")
    values = {name: str(connection.execute(f"show {name}").fetchone()[0]) for name in names}  # type: ignore[index]
    yield from judged_durability(values)


def judged_durability(found: Mapping[str, str]) -> Iterator[Finding]:
    for name in ("fsync", "full_page_writes"):
        if found[name] == "off":
            yield error(
                CHECK,
                f"Postgres runs with {name} = off: a power loss can destroy the event store.",
                f"Set {name} = on in postgresql.conf and reload.",
            )
    if found["synchronous_commit"] == "off":
        yield error(
            CHECK,
            "Postgres runs with synchronous_commit = off: a crash loses decisions that were confirmed.",
            "Set synchronous_commit = on for this user or in postgresql.conf.",
        )
    if "off" not in found.values():
        yield ok(CHECK, "Postgres writes to the disk before it confirms.")


def applied(connection: Connection[Any]) -> Mapping[str, str] | None:
    """Name → checksum of the migrations that ran; None in an empty database."""
    row = connection.execute("select to_regclass('ops.migrations') is not null").fetchone()
    if row is None or not row[0]:
        return None
    return dict(connection.execute("select name, checksum from ops.migrations").fetchall())


def of_migrations(known: Mapping[str, str] | None, files: Sequence[migrate.Migration]) -> Iterator[Finding]:
    try:
        migrate.check(files, known or {})
    except SettingsError as failure:
        yield error(
            CHECK, str(failure), "Install the version of Althing that last migrated this database, or a newer one."
        )
        return
    pending = [file.name for file in files if file.name not in (known or {})]
    if pending:
        more = ", …" if len(pending) > _MAX_NAMED else ""
        yield warning(
            CHECK,
            f"{len(pending)} migrations are pending: {', '.join(pending[:_MAX_NAMED])}{more}.",
            "Run `althing migrate`.",
        )
    else:
        yield ok(CHECK, f"All {len(files)} migrations are applied.")
