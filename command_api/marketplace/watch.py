"""What happens in the marketplace by itself: offers and listings expire, escrows move on, the provider is told what was
decided, figures are measured, searches looked through. One process at a time (`command_api.leader`).

Each thing is decided from its own history and stored with optimistic concurrency; the rows of what is due are only the
list of what to look at. So nothing happens twice, nothing against what somebody did at the same moment, and what a
crash interrupted is due again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import UTC, datetime
from threading import Event
from typing import Any, Final
from uuid import UUID

from command_api.core import Core
from command_api.decision import Asked, Refused
from command_api.leader import Connection
from command_api.marketplace import escrow as escrows
from command_api.marketplace import listings, offers
from command_api.marketplace.calling import Calling
from command_api.marketplace.desk import Desk, Outcome
from command_api.marketplace.digests import Digests
from command_api.marketplace.reconciling import Reconciling
from command_api.marketplace.verifying import Figures, Verifying
from command_api.store import UNAVAILABLE, Conflict
from infra.escrow import Provider

NAME: Final = "policy:marketplace"
LOOK_S: Final = 1.0
PAGE: Final = 50
ATTEMPTS: Final = 4

log = logging.getLogger(__name__)


class Watch:
    """`run` is the work of a `Leader`. `now` is the clock: tests turn it. No provider: escrows do not begin."""

    def __init__(
        self,
        core: Core,
        figures: Figures,
        provider: Provider | None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._core = core
        self._now = now
        self._calling = Calling(core, provider) if provider is not None else None
        self._reconciling = Reconciling(core, provider) if provider is not None else None
        self._verifying = Verifying(core, figures)
        self._digests = Digests(core)

    def run(self, connection: Connection, stop: Event) -> None:
        while not stop.is_set():
            if self.look(connection) == 0:
                stop.wait(LOOK_S)

    def look(self, connection: Connection) -> int:
        """Does what is due; how many things it settled."""
        done = self._calling.make_due(connection) if self._calling is not None else 0
        done += self._reconciling.ask_due(connection, self._now()) if self._reconciling is not None else 0
        for kind, decide in (("listing", self._listing), ("offer", self._offer), ("escrow", self._escrow)):
            done += self._due(connection, kind, decide)
        done += self._verifying.verify_due(connection, self._now())
        return done + self._digests.send_due(connection, self._now())

    def _due(self, connection: Connection, kind: str, decide: Callable[[UUID, Asked], Outcome | None]) -> int:
        rows = connection.execute(_DUE[kind], (self._now(), PAGE)).fetchall()
        for (aggregate_id,) in rows:
            try:
                self._settle(connection, kind, aggregate_id, decide)
            except UNAVAILABLE:
                raise
            except Exception:
                # One that cannot be settled must not hold up the others.
                log.exception("%s %s cannot be settled", kind, aggregate_id)
                connection.execute(_LATER[kind], {"id": aggregate_id, "at": self._now()})
        return len(rows)

    def _settle(
        self, connection: Connection, kind: str, aggregate_id: UUID, decide: Callable[[UUID, Asked], Outcome | None]
    ) -> None:
        for _ in range(ATTEMPTS):
            found = decide(aggregate_id, Asked(self._now()))
            if found is None or not found.events:  # the row is older than what happened
                connection.execute(_OVER[kind], {"id": aggregate_id, "at": self._now()})
                return
            try:
                self._core.store.write(found.events, found.also)
            except Conflict:
                continue
            return

    def _listing(self, listing_id: UUID, asked: Asked) -> Outcome | None:
        desk = Desk(self._core)
        listing = desk.listing(listing_id)
        events = listings.expire(listing, asked)
        return desk.after_listing(listing, events) if listing is not None and events else None

    def _offer(self, offer_id: UUID, asked: Asked) -> Outcome | None:
        desk = Desk(self._core)
        offer = desk.offer(offer_id)
        if offer is None:
            return None
        listing = desk.listing(offer.listing_id)
        events = offers.expire(offer, asked, sold_to_another=listing is not None and listing.status == "sold")
        for event in events:
            offer = offers.evolve(offer, event)
        return desk.after_offer(offer, events, offer.buyer_id) if events else None

    def _escrow(self, escrow_id: UUID, asked: Asked) -> Outcome | None:
        desk = Desk(self._core)
        escrow = desk.escrow(escrow_id)
        if escrow is None:
            return None
        try:
            events, call = escrows.after_time(escrow, asked)
        except Refused:
            return None
        return desk.after_escrow(escrow, events, call, asked) if events else None


_DUE: Final[dict[str, Any]] = {
    "listing": "SELECT listing_id FROM policy.listing WHERE due_at <= %s ORDER BY due_at LIMIT %s",
    "offer": "SELECT offer_id FROM policy.offer WHERE due_at <= %s ORDER BY due_at LIMIT %s",
    "escrow": "SELECT escrow_id FROM policy.escrow WHERE due_at <= %s ORDER BY due_at LIMIT %s",
}
_LATER: Final[dict[str, Any]] = {
    "listing": "UPDATE policy.listing SET due_at = %(at)s + interval '10 minutes' WHERE listing_id = %(id)s",
    "offer": "UPDATE policy.offer SET due_at = %(at)s + interval '10 minutes' WHERE offer_id = %(id)s",
    "escrow": "UPDATE policy.escrow SET due_at = %(at)s + interval '10 minutes' WHERE escrow_id = %(id)s",
}
_OVER: Final[dict[str, Any]] = {
    **_LATER,
    "offer": "DELETE FROM policy.offer WHERE offer_id = %(id)s",
}
