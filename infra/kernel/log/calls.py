"""The calls of `publish`, which both logs keep until their futures are done: their sizes count against a bound, their
deadlines run."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass
from math import inf
from threading import Lock
from time import monotonic

from infra.kernel.log.limits import check_place, size_of
from infra.kernel.log.port import LogUnavailable, Position, Record, RecordTooLarge


@dataclass(slots=True, eq=False)
class PublishCall:
    """One `publish`. `handed_over`: when it left for the engine."""

    records: Sequence[Record]
    size: int
    deadline: float
    future: Future[list[Position]]
    handed_over: float = inf

    def succeed(self, positions: list[Position]) -> None:
        """Completes the future with the records' places; without effect if the deadline has failed it."""
        with suppress(InvalidStateError):  # its deadline had passed
            self.future.set_result(positions)

    def fail(self, reason: str) -> None:
        """Fails the future with `LogUnavailable`; without effect if it is done."""
        with suppress(InvalidStateError):
            self.future.set_exception(LogUnavailable(reason))


class Calls:
    """Begins calls and counts the bytes of those that are not `forgotten` yet. Thread-safe."""

    def __init__(self, engine: str, delivery_timeout_s: float, max_buffered_bytes: int) -> None:
        self._engine = engine
        self._delivery_timeout_s = delivery_timeout_s
        self._max_buffered_bytes = max_buffered_bytes
        self._buffered = 0
        self._lock = Lock()

    def begin(self, records: Sequence[Record]) -> PublishCall:
        """A call to be sent, unless its future is done already: nothing to do, too large, or no free memory.

        Raises `ValueError` for a topic or a partition that cannot exist.
        """
        for record in records:
            check_place(record)
        future: Future[list[Position]] = Future()
        future.set_running_or_notify_cancel()
        call = PublishCall(records, 0, monotonic() + self._delivery_timeout_s, future)
        try:
            call.size = sum(map(size_of, records))
        except RecordTooLarge as error:
            future.set_exception(error)
            return call
        if not records:
            future.set_result([])
        elif not self._has_room(call.size):
            call.fail(f"{self._buffered} bytes wait for {self._engine} already")
        return call

    def forget(self, call: PublishCall) -> None:
        """Subtracts the bytes of the call, which do not wait any more; to be called once for each call that began."""
        with self._lock:
            self._buffered -= call.size

    def _has_room(self, size: int) -> bool:
        with self._lock:
            if self._buffered and self._buffered + size > self._max_buffered_bytes:
                return False
            self._buffered += size
            return True
