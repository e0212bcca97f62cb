"""What became of conversions, as it is told; and the waiting behind `/track/sale?wait=true`."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

from ingest.postgres import Postgres
from ingest.refused import Unavailable
from schemas.tracking import NO_ID

logger = logging.getLogger(__name__)

WAIT_S: Final = 2.0
LOOK_EVERY_S: Final = 0.04
MOST_WAITING: Final = 1_000
"""Further reports are answered at once, as they are without `wait`."""
DECIDED: Final = """
SELECT c.website_id, c.status, c.reason, c.kind, c.event, c.txid, c.amount, c.currency, c.commission,
       c.commission_currency, c.click_id, c.attributed_by, c.occurred_at, c.recorded_at, c.decided_at,
       c.partner_id, p.slug, p.name, c.link_id, l.slug, c.id
FROM read.conversions c LEFT JOIN read.partners p ON p.id = c.partner_id LEFT JOIN read.links l ON l.id = c.link_id
WHERE c.id = ANY(%s)
"""


class Decisions:
    """Waits for decisions. However many wait, one statement at a time looks for all of them: they must not take the
    connections that every report needs. Owned by the event loop."""

    def __init__(self, postgres: Postgres) -> None:
        self._postgres = postgres
        self._waiting: dict[UUID, list[_Waiter]] = {}
        self._count = 0
        self._looking: asyncio.Task[None] | None = None

    async def known(self, identity: UUID) -> dict[str, Any] | None:
        """The conversion as it is now; none when it is not recorded, or cannot be looked up."""
        try:
            rows = await self._postgres.rows(DECIDED, ([identity],))
        except Unavailable:
            return None
        return shown(rows[0]) if rows else None

    async def of(self, identity: UUID, before: dict[str, Any] | None = None) -> dict[str, Any] | None:
        """The conversion as soon as it is recorded and is not as it was `before`, at most `WAIT_S` from now. When
        nothing has come by then, `before`: a further report that adds nothing changes nothing."""
        if self._count >= MOST_WAITING:
            return before
        loop = asyncio.get_running_loop()
        told: asyncio.Future[dict[str, Any] | None] = loop.create_future()
        waiter = _Waiter(told, before)
        self._waiting.setdefault(identity, []).append(waiter)
        self._count += 1
        if self._looking is None or self._looking.done():
            self._looking = loop.create_task(self._look())
        try:
            return await asyncio.wait_for(told, WAIT_S)
        except TimeoutError:
            return before
        finally:
            self._count -= 1
            left = self._waiting.get(identity, [])
            if waiter in left:
                left.remove(waiter)
                if not left:
                    del self._waiting[identity]

    async def _look(self) -> None:
        """Until nobody waits. Who cannot be told now is told so at once."""
        try:
            while self._waiting:
                for row in await self._postgres.rows(DECIDED, (list(self._waiting),)):
                    self._tell(row[20], shown(row))
                await asyncio.sleep(LOOK_EVERY_S)
        except Unavailable:
            logger.info("decisions cannot be looked up just now")
        finally:
            for waiters in self._waiting.values():
                for waiter in waiters:
                    waiter.tell(waiter.before)
            self._waiting.clear()

    def _tell(self, identity: UUID, found: dict[str, Any]) -> None:
        waiters = self._waiting.pop(identity, [])
        if left := [waiter for waiter in waiters if waiter.before == found]:
            self._waiting[identity] = left
        for waiter in waiters:
            if waiter.before != found:
                waiter.tell(found)


@dataclass(slots=True, eq=False)
class _Waiter:
    """One request that waits for something else than `before`."""

    told: asyncio.Future[dict[str, Any] | None]
    before: dict[str, Any] | None

    def tell(self, found: dict[str, Any] | None) -> None:
        if not self.told.done():
            self.told.set_result(found)


def shown(row: tuple[Any, ...]) -> dict[str, Any]:
    partner = {"id": str(row[15]), "slug": row[16], "name": row[17]} if row[15] and row[15] != NO_ID else None
    link = {"id": str(row[18]), "slug": row[19]} if row[18] and row[18] != NO_ID else None
    return {
        "id": str(row[20]),
        "status": row[1],
        "reason": row[2] or None,
        "kind": row[3],
        "event": row[4],
        "txid": row[5],
        "amount": row[6],
        "currency": row[7],
        "commission": None if row[8] is None else {"amount": row[8], "currency": row[9]},
        "click_id": row[10] or None,
        "attributed_by": row[11] or None,
        "partner": partner,
        "link": link,
        "occurred_at": _time(row[12]),
        "recorded_at": _time(row[13]),
        "decided_at": _time(row[14]),
    }


def _time(moment: datetime | None) -> str | None:
    return None if moment is None else moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
