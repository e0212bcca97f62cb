"""Raises an alarm when the public site key of a website reports far more transactions than it usually does.

`policy.claim_count` (counted by `claims`) -> this -> event `website.claims_unusual` -> notification of the owner and of
the admins. One alarm a website and day: its id is the day's, so that two leaders or a crash raise it once.
"""

from __future__ import annotations

import logging
from datetime import UTC, datetime, timedelta
from threading import Event
from typing import Final
from uuid import UUID

from prometheus_client import Counter

from command_api.core import Core
from command_api.decision import by_system, step
from command_api.leader import Connection
from command_api.store import Conflict
from command_api.websites import model as websites
from schemas.events.websites import ClaimsUnusual
from schemas.identity import claims_alarm_id

NAME: Final = "policy:claim-alarm"
LOOK_S: Final = 15.0
LEAST: Final = 20
"""Claims within an hour below which nothing is unusual."""
TIMES: Final = 5
"""How many times as many as in a usual hour are unusual."""
KEPT: Final = timedelta(days=31)

log = logging.getLogger(__name__)
_ALARMS = Counter("policy_claim_alarms_total", "Alarms about unusually many claims of a website")


class ClaimAlarm:
    """`run` is the work of a `command_api.leader.Leader`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def run(self, connection: Connection, stop: Event) -> None:
        while not stop.is_set():
            self.raise_due(connection)
            connection.execute("DELETE FROM policy.claim_count WHERE hour < %s", (datetime.now(UTC) - KEPT,))
            stop.wait(LOOK_S)

    def raise_due(self, connection: Connection) -> int:
        """Looks at this hour and the one before; gives how many alarms it raised."""
        rows = connection.execute(_UNUSUAL, {"least": LEAST, "times": TIMES}).fetchall()
        return sum(self._raise(*row) for row in rows)

    def _raise(self, website_id: UUID, hour: datetime, claims: int, usual: int) -> bool:
        website = self._core.store.load(website_id, websites.evolve)
        if website is None:
            return False
        alarm = ClaimsUnusual(
            **step(claims_alarm_id(website_id, hour.astimezone(UTC).date()), 0, by_system()),
            website_id=website_id,
            account_id=website.account_id,
            hour=hour,
            claims=claims,
            usual=usual,
        )
        try:
            self._core.store.write([alarm])
        except Conflict:
            return False  # raised on this day already
        log.warning("claims_unusual website_id=%s claims=%d usual=%d", website_id, claims, usual)
        _ALARMS.inc()
        return True


_UNUSUAL: Final = """
SELECT now_.website_id, now_.hour, now_.claims, usual.claims
FROM policy.claim_count AS now_ CROSS JOIN LATERAL (
    SELECT ceil(coalesce(sum(past.claims), 0) / 168.0)::bigint AS claims FROM policy.claim_count AS past
    WHERE past.website_id = now_.website_id AND past.click_id = ''
    AND past.hour < now_.hour AND past.hour >= now_.hour - interval '7 days') AS usual
WHERE now_.click_id = '' AND now_.hour >= date_trunc('hour', now()) - interval '1 hour'
AND now_.claims >= greatest(%(least)s, %(times)s * usual.claims)"""
