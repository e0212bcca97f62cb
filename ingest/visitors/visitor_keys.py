"""Keys that seal visitors' ad click ids, in blocks for each website and UTC day: no visitor waits for one.

A task makes and stores them ahead (`infra.kernel.security.visitor_keys`): for websites that keep these ids, for today
and, in its last hour, for tomorrow. What a day left unused is deleted after it. While Postgres is away the blocks are
used up; then there is no key, and an event is accepted without its ids. The key of a visitor who was erased is deleted
(`command_api.analytics.erasure.handlers`); what they send later gets another one, once the task has read the erasure.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date
from time import monotonic
from typing import Final
from uuid import UUID

import structlog

from infra.kernel.observability import logging
from infra.kernel.security import visitor_keys
from infra.kernel.security.visitor_keys import VisitorKey, VisitorKeys
from ingest.bounded_map import BoundedMap
from ingest.clock import DAY_MS, now_ms
from ingest.directory.directory import Directory
from ingest.directory.postgres import Postgres
from ingest.errors import Unavailable

logger: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)

EVERY_S: Final = 0.25
SURVEY_S: Final = 5.0
"""The longest time between two looks at all websites that keep ids."""
AHEAD_MS: Final = 3_600_000
"""A day has its keys this long before it begins."""
BLOCK: Final = 64
MAX_BLOCK: Final = 4_096
"""A block that was used up within `QUICK_S` is followed by one of twice its size, up to this."""
QUICK_S: Final = 10.0
MAX_HELD: Final = 65_536
"""Keys that are made ahead for all websites together: with more than a thousand of them the blocks are smaller."""
MAX_A_DAY: Final = 100_000
"""Keys of one website that one process uses in a day: visitors cost nothing to invent."""
MAX_STORED: Final = 1_024
"""Keys in one statement."""
MAX_VISITORS: Final = 100_000
"""Visitors whose key of the day is remembered; one that was forgotten gets another key."""
RETRY_S: Final = 1.0
STOP_S: Final = 0.5
_DELETE: Final = "DELETE FROM ingest.visitor_key WHERE key_id = ANY(%s)"
_ERASED: Final = (
    "SELECT position, website_id, visitors FROM read.visitor_erasures"
    " WHERE position > %s AND erased_at > now() - interval '2 days' ORDER BY position LIMIT 1000"
)
_EPOCH: Final = date(1970, 1, 1).toordinal()


@dataclass(slots=True)
class _Block:
    """The unused keys of one website and day. `size`: how many there were when it was last filled."""

    keys: list[VisitorKey] = field(default_factory=list)
    size: int = 0
    made: int = 0
    filled_at: float = 0.0


class VisitorKeyBlocks:
    """Owned by the event loop."""

    def __init__(self, directory: Directory, postgres: Postgres, keys: VisitorKeys) -> None:
        self._directory = directory
        self._postgres = postgres
        self._keys = keys
        self._blocks: dict[tuple[UUID, int], _Block] = {}
        self._of_visitors: BoundedMap[tuple[UUID, int, int], VisitorKey] = BoundedMap(MAX_VISITORS)
        self._short: set[tuple[UUID, int]] = set()
        self._erasures_read = 0
        self._surveyed_at = -SURVEY_S
        self._surveyed: object = None
        self._task: asyncio.Task[None] | None = None

    def key_of(self, website_id: UUID, visitor: int, now: int) -> VisitorKey | None:
        """Returns the visitor's (0: unknown) key on the day of `now` (Unix time in ms); none: no key is at hand."""
        day = now // DAY_MS
        existing = self._of_visitors.get((website_id, day, visitor)) if visitor else None
        if existing is not None:
            return existing
        block = self._blocks.get((website_id, day))
        if block is None or not block.keys:
            self._short.add((website_id, day))
            return None
        key = block.keys.pop()
        if len(block.keys) * 2 <= block.size:
            self._short.add((website_id, day))
        if visitor:
            self._of_visitors.put((website_id, day, visitor), key)
        return key

    def start(self) -> None:
        self._task = asyncio.get_running_loop().create_task(self._fill_forever())

    async def stop(self) -> None:
        """Deletes the unused keys, if Postgres answers at once."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
        with suppress(Unavailable, TimeoutError):
            await asyncio.wait_for(self._delete([*self._blocks]), STOP_S)

    async def fill(self) -> None:
        """Stores the keys that are missing, and deletes those of days that are over and of websites that keep no ids
        any more. Forgets the keys of visitors who were erased. Raises `Unavailable`."""
        now = now_ms()
        if is_due := self._is_survey_due():
            await self._survey(now)
        while self._short:
            await self._store([self._short.pop() for _ in range(min(len(self._short), 16))], now)
        if is_due:
            await self._forget_erased(now // DAY_MS)

    def _is_survey_due(self) -> bool:
        sites = self._directory.ad_click_id_sites
        seen = id(sites), len(sites)
        if seen == self._surveyed and monotonic() < self._surveyed_at + SURVEY_S:
            return False
        self._surveyed, self._surveyed_at = seen, monotonic()
        return True

    async def _survey(self, now: int) -> None:
        today, ahead = now // DAY_MS, (now + AHEAD_MS) // DAY_MS
        keeping = {id_ for id_ in self._directory.ad_click_id_sites if self._keeps(id_)}
        await self._delete([place for place in self._blocks if place[1] < today or place[0] not in keeping])
        self._short.update((id_, day) for id_ in keeping for day in {today, ahead} if (id_, day) not in self._blocks)

    async def _forget_erased(self, today: int) -> None:
        """Forgets the keys of visitors who were erased since the last look. Before a key was used none is concerned."""
        if not len(self._of_visitors):
            return
        for position, website_id, visitors in await self._postgres.rows(_ERASED, (self._erasures_read,)):
            for visitor in map(int, visitors):
                for day in (today - 1, today):
                    self._of_visitors.discard((website_id, day, visitor))
            self._erasures_read = position

    def _keeps(self, website_id: UUID) -> bool:
        website = self._directory.websites.get(website_id)
        return website is not None and website.keeps_ad_click_ids

    async def _store(self, places: list[tuple[UUID, int]], now: int) -> None:
        """Fills these blocks, part by part. Keys that are not stored are missed again at the next survey or event."""
        for place in places:
            website_id, day = place
            if day < now // DAY_MS or not self._keeps(website_id):
                continue
            block = self._blocks.setdefault(place, _Block())
            missing = self._size(block) - len(block.keys)
            for start in range(0, missing, MAX_STORED):
                count = min(MAX_STORED, missing - start)
                made = await asyncio.to_thread(self._made, website_id, day, count)
                try:
                    await self._postgres.rows(visitor_keys.INSERT, visitor_keys.arrays(made))
                except Unavailable:
                    self._short.update(places)
                    raise
                block.keys += made
                block.made += count
            block.size, block.filled_at = len(block.keys), monotonic()

    def _size(self, block: _Block) -> int:
        usual = max(8, min(BLOCK, MAX_HELD // max(1, len(self._directory.ad_click_id_sites))))
        is_quick = block.size > 0 and monotonic() < block.filled_at + QUICK_S
        size = min(2 * block.size, MAX_BLOCK) if is_quick else max(usual, block.size // 2)
        return min(size, len(block.keys) + max(0, MAX_A_DAY - block.made))

    def _made(self, website_id: UUID, day: int, count: int) -> list[VisitorKey]:
        made_on = date.fromordinal(_EPOCH + day)
        return [self._keys.make(website_id, made_on) for _ in range(count)]

    async def _delete(self, places: list[tuple[UUID, int]]) -> None:
        for place in places:
            block = self._blocks[place]
            unused, block.keys = block.keys, []  # none of them is used while it is being deleted
            del self._blocks[place]
            for start in range(0, len(unused), MAX_STORED):
                await self._postgres.rows(_DELETE, ([key.id for key in unused[start : start + MAX_STORED]],))

    async def _fill_forever(self) -> None:
        logging.begin_context(component="visitor_keys")
        is_postponed = False
        while True:
            try:
                await self.fill()
                is_postponed = False
            except Unavailable as error:
                if not is_postponed:
                    logger.warning("visitor_keys_postponed", error=error.message)
                is_postponed = True
                await asyncio.sleep(RETRY_S)
            except Exception:
                # Without this task no ids would be kept any more.
                logger.exception("unexpected_error")
            await asyncio.sleep(EVERY_S)
