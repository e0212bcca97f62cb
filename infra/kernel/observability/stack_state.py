"""The stack as others may see it: `<data dir>/stack.json`, written by the supervisor, read by `ps`, `info` and every
command that wants to reach the engines of a running stack. Also: who still lives of a stack whose supervisor died.
"""

from __future__ import annotations

import fcntl
import json
import os
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import IO, Any

import psutil

from infra.settings import SettingsError
from infra.stack.secret_file import write_private

FILE_NAME = "stack.json"
_ORPHAN_GRACE_S = 12.0
_START_TIME = 19
"""Field 22 of proc(5)'s stat, counted behind the name, which may hold anything."""


@cache
def boot() -> str:
    """Tells one start of the machine from the next; empty where the system does not."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""


@dataclass(frozen=True)
class ProcessRow:
    """One process of the stack. `state`: starting, running, backoff, stopping, stopped."""

    name: str
    pid: int | None
    born: float | None
    state: str
    restarts: int


@dataclass(frozen=True)
class StackState:
    """`born` is the process's own start time: with it, and the `boot` it belongs to, a process id proves who it is.
    `environment` holds the settings that every child gets (addresses and passwords of the engines)."""

    pid: int
    born: float
    log: str
    environment: Mapping[str, str]
    info: Mapping[str, Any]
    processes: tuple[ProcessRow, ...]
    boot: str = field(default_factory=boot)


def birth(pid: int) -> float | None:
    """When the process with this id began, in seconds of `now`, or None if there is none. No step of the system's
    clock changes it."""
    try:
        process = psutil.Process(pid)
        if process.status() == psutil.STATUS_ZOMBIE:
            return None
        if sys.platform != "linux":
            return process.create_time()
        stat = Path(f"/proc/{pid}/stat").read_text(errors="replace")
        return int(stat.rpartition(")")[2].split()[_START_TIME]) / os.sysconf("SC_CLK_TCK")
    except (psutil.Error, OSError):
        return None


def now() -> float:
    """Seconds since the machine was started (where the system does not tell: since 1970)."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if sys.platform == "linux" else time.time()


def is_same(pid: int | None, born: float | None) -> bool:
    """Whether the process that had this id and start time still lives."""
    if pid is None or born is None:
        return False
    found = birth(pid)
    return found is not None and abs(found - born) < 1.0


def listens(pid: int, port: int) -> bool:
    """Whether this very process accepts connections on `port`. True where the system does not let us see."""
    try:
        connections = psutil.Process(pid).net_connections(kind="tcp")
    except psutil.NoSuchProcess:
        return False
    except psutil.Error:
        return True
    return any(c.status == psutil.CONN_LISTEN and c.laddr and c.laddr.port == port for c in connections)


def write(data_dir: Path, state: StackState) -> None:
    write_private(data_dir / FILE_NAME, json.dumps(asdict(state)))


def read(data_dir: Path) -> StackState | None:
    """The last state that was written since the machine was started; None if there is none. Whether it still runs:
    `is_running`."""
    try:
        found = json.loads((data_dir / FILE_NAME).read_text())
        rows = tuple(ProcessRow(**row) for row in found.pop("processes"))
        state = StackState(**{"boot": "", **found}, processes=rows)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None
    return state if state.boot == boot() else None


def is_running(state: StackState | None) -> bool:
    return state is not None and is_same(state.pid, state.born)


def running_environment(data_dir: Path) -> Mapping[str, str]:
    """Settings that reach the engines of the stack that runs on `data_dir`; empty when none runs."""
    state = read(data_dir)
    return dict(state.environment) if state is not None and is_running(state) else {}


def lock(data_dir: Path) -> IO[str]:
    """Makes this process the only supervisor of `data_dir`, for as long as the returned file stays open.

    Raises `SettingsError` when another one is there, and `OSError` when the directory cannot be written.
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
    """Ends what a killed supervisor left behind, and only that: process id and start time must both be the recorded
    ones. They were told to end when the supervisor died; who does not within a few seconds is killed. Returns names."""
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
