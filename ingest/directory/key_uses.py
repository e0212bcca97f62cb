"""The time of each key's last use, shown to its owner: collected in memory (`Directory.used`), stored twice a minute.

It never delays a response. Uses that are not stored when the process is killed are lost.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from itertools import islice
from typing import Final
from uuid import UUID

import structlog

from infra.kernel.observability import logging
from ingest.directory.directory import Directory
from ingest.directory.postgres import Postgres
from ingest.errors import Unavailable

logger: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)

EVERY_S: Final = 30.0
BATCH_SIZE: Final = 5_000
_WRITE: Final = """
INSERT INTO ingest.key_use (key_hash, website_id, used_at)
SELECT decode(hash, 'hex'), website_id, used_at
FROM unnest(%s::text[], %s::uuid[], %s::timestamptz[]) AS used (hash, website_id, used_at) ORDER BY hash
ON CONFLICT (key_hash) DO UPDATE SET used_at = excluded.used_at WHERE key_use.used_at < excluded.used_at
"""
"""In one order, so that two ingest processes never deadlock; nothing is written twice in a minute."""


class KeyUses:
    """Owned by the event loop. Bounded by the number of keys that there are."""

    def __init__(
        self,
        directory: Directory,
        postgres: Postgres,
        every_s: float = EVERY_S,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._directory = directory
        self._postgres = postgres
        self._every_s = every_s
        self._now = now
        self._waiting: dict[str, tuple[UUID, datetime]] = {}
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = asyncio.get_running_loop().create_task(self._write_forever())

    async def stop(self, timeout_s: float) -> None:
        """Stores the remaining uses, at most `timeout_s`."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
        with suppress(Unavailable, TimeoutError):
            await asyncio.wait_for(self.write(), timeout_s)

    async def write(self) -> None:
        """Stores the uses since the last call. Raises `Unavailable`; uses that were not stored keep their time."""
        used, self._directory.used = self._directory.used, {}
        minute = self._now().replace(second=0, microsecond=0)
        self._waiting.update((digest, (website_id, minute)) for digest, website_id in used.items())
        while self._waiting:
            part = list(islice(self._waiting.items(), BATCH_SIZE))
            rows = [(digest, website_id, at) for digest, (website_id, at) in part]
            await self._postgres.rows(_WRITE, [list(column) for column in zip(*rows, strict=True)])
            for digest, _ in part:
                del self._waiting[digest]

    async def _write_forever(self) -> None:
        logging.begin_context(component="key_uses")
        while True:
            await asyncio.sleep(self._every_s)
            try:
                await self.write()
            except Unavailable as error:
                logger.info("key_uses_postponed", error=error.message)
            except Exception:
                # Without this task no use would be written any more.
                logger.exception("unexpected_error")
