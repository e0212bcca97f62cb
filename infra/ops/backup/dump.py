"""Dumps Postgres into a file and restores it, by `pg_dump` and `pg_restore` of the embedded engine.

Excluded are rows that can be rebuilt (read models, positions of projections), rows that must not come back (open
sessions, one-time links: revoked ones would be valid again) and rows that must not be kept longer than promised
(salts of visitors, keys of ad click ids, emails).
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryFile
from time import monotonic
from typing import Any, Final

import psycopg
from psycopg import conninfo

from infra.ops.backup import BackupError
from infra.ops.stack.tools import launched, postgres_bin

FILE_NAME: Final = "postgres.dump"
KEPT_OF_ENGINE: Final = ("relay",)
NOT_KEPT: Final = (
    "accounts.session",
    "accounts.website_session",
    "accounts.login_ticket",
    "accounts.provider_sign_in",
    "accounts.handoff_code",
    "accounts.one_time_link",
    "accounts.setup_token",
    "kernel.rate_limit",
    "events.snapshots",
    "ingest.salt",
    "ingest.visitor_key",
    "operations.backup",
    "operations.canary",
    "kernel.mail",
)
"""Tables whose rows stay out; the tables of schema `engine` but `KEPT_OF_ENGINE` come to them."""

STALL_S: Final = 600.0
_POLL_S: Final = 0.2


def dump(url: str, connection: psycopg.Connection[Any], snapshot: str, to: Path) -> None:
    """Writes everything of `snapshot` that is kept. Raises `BackupError` with what `pg_dump` said."""
    command = [
        *("--format=custom", "--compress=3", "--no-owner", "--no-password", f"--snapshot={snapshot}"),
        *("--lock-wait-timeout=60s", "--enable-row-security"),
        *("--exclude-table=read.*", f"--file={to}"),
        *(f"--exclude-table-data={name}" for name in (*NOT_KEPT, *_engine_tables(connection))),
    ]
    _run("pg_dump", command, url, to)


def restore(url: str, dumped: Path) -> None:
    """Makes everything of the dump in an empty database, all of it or nothing. Raises `BackupError`."""
    command = ["--exit-on-error", "--single-transaction", "--no-owner", "--no-password", str(dumped)]
    parts = conninfo.conninfo_to_dict(url)
    _run("pg_restore", ["--dbname", str(parts["dbname"]), *command], url, None)


def empty(connection: psycopg.Connection[Any]) -> None:
    """Deletes rows that are not kept: a version that knows their tables by other names dumps them."""
    connection.execute(f"TRUNCATE {', '.join(NOT_KEPT)}".encode())


def _engine_tables(connection: psycopg.Connection[Any]) -> Sequence[str]:
    rows = connection.execute(
        "SELECT relname FROM pg_class WHERE relnamespace = 'engine'::regnamespace AND relkind IN ('r', 'p')"
        " AND relname <> ALL (%s)",
        (list(KEPT_OF_ENGINE),),
    )
    return [f"engine.{name}" for (name,) in rows]


def _run(program: str, arguments: Sequence[str], url: str, growing: Path | None) -> None:
    """Ends it when it is no longer wanted, and when `growing` has not grown for long."""
    path = postgres_bin() / program
    with TemporaryFile() as errors, _password_file(url) as password_file:
        environment = {**os.environ, **_environment(url), "PGPASSFILE": password_file}
        process = subprocess.Popen(
            launched([str(path), *arguments]),
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
        )
        try:
            _wait(program, process, growing)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
        if process.returncode != 0:
            errors.seek(0)
            said = " ".join(errors.read(4000).decode(errors="replace").split())
            raise BackupError(f"{program} failed: {said or f'code {process.returncode}'}")


def _wait(program: str, process: subprocess.Popen[bytes], growing: Path | None) -> None:
    size, since = -1, monotonic()
    while True:
        try:
            process.wait(_POLL_S)
            return
        except subprocess.TimeoutExpired:
            written = growing.stat().st_size if growing is not None and growing.exists() else 0
            if growing is None or written != size:
                size, since = written, since if growing is None else monotonic()
            if monotonic() - since > (STALL_S if growing is not None else 6 * STALL_S):
                raise BackupError(f"{program} came no further for {monotonic() - since:.0f} seconds.") from None


def _environment(url: str) -> Mapping[str, str]:
    """libpq's names for the parts of the address but its password, which is in a file: every user can see arguments,
    and a program's environment can be seen as long as it runs."""
    parts = conninfo.conninfo_to_dict(url)
    parts.pop("password", None)
    names = {each.keyword.decode(): each.envvar.decode() for each in psycopg.pq.Conninfo.get_defaults() if each.envvar}
    return {names[name]: str(value) for name, value in parts.items() if name in names and value is not None}


@contextmanager
def _password_file(url: str) -> Iterator[str]:
    """A file for its owner alone, in libpq's form: the password of every server and user."""
    password = str(conninfo.conninfo_to_dict(url).get("password") or "")
    with NamedTemporaryFile("w") as file:
        file.write("*:*:*:*:" + password.replace("\\", "\\\\").replace(":", "\\:") + "\n")
        file.flush()
        yield file.name
