"""The status of conversions as the API returns it, and the wait of `/track/sale?wait=true`."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

import structlog

from ingest.directory.postgres import Postgres
from ingest.errors import Unavailable
from schemas.tracking import NO_ID

logger: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)

WAIT_S: Final = 2.0
POLL_INTERVAL_S: Final = 0.04
MAX_WAITING: Final = 1_000
"""Further requests are answered immediately, as without `wait`."""
SELECT_CONVERSIONS: Final = """
SELECT c.website_id, c.status, c.reason, c.kind, c.event, c.txid, c.amount, c.currency, c.commission,
       c.commission_currency, c.click_id, c.attributed_by, c.occurred_at, c.recorded_at, c.decided_at,
       c.partner_id, p.slug, p.name, c.link_id, l.slug, c.id
FROM read.conversions c LEFT JOIN read.partners p ON p.id = c.partner_id LEFT JOIN read.links l ON l.id = c.link_id
WHERE c.id = ANY(%s)
"""


class ConversionOutcomes:
    """Waits for decisions. One statement at a time queries for all waiting requests, so that they do not occupy the
    connections that every report needs. Owned by the event loop."""

    def __init__(self, postgres: Postgres) -> None:
        self._postgres = postgres
        self._waiting: dict[UUID, list[_OutcomeWaiter]] = {}
        self._count = 0
        self._polling: asyncio.Task[None] | None = None

    async def current(self, identity: UUID) -> dict[str, Any] | None:
        """The current conversion, or none if it is not recorded or the look-up fails."""
        try:
            rows = await self._postgres.rows(SELECT_CONVERSIONS, ([identity],))
        except Unavailable:
            return None
        return to_response(rows[0]) if rows else None

    async def wait_for(self, identity: UUID, earlier: dict[str, Any] | None = None) -> dict[str, Any] | None:
        """Returns the conversion as soon as it is recorded and differs from `earlier`; `earlier` after `WAIT_S`, as a
        repeated report changes nothing."""
        if self._count >= MAX_WAITING:
            return earlier
        loop = asyncio.get_running_loop()
        future: asyncio.Future[dict[str, Any] | None] = loop.create_future()
        waiter = _OutcomeWaiter(future, earlier)
        self._waiting.setdefault(identity, []).append(waiter)
        self._count += 1
        if self._polling is None or self._polling.done():
            self._polling = loop.create_task(self._poll())
        try:
            return await asyncio.wait_for(future, WAIT_S)
        except TimeoutError:
            return earlier
        finally:
            self._count -= 1
            left = self._waiting.get(identity, [])
            if waiter in left:
                left.remove(waiter)
                if not left:
                    del self._waiting[identity]

    async def _poll(self) -> None:
        """Polls until no request waits. On an error all waiting requests get their `earlier`."""
        try:
            while self._waiting:
                for row in await self._postgres.rows(SELECT_CONVERSIONS, (list(self._waiting),)):
                    self._resolve(row[20], to_response(row))
                await asyncio.sleep(POLL_INTERVAL_S)
        except Unavailable:
            logger.info("conversion_lookup_unavailable")
        finally:
            for waiters in self._waiting.values():
                for waiter in waiters:
                    waiter.resolve(waiter.earlier)
            self._waiting.clear()

    def _resolve(self, identity: UUID, found: dict[str, Any]) -> None:
        waiters = self._waiting.pop(identity, [])
        if left := [waiter for waiter in waiters if waiter.earlier == found]:
            self._waiting[identity] = left
        for waiter in waiters:
            if waiter.earlier != found:
                waiter.resolve(found)


@dataclass(slots=True, eq=False)
class _OutcomeWaiter:
    """A request that waits for a conversion that differs from `earlier`."""

    future: asyncio.Future[dict[str, Any] | None]
    earlier: dict[str, Any] | None

    def resolve(self, found: dict[str, Any] | None) -> None:
        if not self.future.done():
            self.future.set_result(found)


def to_response(row: tuple[Any, ...]) -> dict[str, Any]:
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
