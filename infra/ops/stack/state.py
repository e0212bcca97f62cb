"""Writes the state of the local stack, and ends what a supervisor that died has left behind."""

from __future__ import annotations

import fcntl
import json
import os
import time
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import IO

import psutil

from infra.kernel.config.settings import SettingsError
from infra.kernel.observability.stack_state import FILE_NAME, ProcessRow, StackState, is_same, read
from infra.ops.stack.secret_file import write_private

_ORPHAN_GRACE_S = 12.0


def write(data_dir: Path, state: StackState) -> None:
    write_private(data_dir / FILE_NAME, json.dumps(asdict(state)))


def listens(pid: int, port: int) -> bool:
    """Returns whether this very process accepts connections on `port`, and True where the system does not say."""
    try:
        connections = psutil.Process(pid).net_connections(kind="tcp")
    except psutil.NoSuchProcess:
        return False
    except psutil.Error:
        return True
    return any(c.status == psutil.CONN_LISTEN and c.laddr and c.laddr.port == port for c in connections)


def lock(data_dir: Path) -> IO[str]:
    """Makes this process the only supervisor of `data_dir`, for as long as the returned file stays open.

    Raises `SettingsError` when another one runs, and `OSError` when the directory cannot be written.
    """
    file = open(data_dir / "lock", "a+")  # noqa: SIM115 - held for the process's life
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        file.seek(0)
        holder = file.read().strip() or "unknown"
        file.close()
        raise SettingsError(
            f"Another stack (process {holder}) already runs on {data_dir}; stop it, or set ALTHING_DATA_DIR to another "
            "directory."
        ) from error
    file.seek(0)
    file.truncate()
    file.write(str(os.getpid()))
    file.flush()
    return file


def end_orphans(data_dir: Path) -> list[str]:
    """Ends the processes of a killed supervisor, and only those: process id and start time must match the record.
    They got a signal when the supervisor died; the ones that do not end within a few seconds are killed. Returns
    names."""
    state = read(data_dir)
    if state is None:
        return []
    left = [row for row in state.processes if is_same(row.pid, row.born)]
    deadline = time.monotonic() + _ORPHAN_GRACE_S
    for row in left:
        _signal(row, kill=False)
    while time.monotonic() < deadline and any(is_same(row.pid, row.born) for row in left):
        time.sleep(0.05)
    for row in left:
        _signal(row, kill=True)
    while any(is_same(row.pid, row.born) for row in left):
        time.sleep(0.02)
    return [row.name for row in left]


def _signal(row: ProcessRow, *, kill: bool) -> None:
    if row.pid is not None and is_same(row.pid, row.born):
        with suppress(psutil.Error):
            process = psutil.Process(row.pid)
            process.kill() if kill else process.terminate()
