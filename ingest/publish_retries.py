"""Retries of clicks whose visitors were redirected before the log had acknowledged them.

Clicks are retried from a bounded buffer in memory until the log accepts them. When the process stops, the remaining
clicks go to a file that the next start reads. The records have header `h`, so a click that was stored counts once.
"""

from __future__ import annotations

import asyncio
import os
from base64 import b64decode, b64encode
from collections import deque
from pathlib import Path
from typing import Final

import msgspec
import structlog

from infra.kernel.log import Record
from infra.kernel.observability import logging
from ingest.errors import Unavailable
from ingest.metrics import Counters
from ingest.steps.publish import Publisher

logger: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)

MAX_KEPT: Final = 20_000
EVERY_S: Final = 0.5
BATCH_SIZE: Final = 1_000


class PublishRetries:
    """Owned by the event loop."""

    def __init__(self, publisher: Publisher, counters: Counters, spool: Path) -> None:
        self._publisher = publisher
        self._counters = counters
        self._spool = spool
        self._kept: deque[Record] = deque()
        self._sending: list[Record] = []
        self._watched: dict[asyncio.Future[None], list[Record]] = {}
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Loads the file of an earlier process and starts the retries."""
        self._kept.extend(_read_spool(self._spool))
        self._task = asyncio.get_running_loop().create_task(self._retry_forever())

    @property
    def waiting(self) -> int:
        return len(self._kept) + len(self._sending)

    def add(self, record: Record) -> None:
        """Keeps a click for a retry, or counts it as lost when the buffer is full."""
        if self.waiting >= MAX_KEPT:
            self._counters.clicks_lost += 1
        else:
            self._counters.clicks_retried += 1
            self._kept.append(record)

    def watch(self, done: asyncio.Future[None], record: Record) -> None:
        """Keeps the click for a retry if `done`, which no request awaits any more, fails."""
        if done not in self._watched:
            self._watched[done] = []
            done.add_done_callback(self._settled)
        self._watched[done].append(record)

    def _settled(self, done: asyncio.Future[None]) -> None:
        records = self._watched.pop(done, [])
        if done.exception() is not None:
            for record in records:
                self.add(record)

    async def stop(self) -> None:
        """Stops the retries; remaining and unconfirmed clicks go to the file."""
        if self._task is not None:
            self._task.cancel()
        watched = [record for records in self._watched.values() for record in records]
        left = [*self._sending, *self._kept, *watched]
        self._sending, self._kept, self._watched = [], deque(), {}
        _write_spool(self._spool, left)

    async def _retry_forever(self) -> None:
        logging.begin_context(component="retries")
        while True:
            await asyncio.sleep(EVERY_S)
            try:
                await self._try()
            except Exception:
                # Without this task no click would be tried again.
                logger.exception("unexpected_error")

    async def _try(self) -> None:
        if not self.waiting:  # the file of an earlier process is published: no later process may send it again
            self._spool.unlink(missing_ok=True)
        while self._kept:
            self._sending = [self._kept.popleft() for _ in range(min(BATCH_SIZE, len(self._kept)))]
            try:
                await asyncio.shield(self._publisher.submit(self._sending))
            except Exception as error:
                self._kept.extendleft(reversed(self._sending))
                self._sending = []
                if isinstance(error, Unavailable):
                    return
                raise
            self._sending = []


def _write_spool(path: Path, records: list[Record]) -> None:
    if not records:
        path.unlink(missing_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_suffix(".new")
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(b"\n".join(_line(record) for record in records))
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)


def _line(record: Record) -> bytes:
    headers = [[name, b64encode(value).decode()] for name, value in record.headers]
    return msgspec.json.encode([record.topic, record.key.decode(), record.value.decode(), headers, record.timestamp_ms])


def _read_spool(path: Path) -> list[Record]:
    try:
        lines = path.read_bytes().splitlines()
    except OSError:
        return []
    records: list[Record] = []
    for line in lines:
        try:
            topic, key, value, headers, at = msgspec.json.decode(line)
            pairs = tuple((name, b64decode(text)) for name, text in headers)
            records.append(Record(topic, key.encode(), value.encode(), pairs, at))
        except (ValueError, TypeError) as error:
            logger.warning("spool_line_invalid", path=path, error=error)
    return records
