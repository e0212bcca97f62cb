"""Output of the child processes on the terminal and in `<data dir>/logs`: one pump per child process.

Children write plain lines or JSON lines (`infra.kernel.observability.logging`). Files keep them as they are, rotated by
size; the console shows `12:00:01 ingest     | event key=value`.
"""

from __future__ import annotations

import io
import json
import os
import sys
import threading
from datetime import datetime
from pathlib import Path
from typing import IO

from infra.kernel.observability import logging

ROTATE_BYTES = 10 * 1024 * 1024
KEPT_FILES = 3
_MAX_LINE = 64 * 1024
_COLOURS = (36, 33, 35, 32, 34, 96, 93, 95, 92, 94)
_LOUD = ("WARN", "ERROR", "FATAL", "PANIC", "CRITICAL", "Traceback")
_NOT_SHOWN = ("timestamp", "service", "logger")
"""The console says when and who in its own columns."""
_lock = threading.Lock()


def say(name: str, text: str, *, loud: bool = False) -> None:
    """One line on the console. Never raises: a closed terminal must not end the stack."""
    stamp = datetime.now().astimezone().strftime("%H:%M:%S")
    if _coloured():
        colour = 31 if loud else _COLOURS[sum(name.encode()) % len(_COLOURS)]
        line = f"\x1b[2m{stamp}\x1b[0m \x1b[{colour}m{name:<10} |\x1b[0m {text}"
    else:
        line = f"{stamp} {name:<10} | {text}"
    show(line)


def show(text: str) -> None:
    """Text on the console as it is."""
    with _lock:
        try:
            sys.stdout.write(text + "\n")
            sys.stdout.flush()
        except (OSError, ValueError):
            return


class RotatingFile:
    """An append-only log file that is renamed to `.1`, `.2`, ... when it grows over `ROTATE_BYTES`."""

    def __init__(self, path: Path, rotate_bytes: int = ROTATE_BYTES) -> None:
        self._path = path
        self._rotate_bytes = rotate_bytes
        self._file: IO[bytes] | None = None
        self._size = 0

    def write(self, line: bytes) -> None:
        """Writes a line. Never raises: a full disk must not stop the reading of a child's output. Each line is tried
        again."""
        try:
            if self._file is not None and self._size + len(line) > self._rotate_bytes:
                self._rotate()
            file = self._file or self._open()
            file.write(line)
            self._size += len(line)
        except OSError:
            return

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def _open(self) -> IO[bytes]:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        file = open(self._path, "ab", buffering=0)  # noqa: SIM115 - open for the process's life
        self._file, self._size = file, os.fstat(file.fileno()).st_size
        return file

    def _rotate(self) -> None:
        self.close()
        for number in range(KEPT_FILES, 0, -1):
            older = self._path.with_name(f"{self._path.name}.{number}")
            newer = self._path.with_name(f"{self._path.name}.{number - 1}") if number > 1 else self._path
            if newer.exists():
                newer.replace(older)


def pump(name: str, stream: IO[bytes] | None, path: Path, *, quiet: bool) -> threading.Thread:
    """Starts a thread that copies `stream` (a child's output pipe) to the log file and the console until its end."""
    source = stream if stream is not None else io.BytesIO()
    thread = threading.Thread(target=_copy, args=(name, source, path, quiet), name=f"output of {name}", daemon=True)
    thread.start()
    return thread


def rendered(line: str) -> tuple[str, bool]:
    """A child's line as a person reads it, and whether it is a warning or worse."""
    if line.startswith("{"):
        try:
            entry = json.loads(line)
        except ValueError:
            entry = None
        if isinstance(entry, dict) and "event" in entry:
            level = str(entry.pop("level", "info"))
            for name in _NOT_SHOWN:
                entry.pop(name, None)
            if entry.get("correlation_id") == entry.get("request_id"):
                entry.pop("correlation_id", None)
            trouble = entry.pop("exception", None)
            text = logging.line(str(entry.pop("event")), entry)
            return (f"{text}\n{trouble}" if trouble else text), level in ("warning", "error", "critical")
    return line, any(word in line for word in _LOUD)


def _copy(name: str, stream: IO[bytes], path: Path, quiet: bool) -> None:
    file = RotatingFile(path)
    try:
        while line := stream.readline(_MAX_LINE):
            file.write(line)
            text, loud = rendered(line.decode(errors="replace").rstrip())
            if text and (loud or not quiet):
                say(name, text, loud=loud)
    finally:
        file.close()
        stream.close()


def _coloured() -> bool:
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ
