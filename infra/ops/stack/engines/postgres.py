"""The embedded Postgres: its own data directory, password sign-in, loopback TCP only."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path

import psycopg
from psycopg import sql

from infra.kernel.config.settings import SettingsError
from infra.ops.stack.ports import LOOPBACK
from infra.ops.stack.secret_file import StackSecrets
from infra.ops.stack.spec import ENGINE_BACKOFF_S, ENGINE_VARIABLES, ProcessSpec
from infra.ops.stack.tools import can_map_user, make_data_directory, postgres_bin

DATABASE = "althing"
OWNER = "althing"
ANALYST = "analyst"
SERVER_SETTINGS = {
    "listen_addresses": LOOPBACK,
    "unix_socket_directories": "",
    "fsync": "on",
    "synchronous_commit": "on",
    "full_page_writes": "on",
    "password_encryption": "scram-sha-256",
    "max_connections": "100",
    "shared_buffers": "64MB",
    "effective_cache_size": "512MB",
    "work_mem": "8MB",
    "maintenance_work_mem": "64MB",
    "max_wal_size": "1GB",
    "checkpoint_timeout": "10min",
    "wal_compression": "on",
    "jit": "off",
    "io_method": "sync",
    "autovacuum_max_workers": "2",
    "max_parallel_workers": "2",
    "max_worker_processes": "4",
    "max_logical_replication_workers": "0",
    "idle_in_transaction_session_timeout": "60s",
    "tcp_keepalives_idle": "30",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_destination": "stderr",
    "log_min_messages": "warning",
    "log_checkpoints": "off",
    "log_line_prefix": "%m [%p] ",
}


def url(port: int, secrets: StackSecrets) -> str:
    """Returns the address where services connect, with the owner's rights."""
    return f"postgresql://{OWNER}:{secrets.postgres_password}@{LOOPBACK}:{port}/{DATABASE}"


def analyst_url(port: int, secrets: StackSecrets) -> str:
    """Returns the address where people connect, who may only read the schema `read`."""
    return f"postgresql://{ANALYST}:{secrets.postgres_analyst_password}@{LOOPBACK}:{port}/{DATABASE}"


def spec(data_dir: Path, port: int, secrets: StackSecrets) -> ProcessSpec:
    folder = data_dir / "postgres"
    server = [str(postgres_bin() / "postgres"), "-D", str(folder), "-p", str(port)]
    for name, value in SERVER_SETTINGS.items():
        server += ["-c", f"{name}={value}"]
    return ProcessSpec(
        name="postgres",
        command=server,
        is_ready=lambda: _answers(port, secrets),
        port=port,
        prepare=lambda: _prepare(folder, secrets),
        stop_signal=signal.SIGINT,  # "fast": ends sessions, writes a checkpoint
        death_signal=signal.SIGINT,
        stop_timeout_s=30,
        quiet=True,
        ordinary_user=True,
        longest_backoff_s=ENGINE_BACKOFF_S,
        inherits=ENGINE_VARIABLES,
    )


def set_up(port: int, secrets: StackSecrets) -> None:
    """Creates the database and the read-only role when they are missing. The server must be ready.

    What the role may read is granted by the migrations.
    """
    with psycopg.connect(_admin_url(port, secrets), autocommit=True, connect_timeout=5) as connection:
        if connection.execute("select 1 from pg_database where datname = %s", (DATABASE,)).fetchone() is None:
            connection.execute(sql.SQL("create database {}").format(sql.Identifier(DATABASE)))
        row = connection.execute("select 1 from pg_roles where rolname = %s", (ANALYST,)).fetchone()
        role = sql.SQL(
            "{} role {} with login nosuperuser nocreatedb nocreaterole connection limit 20 password {}"
        ).format(
            sql.SQL("alter" if row else "create"),
            sql.Identifier(ANALYST),
            sql.Literal(secrets.postgres_analyst_password),
        )
        connection.execute(role)
        for setting, value in (("default_transaction_read_only", "on"), ("statement_timeout", "30s")):
            connection.execute(
                sql.SQL("alter role {} set {} = {}").format(
                    sql.Identifier(ANALYST), sql.Identifier(setting), sql.Literal(value)
                )
            )


def _admin_url(port: int, secrets: StackSecrets) -> str:
    return f"postgresql://{OWNER}:{secrets.postgres_password}@{LOOPBACK}:{port}/postgres"


def _answers(port: int, secrets: StackSecrets) -> bool:
    try:
        with psycopg.connect(_admin_url(port, secrets), connect_timeout=2) as connection:
            return connection.execute("select 1").fetchone() == (1,)
    except psycopg.Error:
        return False


def _prepare(folder: Path, secrets: StackSecrets) -> None:
    if os.geteuid() == 0 and not can_map_user():
        raise SettingsError(
            "Postgres refuses to run as root, and this system allows no user namespaces to step down in: "
            "start as an ordinary user, or set POSTGRES_URL to a server of your own."
        )
    if not folder.exists():
        _initialise(folder, secrets)
    _remove_stale_pid_file(folder / "postmaster.pid")


def _initialise(folder: Path, secrets: StackSecrets) -> None:
    """Makes the database's directory beside its place first: a half-made one of an interrupted start is never taken for
    a database."""
    new = folder.with_name("postgres.new")
    shutil.rmtree(new, ignore_errors=True)
    password_file = folder.with_name("postgres.password")
    password_file.touch(mode=0o600)
    password_file.write_text(secrets.postgres_password)
    try:
        command = [str(postgres_bin() / "initdb"), "-D", str(new), "-U", OWNER, f"--pwfile={password_file}"]
        command += ["--auth=scram-sha-256", "--encoding=UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
        command += ["--locale=C", "--data-checksums"]
        make_data_directory("Postgres", folder, command, ordinary_user=True)
    finally:
        password_file.unlink()
    new.replace(folder)


def _remove_stale_pid_file(path: Path) -> None:
    """Removes the file of a process id: after a power loss the id may belong to another process by now, and Postgres
    would refuse to start.

    Safe, because the caller holds the lock of the data directory and has ended the processes of the last stack.
    """
    try:
        pid = int(path.read_text().split("\n", 1)[0])
    except (OSError, ValueError):
        return
    try:
        program = Path(f"/proc/{pid}/exe").readlink().name
    except OSError:
        program = ""
    if program != "postgres":
        path.unlink(missing_ok=True)
