"""Step publish: group commit. A request's records join the batch that is being gathered; it is answered only after
the log has acknowledged that whole batch.

A batch leaves `GATHER_S` after the previous one, earlier when it has `ENOUGH` records or no record arrived for
`QUIET_S`. While `IN_FLIGHT` of them are on their way the next one gathers: they grow with the load, and the cost per
event falls. A lone event does not wait. What is not yet acknowledged is bounded, in events and in bytes: above it, and
while the log does not answer, a request is refused at once (503) instead of queued.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import suppress
from time import monotonic
from typing import Final

import structlog

from infra.kernel.log import Log, Position, Record
from infra.kernel.observability import tracing
from ingest.errors import Unavailable
from ingest.metrics import Counters
from schemas import topics
from schemas.message_ids import correlation_of

logger: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)

IN_FLIGHT: Final = 2
GATHER_S: Final = 0.02
"""To the log each batch is a request and a write that is forced to the disk, which cost as much as ten events."""
QUIET_S: Final = 0.003
"""Clients that wait for their answers send nothing more: to gather longer would only delay them."""
ENOUGH: Final = 32
"""Records that are worth a batch."""
ANSWER_S: Final = 4.0
"""A batch that is not acknowledged by then fails for its requests."""
MAX_UNACKED_BYTES: Final = 48 * 1024 * 1024
SAME_PARTITION_S: Final = 10.0
SAME_PARTITION_RECORDS: Final = 50_000
"""Records whose place does not matter go to one partition for so long, or until it got so many: each partition that
gets any costs an insert."""
MAX_GROUP: Final = 1_000
"""Records that are passed on as soon as so many are collected: to pass on more would block the event loop."""


class _Group:
    """Records of several requests that share one acknowledgement."""

    __slots__ = ("done", "records", "size", "timer")

    def __init__(self, loop: asyncio.AbstractEventLoop, answer_s: float) -> None:
        self.records: list[Record] = []
        self.size = 0
        self.done: asyncio.Future[None] = loop.create_future()
        self.timer = loop.call_later(answer_s, _fail, self, "The log did not respond in time; please try again.")


class Publisher:
    """Owned by the event loop; `log` may acknowledge on any thread."""

    def __init__(self, log: Log, counters: Counters, max_unacked: int, answer_s: float = ANSWER_S) -> None:
        self._log = log
        self._counters = counters
        self._max_unacked = max_unacked
        self._answer_s = answer_s
        self._loop = asyncio.get_running_loop()
        self._gathering: _Group | None = None
        self._sent_at: deque[float] = deque()
        self._flush_is_due = False
        self._next_flush = 0.0
        self._newest_at = 0.0
        self._drained = asyncio.Event()
        self.unacked = 0
        self.unacked_bytes = 0
        self.partition = 0
        """Where records go whose place does not matter: all in one, each in turn."""
        self._partition_until = 0.0
        self._partition_left = 0

    def check_capacity(self, count: int) -> None:
        """Checks the capacity. Raises `Unavailable` when so many records cannot be taken now."""
        if (self.unacked and self.unacked + count > self._max_unacked) or self.unacked_bytes > MAX_UNACKED_BYTES:
            raise Unavailable("busy", "Too many events wait for the log; please try again.")

    def submit(self, records: Sequence[Record], *, is_capacity_checked: bool = False) -> asyncio.Future[None]:
        """Hands the records over. The future is done when the log has them all, or raises `Unavailable`.

        It is shared: callers that may be cancelled wait by `asyncio.wait` or a shield. Raises `Unavailable` immediately
        when too much is waiting (`is_capacity_checked`: the caller has checked that) or the log does not answer.
        """
        count = len(records)
        if not is_capacity_checked:
            self.check_capacity(count)
        if self._sent_at and monotonic() - self._sent_at[0] > self._answer_s:
            raise Unavailable("log_unavailable", "The log is not responding; please try again.")
        group = self._gathering
        if group is None:
            group = self._gathering = _Group(self._loop, self._answer_s)
        group.records += records
        if tracing.is_on():
            tracing.note(correlation_of(record.topic, record.key, record.headers) for record in records)
        size = sum([len(record.value) for record in records])
        group.size += size
        self.unacked_bytes += size
        self.unacked += count
        self._newest_at = monotonic()
        if not self._flush_is_due and (len(self._sent_at) < IN_FLIGHT or len(group.records) >= MAX_GROUP):
            self._flush_soon()
        return group.done

    async def drain(self, timeout_s: float) -> None:
        """Waits until everything handed over is acknowledged or failed, at most `timeout_s`."""
        if self.unacked:
            self._drained.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._drained.wait(), timeout_s)

    def _flush_soon(self) -> None:
        self._flush_is_due = True
        self._loop.call_soon(self._flush_or_gather)

    def _flush_or_gather(self) -> None:
        group, now = self._gathering, monotonic()
        leaves_at = min(self._next_flush, self._newest_at + QUIET_S)
        if now < leaves_at and group is not None and len(group.records) < ENOUGH:
            self._loop.call_later(leaves_at - now, self._flush_or_gather)
        else:
            self._flush()

    def _flush(self) -> None:
        self._flush_is_due = False
        group, self._gathering = self._gathering, None
        if group is None:
            return
        if group.done.done():  # its requests got "try again": the records must not be published too
            self._release(group)
            self._counters.publish_failures += len(group.records)
            return
        now = monotonic()
        self._partition_left -= len(group.records)
        if now > self._partition_until or self._partition_left < 0:
            self.partition = (self.partition + 1) % self._log.partitions(topics.CLICKS.name)
            self._partition_until = now + SAME_PARTITION_S
            self._partition_left = SAME_PARTITION_RECORDS
        self._sent_at.append(now)
        self._next_flush = now + GATHER_S
        self._log.publish(group.records).add_done_callback(
            lambda future: self._loop.call_soon_threadsafe(self._settle, group, future)
        )

    def _settle(self, group: _Group, future: Future[list[Position]]) -> None:
        self._sent_at.popleft()
        self._release(group)
        count = len(group.records)
        group.timer.cancel()
        error = future.exception()
        if error is None:
            self._counters.published += count
            if not group.done.done():
                group.done.set_result(None)
        else:
            self._counters.publish_failures += count
            logger.warning("records_not_acknowledged", records=count, error=error)
            _fail(group, "Events cannot be stored right now; please try again.")
        if self._gathering is not None and not self._flush_is_due:
            self._flush_soon()

    def _release(self, group: _Group) -> None:
        self.unacked -= len(group.records)
        self.unacked_bytes -= group.size
        if not self.unacked:
            self._drained.set()


def _fail(group: _Group, message: str) -> None:
    if not group.done.done():
        group.done.set_exception(Unavailable("log_unavailable", message))
        group.done.exception()  # retrieved: a request that is gone leaves no complaint behind
