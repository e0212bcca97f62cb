"""Secrets of processes, kept out of their environment: from a parent through a pipe, and in this process's memory.

`/proc/PID/environ` shows the environment with which a program was started, for as long as it runs, to everybody with
its user id, in crash reports and to every child. So `althing` takes the secrets that it was started with out of its
environment (`take`), and starts its own programs with `handed_over`: variables without secrets, and a descriptor from
which the program reads them when it first reads its settings.
"""

from __future__ import annotations

import fcntl
import json
import os
import sys
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

DESCRIPTOR: Final = "SECRETS_DESCRIPTOR"
"""The variable that names the descriptor with the secrets, as JSON."""
_MIN_DESCRIPTOR: Final = 10
"""3 is where a program expects a listening socket (sd_listen_fds(3))."""
_ENV_START: Final = 47
"""Field 50 of proc(5)'s stat, counted behind the name, which may hold anything; the end is the field after it."""

_kept: dict[str, str] = {}


def environment() -> dict[str, str]:
    """The variables of this process, and the secrets that it keeps outside of them."""
    named = os.environ.pop(DESCRIPTOR, None)
    if named is not None:
        with open(int(named), "rb") as file:
            keep(json.load(file))
    return {**os.environ, **_kept}


def keep(secrets: Mapping[str, str]) -> None:
    """Adds secrets of this process, which are no variables."""
    _kept.update(secrets)


def take(names: Collection[str]) -> None:
    """Moves these variables into memory and wipes them where the kernel shows the environment. Before that, a moment
    after the start of the program, they can be seen there."""
    variables = {name: os.environ.pop(name) for name in names if name in os.environ}
    keep(variables)
    if variables and sys.platform == "linux":
        _wipe(variables)


@contextmanager
def handed_over(environ: Mapping[str, str], names: Collection[str]) -> Iterator[tuple[dict[str, str], tuple[int, ...]]]:
    """Variables without the secrets `names`, and the descriptors that a program must inherit, which has them then.

    Raises `OSError` if they are more than a pipe holds (64 KiB).
    """
    variables, secrets = divided(environ, names)
    if not secrets:
        yield variables, ()
        return
    reading, writing = os.pipe()
    try:
        descriptor = fcntl.fcntl(reading, fcntl.F_DUPFD_CLOEXEC, _MIN_DESCRIPTOR)
        try:
            os.set_blocking(writing, False)
            content = json.dumps(secrets).encode()
            if os.write(writing, content) != len(content):
                raise OSError("the secrets are too large for a pipe")
            os.close(writing)
            writing = -1
            yield {**variables, DESCRIPTOR: str(descriptor)}, (descriptor,)
        finally:
            os.close(descriptor)
    finally:
        os.close(reading)
        if writing >= 0:
            os.close(writing)


def divided(environ: Mapping[str, str], names: Collection[str]) -> tuple[dict[str, str], dict[str, str]]:
    """The variables that may be seen, and the secrets. An empty one says that it is not set, and is none."""
    secrets = {name: value for name, value in environ.items() if name in names and value}
    return {name: value for name, value in environ.items() if name not in secrets}, secrets


def _wipe(names: Collection[str]) -> None:
    """Overwrites the values in the block that the program was started with (`env_start`, `env_end`: proc(5)). Nothing
    refers to them any more once they were removed from the environment."""
    import ctypes  # most processes have nothing to wipe

    fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    start, end = int(fields[_ENV_START]), int(fields[_ENV_START + 1])
    if not start:
        return
    at = start
    for entry in ctypes.string_at(start, end - start).split(b"\0"):
        name, _, value = entry.partition(b"=")
        if os.fsdecode(name) in names:
            ctypes.memset(at + len(name) + 1, 0, len(value))
        at += len(entry) + 1
