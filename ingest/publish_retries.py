"""Clicks whose visitors were sent on before the log had acknowledged them: a person never waits long for us.

They are tried again until the log takes them, in memory and bounded; at the end of the process what is left goes to a
file that the next start reads. The records carry header `h`, so a click that was stored after all counts once.
"""

from __future__ import annotations

import asyncio
import logging
import os
from base64 import b64decode, b64encode
from collections import deque
from pathlib import Path
from typing import Final

import msgspec

from infra.log import Record
from ingest.counters import Counters
from ingest.refused import Unavailable
from ingest.steps.publish import Publisher

logger = logging.getLogger(__name__)

MAX_KEPT: Final = 20_000
EVERY_S: Final = 0.5
AT_ONCE: Final = 1_000


class Retries:
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
        """Takes up what an earlier process left and begins to try."""
        self._kept.extend(_read_spool(self._spool))
        self._task = asyncio.get_running_loop().create_task(self._try_for_ever())

    @property
    def waiting(self) -> int:
        return len(self._kept) + len(self._sending)

    def add(self, record: Record) -> None:
        """Keeps a click for another try, or counts it as lost when the buffer is full."""
        if self.waiting >= MAX_KEPT:
            self._counters.clicks_lost += 1
        else:
            self._counters.clicks_retried += 1
            self._kept.append(record)

    def watch(self, done: asyncio.Future[None], record: Record) -> None:
        """Keeps the click when `done`, which nobody waits for any more, fails in the end."""
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
        """Ends the tries; what is left, and what nobody knows the end of, goes to the file."""
        if self._task is not None:
            self._task.cancel()
        watched = [record for records in self._watched.values() for record in records]
        left = [*self._sending, *self._kept, *watched]
        self._sending, self._kept, self._watched = [], deque(), {}
        _write_spool(self._spool, left)

    async def _try_for_ever(self) -> None:
        while True:
            await asyncio.sleep(EVERY_S)
            try:
                await self._try()
            except Exception:
                # Without this task no click would be tried again.
                logger.exception("clicks cannot be tried again: an error that nothing here expects")

    async def _try(self) -> None:
        if not self.waiting:  # what an earlier process left is safe: no later one may send it again
            self._spool.unlink(missing_ok=True)
        while self._kept:
            self._sending = [self._kept.popleft() for _ in range(min(AT_ONCE, len(self._kept)))]
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
    found: list[Record] = []
    for line in lines:
        try:
            topic, key, value, headers, at = msgspec.json.decode(line)
            pairs = tuple((name, b64decode(text)) for name, text in headers)
            found.append(Record(topic, key.encode(), value.encode(), pairs, at))
        except (ValueError, TypeError) as error:
            logger.warning("a line of %s cannot be read: %s", path, error)
    return found
