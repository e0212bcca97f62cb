"""The state of the local stack, `<data dir>/stack.json`: the supervisor writes it (`infra.ops.stack.state`).

`ps`, `info`, the system page and every command that reaches the engines of a running stack read it.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import psutil

FILE_NAME = "stack.json"
_START_TIME = 19
"""Field 22 of proc(5)'s stat, counted behind the name, which may hold anything."""


@cache
def boot() -> str:
    """An identifier of the current boot of the machine; empty where the system has none."""
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
    """Returns the time when the process with this id began, in seconds of `now`, or None if there is none. No step of
    the system's clock changes it."""
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
    """Seconds since the machine was booted (since 1970 where the system does not report it)."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if sys.platform == "linux" else time.time()


def is_same(pid: int | None, born: float | None) -> bool:
    """Returns whether the process that had this id and start time still lives."""
    if pid is None or born is None:
        return False
    started_at = birth(pid)
    return started_at is not None and abs(started_at - born) < 1.0


def read(data_dir: Path) -> StackState | None:
    """The last state that was written since the machine was started; None if there is none. Whether it still runs:
    `is_running`."""
    try:
        content = json.loads((data_dir / FILE_NAME).read_text())
        rows = tuple(ProcessRow(**row) for row in content.pop("processes"))
        state = StackState(**{"boot": "", **content}, processes=rows)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None
    return state if state.boot == boot() else None


def is_running(state: StackState | None) -> bool:
    """Returns whether the supervisor that wrote the state lives; another process with its number does not count."""
    return state is not None and is_same(state.pid, state.born)


def running_environment(data_dir: Path) -> Mapping[str, str]:
    """Settings that reach the engines of the stack that runs on `data_dir`; empty when none runs."""
    state = read(data_dir)
    return dict(state.environment) if state is not None and is_running(state) else {}
