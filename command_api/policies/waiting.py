"""Conversions whose click may still change: looked at again, ever more rarely, until no click can come any more.

A click may be sent up to 30 days late, and the row of a click may be projected after its sale was decided. What the
same reports and clicks come to does not depend on the order in which they arrive: while a conversion is pending its
click is exchanged, after the approval an adjustment is proposed. Beside them, reports that wait for an exchange rate.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from threading import Event
from time import monotonic
from typing import Any, Final
from uuid import UUID

from prometheus_client import Counter, Gauge
from psycopg import Cursor

from command_api.conversions import model
from command_api.conversions.money import CURRENCY_UNKNOWN
from command_api.conversions.tally import counted
from command_api.core import Core
from command_api.decision import Asked, Refused
from command_api.leader import Connection
from command_api.policies.click_positions import ClickPositions, places
from command_api.policies.clicks import Clicks
from command_api.policies.decide import reconsider, reported_of
from command_api.policies.reading import Reading, Wanted
from command_api.policies.reports import TRANSIENT, UNSTORABLE
from command_api.policies.without_rate import WithoutRate
from command_api.store import Conflict
from infra.log import Log
from infra.sealing import derived_key
from schemas.base import DomainEvent
from schemas.tracking import ConversionReported

NAME: Final = "policy:waiting"
BATCH: Final = 200
LOOK_S: Final = 0.5
COUNT_S: Final = 15.0

log = logging.getLogger(__name__)
_WAITING = Gauge("policy_waiting", "Conversions whose click has not come")
_CAME = Counter("policy_clicks_came_total", "Waiting conversions whose click came")


def pause_after(age: timedelta, *, is_attributed: bool = False) -> timedelta:
    """How long a conversion of this age is left alone. Another click than the one that it has comes rarely."""
    if age < timedelta(minutes=1):
        return timedelta(seconds=1)
    if age < timedelta(minutes=10):
        return timedelta(seconds=10 if is_attributed else 5)
    if age < timedelta(days=1):
        return timedelta(minutes=10 if is_attributed else 1)
    return timedelta(hours=6) if is_attributed else timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class Found:
    """What a look at one of them came to."""

    events: Sequence[DomainEvent] = ()
    over: bool = False
    """It waits no more."""
    needs_rate: bool = False
    """Its click came, but there is no exchange rate for the partner's terms."""
    is_attributed: bool = False


class Waiting:
    """`run` is the work of a `command_api.leader.Leader`."""

    def __init__(self, core: Core, clicks: Clicks, log: Log) -> None:
        self._core = core
        self._clicks = clicks
        self._positions = ClickPositions(core, log)
        self._without_rate = WithoutRate(core, clicks)
        self._click_key = derived_key(core.settings, "click-id")
        self._counted_at = float("-inf")

    def run(self, connection: Connection, stop: Event) -> None:
        while not stop.is_set():
            found = self.recheck(connection), self._without_rate.recheck(connection)
            if max(found) < BATCH:
                stop.wait(LOOK_S)

    def recheck(self, connection: Connection) -> int:
        """Looks at those that are due; gives how many they were."""
        rows = connection.execute(
            "SELECT conversion_id, report, received_at, until, next_at FROM policy.waiting WHERE next_at <= now()"
            " ORDER BY next_at LIMIT %s",
            (BATCH,),
        ).fetchall()
        self._count(connection)
        if not rows:
            return 0
        reading = Reading(self._core, self._clicks, self._click_key, seen=places(self._positions.projected()))
        states = {key: _with_traces(reading.conversion(key), report) for key, report, *_ in rows}
        reading.look_up(
            [
                Wanted(state.facts.website_id, traces, state.facts.occurred_at)
                for state in states.values()
                if state is not None
                for traces in state.merged.traces
            ]
        )
        now = datetime.now(UTC)
        for conversion_id, _, received_at, until, next_at in rows:
            found = self._look(conversion_id, states[conversion_id], reading, now)
            is_over = found.over or (until <= now and not found.needs_rate)
            if (is_over or found.events) and self._store(conversion_id, found.events, is_over=is_over) and is_over:
                continue
            later = now + pause_after(now - received_at, is_attributed=found.is_attributed)
            connection.execute(_LATER, (later, found.needs_rate, conversion_id, next_at))
        return len(rows)

    def _count(self, connection: Connection) -> None:
        if monotonic() - self._counted_at < COUNT_S:
            return
        self._counted_at = monotonic()
        for (count,) in connection.execute("SELECT count(*) FROM policy.waiting"):
            _WAITING.set(count)

    def _look(self, conversion_id: UUID, state: model.Conversion | None, reading: Reading, now: datetime) -> Found:
        website = reading.website(state.facts.website_id) if state is not None else None
        if state is None or website is None:
            return Found(over=True)
        try:
            events, may_change = reconsider(state, website, reading, Asked(now))
        except Refused as refused:
            log.info("%s cannot be attributed yet: %s", conversion_id, refused.message)
            return Found(needs_rate=refused.code == CURRENCY_UNKNOWN)
        except TRANSIENT:
            raise
        except Exception:
            # One that cannot be attributed must not hold up the others.
            log.exception("%s cannot be attributed", conversion_id)
            return Found()
        reading.changed(conversion_id, events)
        return Found(events, over=not may_change, is_attributed=state.is_attributed or bool(events))

    def _store(self, conversion_id: UUID, events: Sequence[DomainEvent], *, is_over: bool) -> bool:
        """False when the events are not stored: Postgres does not take them, or another writer was first. That must not
        hold up the others; it is looked at again."""

        def also(cursor: Cursor[dict[str, Any]], _: int | None) -> None:
            if is_over:
                cursor.execute("DELETE FROM policy.waiting WHERE conversion_id = %s", (conversion_id,))

        try:
            self._core.store.write(events, counted(events, also))
        except Conflict:
            log.info("%s was changed meanwhile; looking again", conversion_id)
            return False
        except UNSTORABLE:
            log.exception("%s cannot be attributed", conversion_id)
            return False
        _CAME.inc(1 if events else 0)
        return True


def _with_traces(state: model.Conversion | None, report: Any) -> model.Conversion | None:
    """Of conversions that were recorded before reports were kept, the waiting report knows the traces."""
    if state is None or report is None or not state.is_older or state.is_attributed:
        return state
    return replace(state, reports=(*state.reports, reported_of(ConversionReported.model_validate(report), None)))


_LATER: Final = (
    "UPDATE policy.waiting SET next_at = %s, needs_rate = %s WHERE conversion_id = %s"
    # Unless somebody made it due meanwhile: what was just read is too old then.
    " AND next_at = %s"
)
