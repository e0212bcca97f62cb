"""Reports that were refused because their currency had no rate: decided again when one is recorded.

`record_exchange_rate` makes them due in the transaction of its event. Besides, each is looked at a second after it
came, when a rate may have been recorded at that very moment, and then once an hour.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import groupby
from typing import Any, Final
from uuid import UUID

from prometheus_client import Gauge
from psycopg import Cursor

from command_api.conversions.tally import counted
from command_api.core import Core
from command_api.leader import Connection
from command_api.policies.clicks import Clicks
from command_api.policies.decide import decide
from command_api.policies.keeping import keep_waiting
from command_api.policies.reading import Reading
from command_api.policies.reports import TRANSIENT, UNSTORABLE
from command_api.store import Conflict
from infra.sealing import derived_key
from schemas.base import DomainEvent
from schemas.tracking import ConversionReported, from_log_time

BATCH: Final = 200
PAUSE: Final = timedelta(hours=1)

log = logging.getLogger(__name__)
_WITHOUT_RATE = Gauge("policy_without_rate", "Reports of conversions that wait for an exchange rate")


@dataclass
class Decided:
    """What the reports of one conversion came to."""

    reports: list[UUID] = field(default_factory=list)
    events: list[DomainEvent] = field(default_factory=list)
    waiting: ConversionReported | None = None


def make_due(cursor: Cursor[dict[str, Any]], base: str) -> None:
    """Has everything that a new rate of `base` may decide looked at again, in the transaction of the rate's event."""
    cursor.execute(
        "UPDATE policy.without_rate SET next_at = now() WHERE %(base)s IN"
        # What names no currency waits behind a report that does, or for the rate of a partner's terms.
        " (coalesce(report->'amount'->>'currency', %(base)s), coalesce(report->'payout'->>'currency', %(base)s))",
        {"base": base},
    )
    cursor.execute("UPDATE policy.waiting SET next_at = now() WHERE needs_rate")


class WithoutRate:
    """Runs beside `Waiting`, in its thread."""

    def __init__(self, core: Core, clicks: Clicks) -> None:
        self._core = core
        self._clicks = clicks
        self._click_key = derived_key(core.settings, "click-id")

    def recheck(self, connection: Connection) -> int:
        """Decides those that are due; gives of how many conversions they were."""
        rows = connection.execute(_DUE, (BATCH,)).fetchall()
        if not rows:
            return 0
        reports = [ConversionReported.model_validate(report) for report, _ in rows]
        reading = Reading(self._core, self._clicks, self._click_key)
        looked_at = {report.report_id: next_at for report, (_, next_at) in zip(reports, rows, strict=True)}
        conversions = [list(group) for _, group in groupby(reports, key=lambda report: report.conversion_id)]
        for each in conversions:
            if not self._decide(each, reading):
                later = datetime.now(UTC) + PAUSE
                for report in each:
                    connection.execute(_LATER, (later, report.report_id, looked_at[report.report_id]))
        for (count,) in connection.execute("SELECT count(*) FROM policy.without_rate"):
            _WITHOUT_RATE.set(count)
        return len(conversions)

    def _decide(self, reports: Sequence[ConversionReported], reading: Reading) -> bool:
        """Decides the reports of one conversion in their order; false when none of them can be."""
        now, batch = datetime.now(UTC), Decided()
        for report in reports:
            try:
                outcome = decide(report, reading, now)
            except TRANSIENT:
                raise
            except Exception as error:  # noqa: BLE001 - one bad report must not hold up the others
                log.warning("report %s cannot be decided: %s: %s", report.report_id, type(error).__name__, error)
                return False
            if outcome.needs_rate:
                continue
            batch.reports.append(report.report_id)
            batch.events.extend(outcome.events)
            if outcome.waits:
                batch.waiting = report
        if not batch.reports:
            return False

        def also(cursor: Cursor[dict[str, Any]], _: int | None) -> None:
            cursor.execute("DELETE FROM policy.without_rate WHERE report_id = ANY(%s)", (batch.reports,))
            if batch.waiting is not None:
                keep_waiting(cursor, batch.waiting.conversion_id, from_log_time(batch.waiting.received_at))

        try:
            self._core.store.write(batch.events, counted(batch.events, also))
        except Conflict:
            log.info("%s was changed meanwhile; deciding again", reports[0].conversion_id)
        except UNSTORABLE:
            log.exception("%s cannot be decided", reports[0].conversion_id)  # and must not hold up the others
            return False
        return True


_DUE: Final = """
SELECT report, next_at FROM policy.without_rate WHERE conversion_id IN (
    SELECT conversion_id FROM policy.without_rate WHERE next_at <= now() ORDER BY next_at LIMIT %s)
ORDER BY conversion_id, number"""

_LATER: Final = """
UPDATE policy.without_rate SET next_at = %s WHERE report_id = %s AND next_at = %s"""
"""Unless a rate made it due meanwhile: what was just read is too old then."""
