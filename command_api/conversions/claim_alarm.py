"""Raises an alarm when the public site key of a website reports far more transactions than it usually does.

`lookup.claim_count` -> this -> event `website.claims_unusual` -> notification of the owner and of the
admins. One alarm per website and day: the id derives from the day, so two leaders or a crash raise it once.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from threading import Event
from typing import Final
from uuid import UUID

import structlog
from prometheus_client import Counter

from command_api.conversions.lookups import CLAIM_RETENTION, rename_claims
from command_api.kernel.container import Container
from command_api.kernel.decision import event_metadata, system_context
from command_api.kernel.event_store import ConcurrencyConflict
from command_api.kernel.leader_election import Connection
from command_api.websites import model as websites
from schemas.events.websites import ClaimsUnusual
from schemas.identity import claims_alarm_id

NAME: Final = "claim-alarm"
INTERVAL: Final = timedelta(seconds=15)
MIN_CLAIMS: Final = 20
"""Fewer claims within an hour never raise an alarm."""
ALARM_FACTOR: Final = 5
"""Multiple of the usual hourly count that raises an alarm."""

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)
_ALARMS = Counter("policy_claim_alarms_total", "Alarms about unusually many claims of a website")


def run(container: Container, connection: Connection, _stop: Event) -> None:
    """A recurring job: see `raise_due`."""
    rename_claims(connection)
    raise_due(container, connection)


def raise_due(container: Container, connection: Connection) -> int:
    """Checks this hour and the previous one, and deletes old counts; returns the number of alarms."""
    oldest = datetime.now(UTC) - CLAIM_RETENTION
    values = {"least": MIN_CLAIMS, "times": ALARM_FACTOR, "oldest": oldest}
    return sum(_raise(container, *row) for row in connection.execute(_UNUSUAL, values).fetchall())


def _raise(container: Container, website_id: UUID, hour: datetime, claims: int, usual: int) -> bool:
    website = container.load(website_id, websites.evolve)
    if website is None:
        return False
    context = system_context()
    alarm = ClaimsUnusual(
        **event_metadata(claims_alarm_id(website_id, hour.astimezone(UTC).date()), 0, context),
        website_id=website_id,
        account_id=website.account_id,
        hour=hour,
        claims=claims,
        usual=usual,
    )
    try:
        with container.commands.unit_of_work(context) as uow:
            uow.append(alarm)
    except ConcurrencyConflict:
        return False  # raised on this day already
    log.warning("claims_unusual", website_id=website_id, claims=claims, usual=usual)
    _ALARMS.inc()
    return True


_UNUSUAL: Final = """
WITH deleted AS (DELETE FROM lookup.claim_count WHERE hour < %(oldest)s)
SELECT now_.website_id, now_.hour, now_.claims, usual.claims
FROM lookup.claim_count AS now_ CROSS JOIN LATERAL (
    SELECT ceil(coalesce(sum(past.claims), 0) / 168.0)::bigint AS claims FROM lookup.claim_count AS past
    WHERE past.website_id = now_.website_id AND past.click_id = ''
    AND past.hour < now_.hour AND past.hour >= now_.hour - interval '7 days') AS usual
WHERE now_.click_id = '' AND now_.hour >= date_trunc('hour', now()) - interval '1 hour'
AND now_.claims >= greatest(%(least)s, %(times)s * usual.claims)"""
