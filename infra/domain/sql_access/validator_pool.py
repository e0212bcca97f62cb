"""The pool of validator processes: analysts' texts are parsed in separate processes without rights.

At most `PROCESSES`, started on demand; idle ones end automatically. A process that fails, or takes longer than
`DEADLINE_S`, is killed and its statement rejected: a text that could not be parsed never runs.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from threading import Lock
from typing import Any, Final
from uuid import UUID

import structlog

from infra.domain.sql_access import limits
from infra.domain.sql_access.statement_log import TooManyRunning
from infra.domain.sql_access.validation_result import StatementRejected, StatementUnreadable, ValidatedStatement

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)

PROCESSES: Final = 2
DEADLINE_S: Final = 10.0
"""For one text, on a busy machine; its CPU time has a much lower limit (`validator_process.CPU_S`)."""

START_S: Final = 30.0
MAX_ANSWER_BYTES: Final = 16 << 20
_READ_BYTES: Final = 1 << 16


class ProcessEnded(Exception):
    """The process ended, as it does when it had nothing to do."""


class ValidatorPool:
    """Lives in an event loop's thread; `close` ends the processes. The pending texts of one analyst are limited
    like their running statements, so that others wait for no more than those."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(PROCESSES, "vetting")
        self._in_hand: Counter[UUID] = Counter()
        self._lock = Lock()
        self._all: set[_ValidatorProcess] = set()
        self._idle: list[_ValidatorProcess] = []

    async def validate(self, account_id: UUID, sql: str, name: str) -> ValidatedStatement:
        """Validates `sql` of the analyst called `name`. Raises `StatementRejected` or `TooManyRunning`."""
        if self._in_hand[account_id] >= limits.RUNNING:
            raise TooManyRunning
        self._in_hand[account_id] += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(
                self._threads, copy_context().run, self._vet, sql, name
            )
        finally:
            self._in_hand[account_id] -= 1
            if not self._in_hand[account_id]:
                del self._in_hand[account_id]

    def close(self) -> None:
        """Ends all processes; a text in hand is refused."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        with self._lock:
            for process in self._all:
                process.end()

    def _vet(self, sql: str, name: str) -> ValidatedStatement:
        question = json.dumps({"sql": sql, "name": name}).encode() + b"\n"
        answer = self._request(question)
        if "refused" in answer:
            raise (StatementUnreadable if answer["unreadable"] else StatementRejected)(answer["refused"])
        tables = tuple((str(database), str(table)) for database, table in answer["tables"])
        return ValidatedStatement(tuple(map(str, answer["pieces"])), tables)

    def _request(self, question: bytes) -> dict[str, Any]:
        while True:
            process, is_new = self._take_process()
            try:
                answer = process.ask(question)
            except ProcessEnded:
                self._discard(process)
                if is_new:
                    raise StatementRejected("This statement could not be read. Make it simpler.") from None
                continue
            except BaseException:
                self._discard(process)
                raise
            with self._lock:
                self._idle.append(process)
            return answer

    def _take_process(self) -> tuple[_ValidatorProcess, bool]:
        with self._lock:
            if self._idle:
                return self._idle.pop(), False
        process = _ValidatorProcess()
        with self._lock:
            self._all.add(process)
        return process, True

    def _discard(self, process: _ValidatorProcess) -> None:
        process.end()
        with self._lock:
            self._all.discard(process)


class _ValidatorProcess:
    """One process, and the socket that it listens to."""

    def __init__(self) -> None:
        self._socket, child_socket = socket.socketpair()
        with child_socket:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "infra.domain.sql_access.validator_process"],
                stdin=child_socket.fileno(),
                stdout=child_socket.fileno(),
                stderr=subprocess.DEVNULL,
                env={"PATH": os.defpath, "LANG": "C.UTF-8", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            )
        self._buffer = b""
        try:
            self._line(time.monotonic() + START_S)
        except (ProcessEnded, StatementRejected, TimeoutError):
            self.end()
            raise StatementRejected("Statements cannot be read just now. Please try again in a moment.") from None

    def ask(self, question: bytes) -> dict[str, Any]:
        """Raises `ProcessEnded`, or `StatementRejected` when it broke or took too long."""
        deadline = time.monotonic() + DEADLINE_S
        try:
            self._socket.settimeout(DEADLINE_S)
            self._socket.sendall(question)
            answer: dict[str, Any] = json.loads(self._line(deadline))
        except TimeoutError:
            raise _too_long() from None
        except OSError:
            raise ProcessEnded from None
        return answer

    def end(self) -> None:
        self._process.kill()
        with suppress(OSError):
            self._socket.close()
        self._process.wait()

    def _line(self, deadline: float) -> bytes:
        while b"\n" not in self._buffer:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            self._socket.settimeout(left)
            piece = self._socket.recv(_READ_BYTES)
            if not piece:
                self._raise_ended()
            self._buffer += piece
            if len(self._buffer) > MAX_ANSWER_BYTES:
                raise StatementRejected("What this statement means is too long to run.")
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line

    def _raise_ended(self) -> None:
        code = self._process.wait()
        if code == 0:
            raise ProcessEnded
        log.warning("sql_validator_exited", exit_code=code)
        raise _too_long()


def _too_long() -> StatementRejected:
    return StatementRejected("This statement takes too long to read. Make it simpler.")
