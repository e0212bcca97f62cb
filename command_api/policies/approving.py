"""Automatic approval: approves what has been pending for as many days as the terms of its click say.

The clock runs from when the conversion began to count: recorded with its click, or the moment its click came. So a sale
that is reported late still has all its days to be looked at. `read.conversions` is only the list of what may be due;
each decision is made from the conversion's own history and stored with optimistic concurrency. A list that lags, two
leaders or a crash in between therefore approve nothing twice, and nothing that somebody decided meanwhile.
"""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from threading import Event
from time import monotonic
from typing import Final
from uuid import UUID

from prometheus_client import Counter

from command_api.conversions import model
from command_api.conversions.tally import counted
from command_api.core import Core
from command_api.decision import by_system
from command_api.leader import Connection
from command_api.partners import model as partners
from command_api.policies.reports import TRANSIENT, UNSTORABLE
from command_api.store import Conflict
from schemas.events.partners import Terms

NAME: Final = "policy:approving"
PAGE: Final = 200
LOOK_S: Final = 5.0

log = logging.getLogger(__name__)
_APPROVED = Counter("policy_approved_total", "Conversions that were approved because their time had come")


class Approving:
    """`run` is the work of a `command_api.leader.Leader`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def run(self, connection: Connection, stop: Event) -> None:
        while not stop.is_set():
            self.approve_due(connection, stop)
            stop.wait(LOOK_S)

    def approve_due(self, connection: Connection, stop: Event) -> int:
        """Looks at all that may be due by now; gives how many it approved."""
        now = datetime.now(UTC)
        after: tuple[datetime, UUID] = (datetime.min.replace(tzinfo=UTC), UUID(int=0))
        approved, present, looked_at = 0, dict[UUID, Terms | None](), monotonic()
        while not stop.is_set():
            if monotonic() - looked_at >= LOOK_S:  # somebody may have pulled the brake
                present, looked_at = {}, monotonic()
            never = [partner_id for partner_id, terms in present.items() if not _approves(terms)]
            page = connection.execute(_DUE, (now, never, *after, PAGE)).fetchall()
            for due_at, conversion_id, partner_id in page:
                after = (due_at, conversion_id)
                if partner_id not in present:
                    partner = self._core.store.load(partner_id, partners.evolve)
                    present[partner_id] = partner.held_at(datetime.now(UTC)).terms if partner is not None else None
                terms = present[partner_id]
                if terms is not None and _approves(terms):
                    approved += self._approve(conversion_id, terms)
                if stop.is_set():
                    break
            if len(page) < PAGE:
                break
        return approved

    def _approve(self, conversion_id: UUID, present: Terms) -> bool:
        try:
            conversion = self._core.store.load(conversion_id, model.evolve)
            events = model.approve_in_time(conversion, present, by_system()) if conversion is not None else []
            if not events:
                return False
            self._core.store.write(events, counted(events))
        except Conflict:
            log.info("%s was decided meanwhile", conversion_id)
            return False
        except Exception as error:
            if isinstance(error, TRANSIENT) and not isinstance(error, UNSTORABLE):
                raise
            # One that cannot be approved must not hold up the others; it is tried again.
            log.exception("%s cannot be approved", conversion_id)
            return False
        _APPROVED.inc()
        return True


def _approves(terms: Terms | None) -> bool:
    return terms is not None and terms.auto_approve_days is not None


_DUE: Final = """
SELECT approves_at, id, partner_id FROM read.conversions
WHERE status = 'pending' AND approves_at <= %s AND partner_id <> ALL(%s) AND (approves_at, id) > (%s, %s)
ORDER BY approves_at, id LIMIT %s"""
