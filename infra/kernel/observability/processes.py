"""The processes of this machine, for the system page: those of the stack with their memory, and the data directory."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from infra.kernel.observability import stack_state


@dataclass(frozen=True)
class RunningProcess:
    """One process of the stack with its children. `memory_bytes`: what it holds for itself, shared pages by share."""

    name: str
    pid: int | None
    state: str
    restarts: int
    uptime_s: float
    memory_bytes: int


@dataclass(frozen=True)
class Disk:
    """The file system of the data directory, and its usage by folder."""

    total: int
    used: int
    free: int
    folders: dict[str, int]


def processes(data_dir: Path) -> list[RunningProcess] | None:
    """The processes under the supervisor of `data_dir`; none when no stack runs there."""
    stack = stack_state.read(data_dir)
    if stack is None or not stack_state.is_running(stack):
        return None
    supervisor = stack_state.ProcessRow("stack", stack.pid, stack.born, "running", 0)
    return [_running(row) for row in (supervisor, *stack.processes)]


def disk(data_dir: Path) -> Disk:
    """Walks the whole directory: expensive. Raises `OSError` when it does not exist."""
    usage = shutil.disk_usage(data_dir)
    folders = {each.name: _size(each) for each in sorted(data_dir.iterdir()) if each.is_dir()}
    return Disk(usage.total, usage.used, usage.free, folders)


def _running(row: stack_state.ProcessRow) -> RunningProcess:
    alive = stack_state.is_same(row.pid, row.born)
    if not alive or row.pid is None or row.born is None:
        state = row.state if row.state in ("backoff", "stopped") else "backoff"
        return RunningProcess(row.name, None, state, row.restarts, 0.0, 0)
    with_children = row.name != "stack"
    memory = _memory(row.pid, with_children=with_children)
    return RunningProcess(row.name, row.pid, row.state, row.restarts, round(stack_state.now() - row.born, 1), memory)


def _memory(pid: int, *, with_children: bool) -> int:
    total = 0
    with suppress(psutil.Error):
        process = psutil.Process(pid)
        for one in (process, *(process.children(recursive=True) if with_children else ())):
            with suppress(psutil.Error):
                info = one.memory_full_info()
                total += getattr(info, "pss", 0) or info.rss
    return total


def _size(folder: Path) -> int:
    """The size of the directory; files that change during the walk may or may not count."""
    total = 0
    for root, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                total += os.lstat(os.path.join(root, name)).st_blocks * 512
    return total
