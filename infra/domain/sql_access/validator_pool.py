"""The services' side of the gate: analysts' texts are read in processes of their own, which can do nothing else.

At most `PROCESSES` of them, made when they are wanted; they end by themselves when nobody asks. One that breaks, or
takes longer than `DEADLINE_S`, is killed and its text refused: what could not be read never runs.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import socket
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Lock
from typing import Any, Final
from uuid import UUID

from infra.analysts import limits
from infra.analysts.ledger import TooManyRunning
from infra.analysts.verdict import Refused, Unreadable, Vetted

log = logging.getLogger(__name__)

PROCESSES: Final = 2
DEADLINE_S: Final = 10.0
"""For one text, on a machine that has other things to do; its processor time is bounded much lower (`vetter.CPU_S`)."""

START_S: Final = 30.0
MOST_ANSWER_BYTES: Final = 16 << 20
_PIECE: Final = 1 << 16


class Ended(Exception):
    """The process ended, as it does when it had nothing to do."""


class Vetting:
    """Lives in an event loop's thread; `close` ends the processes. An analyst's texts in hand are bounded as their
    running statements are, so that nobody else waits for more than those."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(PROCESSES, "vetting")
        self._in_hand: Counter[UUID] = Counter()
        self._lock = Lock()
        self._all: set[_Vetter] = set()
        self._idle: list[_Vetter] = []

    async def vet(self, account_id: UUID, sql: str, name: str) -> Vetted:
        """What the gate makes of `sql` by the analyst called `name`. Raises `Refused` or `TooManyRunning`."""
        if self._in_hand[account_id] >= limits.RUNNING:
            raise TooManyRunning
        self._in_hand[account_id] += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, self._vet, sql, name)
        finally:
            self._in_hand[account_id] -= 1
            if not self._in_hand[account_id]:
                del self._in_hand[account_id]

    def close(self) -> None:
        """Ends all processes; a text in hand is refused."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        with self._lock:
            for vetter in self._all:
                vetter.end()

    def _vet(self, sql: str, name: str) -> Vetted:
        question = json.dumps({"sql": sql, "name": name}).encode() + b"\n"
        answer = self._asked(question)
        if "refused" in answer:
            raise (Unreadable if answer["unreadable"] else Refused)(answer["refused"])
        tables = tuple((str(database), str(table)) for database, table in answer["tables"])
        return Vetted(tuple(map(str, answer["pieces"])), tables)

    def _asked(self, question: bytes) -> dict[str, Any]:
        while True:
            vetter, is_new = self._taken()
            try:
                answer = vetter.ask(question)
            except Ended:
                self._gone(vetter)
                if is_new:
                    raise Refused("This statement could not be read. Make it simpler.") from None
                continue
            except BaseException:
                self._gone(vetter)
                raise
            with self._lock:
                self._idle.append(vetter)
            return answer

    def _taken(self) -> tuple[_Vetter, bool]:
        with self._lock:
            if self._idle:
                return self._idle.pop(), False
        vetter = _Vetter()
        with self._lock:
            self._all.add(vetter)
        return vetter, True

    def _gone(self, vetter: _Vetter) -> None:
        vetter.end()
        with self._lock:
            self._all.discard(vetter)


class _Vetter:
    """One process, and the socket that it listens to."""

    def __init__(self) -> None:
        self._socket, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "infra.analysts.vetter"],
                stdin=theirs.fileno(),
                stdout=theirs.fileno(),
                stderr=subprocess.DEVNULL,
                env={"PATH": os.defpath, "LANG": "C.UTF-8", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            )
        self._buffer = b""
        try:
            self._line(time.monotonic() + START_S)
        except (Ended, Refused):
            self.end()
            raise Refused("Statements cannot be read just now. Please try again in a moment.") from None

    def ask(self, question: bytes) -> dict[str, Any]:
        """Raises `Ended`, or `Refused` when it broke or took too long."""
        deadline = time.monotonic() + DEADLINE_S
        try:
            self._socket.settimeout(DEADLINE_S)
            self._socket.sendall(question)
            answer: dict[str, Any] = json.loads(self._line(deadline))
        except TimeoutError:
            raise _too_long() from None
        except OSError:
            raise Ended from None
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
                raise _too_long()
            self._socket.settimeout(left)
            try:
                piece = self._socket.recv(_PIECE)
            except TimeoutError:
                raise _too_long() from None
            if not piece:
                self._raise_ended()
            self._buffer += piece
            if len(self._buffer) > MOST_ANSWER_BYTES:
                raise Refused("What this statement means is too long to run.")
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line

    def _raise_ended(self) -> None:
        code = self._process.wait()
        if code == 0:
            raise Ended
        log.warning("the process that reads analysts' statements ended with %d; the statement is refused", code)
        raise _too_long()


def _too_long() -> Refused:
    return Refused("This statement takes too long to read. Make it simpler.")
