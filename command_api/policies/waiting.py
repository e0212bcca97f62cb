"""Conversions that came before their click: looked at again and again, ever more rarely, until the click cannot come.

A visitor's click may be sent up to 30 days late. Rechecks: every second in the first minute, every 5 s until ten
minutes, every minute for a day, then every ten minutes. Beside them, reports that wait for an exchange rate.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from threading import Event
from typing import Any, Final
from uuid import UUID

from prometheus_client import Counter, Gauge
from psycopg import Cursor

from command_api.conversions.money import CURRENCY_UNKNOWN
from command_api.conversions.tally import counted
from command_api.core import Core
from command_api.decision import Asked, Refused
from command_api.leader import Connection
from command_api.policies.clicks import Clicks
from command_api.policies.decide import attribute_late
from command_api.policies.reading import Reading
from command_api.policies.reports import TRANSIENT, UNSTORABLE
from command_api.policies.without_rate import WithoutRate
from command_api.store import Conflict
from infra.sealing import derived_key
from schemas.base import DomainEvent
from schemas.tracking import ConversionReported

NAME: Final = "policy:waiting"
BATCH: Final = 200
LOOK_S: Final = 0.5

log = logging.getLogger(__name__)
_WAITING = Gauge("policy_waiting", "Conversions whose click has not come")
_CAME = Counter("policy_clicks_came_total", "Waiting conversions whose click came")


def pause_after(age: timedelta) -> timedelta:
    """How long a conversion of this age is left alone."""
    if age < timedelta(minutes=1):
        return timedelta(seconds=1)
    if age < timedelta(minutes=10):
        return timedelta(seconds=5)
    if age < timedelta(days=1):
        return timedelta(minutes=1)
    return timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class Found:
    """What a look at one of them came to."""

    events: Sequence[DomainEvent] = ()
    over: bool = False
    """It waits no more."""
    needs_rate: bool = False
    """Its click came, but there is no exchange rate for the partner's terms."""


class Waiting:
    """`run` is the work of a `command_api.leader.Leader`."""

    def __init__(self, core: Core, clicks: Clicks) -> None:
        self._core = core
        self._clicks = clicks
        self._without_rate = WithoutRate(core, clicks)
        self._click_key = derived_key(core.settings, "click-id")

    def run(self, connection: Connection, stop: Event) -> None:
        while not stop.is_set():
            found = self.recheck(connection), self._without_rate.recheck(connection)
            if max(found) < BATCH:
                stop.wait(LOOK_S)

    def recheck(self, connection: Connection) -> int:
        """Looks at those that are due; gives how many they were."""
        rows = connection.execute(
            "SELECT report, received_at, until, next_at FROM policy.waiting WHERE next_at <= now()"
            " ORDER BY next_at LIMIT %s",
            (BATCH,),
        ).fetchall()
        if not rows:
            return 0
        reading = Reading(self._core, self._clicks, self._click_key)
        due = [(ConversionReported.model_validate(report), *times) for report, *times in rows]
        reading.look_up([report for report, *_ in due])
        now = datetime.now(UTC)
        for report, received_at, until, next_at in due:
            found = self._look(report, reading, now)
            is_over = found.over or (until <= now and not found.needs_rate)
            if not is_over or not self._end(report.conversion_id, found.events):
                later = now + pause_after(now - received_at)
                connection.execute(_LATER, (later, found.needs_rate, report.conversion_id, next_at))
        for (count,) in connection.execute("SELECT count(*) FROM policy.waiting"):
            _WAITING.set(count)
        return len(rows)

    def _look(self, report: ConversionReported, reading: Reading, now: datetime) -> Found:
        state = reading.conversion(report.conversion_id)
        website = reading.website(report.website_id)
        if state is None or website is None or state.is_attributed or not state.is_open:
            return Found(over=True)
        try:
            events = attribute_late(state, report, website, reading, Asked(now))
        except Refused as refused:
            log.info("%s cannot be attributed yet: %s", report.conversion_id, refused.message)
            return Found(needs_rate=refused.code == CURRENCY_UNKNOWN)
        except TRANSIENT:
            raise
        except Exception:
            # One that cannot be attributed must not hold up the others.
            log.exception("%s cannot be attributed", report.conversion_id)
            return Found()
        reading.changed(report.conversion_id, events)
        return Found(events, over=bool(events))

    def _end(self, conversion_id: UUID, events: Sequence[DomainEvent]) -> bool:
        """False when Postgres does not take what the attribution comes to: that must not hold up the others."""

        def also(cursor: Cursor[dict[str, Any]], _: int | None) -> None:
            cursor.execute("DELETE FROM policy.waiting WHERE conversion_id = %s", (conversion_id,))

        try:
            self._core.store.write(events, counted(events, also))
            _CAME.inc(1 if events else 0)
        except Conflict:
            log.info("%s was changed meanwhile; looking again", conversion_id)
        except UNSTORABLE:
            log.exception("%s cannot be attributed", conversion_id)
            return False
        return True


_LATER: Final = (
    "UPDATE policy.waiting SET next_at = %s, needs_rate = %s WHERE conversion_id = %s"
    # Unless somebody made it due meanwhile: what was just read is too old then.
    " AND next_at = %s"
)
