"""Automatic approval: approves conversions that have been pending for the days of their terms.

The period starts when the conversion begins to count: recorded with its click, or attributed later. A sale that is
reported late thus has its full review period. `read.conversions` only lists candidates; each decision uses the
conversion's own events and optimistic concurrency. A stale list, two leaders or a crash therefore never approve a
conversion twice, nor one that a person has decided.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from threading import Event
from time import monotonic
from typing import Final
from uuid import UUID

import structlog
from prometheus_client import Counter

from command_api.conversions.attribution.policy import TRANSIENT, UNSTORABLE
from command_api.conversions.commands import ApproveAutomatically
from command_api.kernel.container import Container
from command_api.kernel.decision import system_context
from command_api.kernel.leader_election import Connection
from command_api.partners import model as partners
from schemas.events.partners import Terms

NAME: Final = "automatic-approval"
BATCH_SIZE: Final = 200
INTERVAL: Final = timedelta(seconds=5)

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)
_APPROVED = Counter("policy_approved_total", "Conversions that were approved because their time had come")


def approve_due(container: Container, connection: Connection, stop: Event) -> int:
    """A recurring job: checks all conversions that may be due; returns the number approved."""
    now = datetime.now(UTC)
    after: tuple[datetime, UUID] = (datetime.min.replace(tzinfo=UTC), UUID(int=0))
    approved, present, looked_at = 0, dict[UUID, Terms | None](), monotonic()
    while not stop.is_set():
        if monotonic() - looked_at >= INTERVAL.total_seconds():  # the terms may have changed
            present, looked_at = {}, monotonic()
        never = [partner_id for partner_id, terms in present.items() if not _approves(terms)]
        page = connection.execute(_DUE, (now, never, *after, BATCH_SIZE)).fetchall()
        for due_at, conversion_id, partner_id in page:
            after = (due_at, conversion_id)
            if partner_id not in present:
                partner = container.load(partner_id, partners.evolve)
                present[partner_id] = partner.terms_at(datetime.now(UTC)).terms if partner is not None else None
            terms = present[partner_id]
            if terms is not None and _approves(terms):
                approved += _approve(container, conversion_id, terms)
            if stop.is_set():
                break
        if len(page) < BATCH_SIZE:
            break
    return approved


def _approve(container: Container, conversion_id: UUID, present: Terms) -> bool:
    try:
        command = ApproveAutomatically(conversion_id, present)
        is_approved = container.commands.dispatch(command, system_context()).answer
    except Exception as error:
        if isinstance(error, TRANSIENT) and not isinstance(error, UNSTORABLE):
            raise
        # One failure must not block the others; it is retried.
        log.exception("conversion_approval_failed", conversion_id=conversion_id)
        return False
    _APPROVED.inc(int(is_approved))
    return is_approved


def _approves(terms: Terms | None) -> bool:
    return terms is not None and terms.auto_approve_days is not None


_DUE: Final = """
SELECT approves_at, id, partner_id FROM read.conversions AS c
WHERE status = 'pending' AND approves_at <= %s AND partner_id <> ALL(%s) AND (approves_at, id) > (%s, %s)
  AND 'txid' <> ALL(string_to_array(c.unread, ','))
ORDER BY approves_at, id LIMIT %s"""
# While a new version is built, the live table may be one without the column.
