"""Looks at every website once a day, when the scheduler says that its day is over, and mails what is new.

`Watch.run` is the work of a `command_api.leader.Leader`: events are written by the command service alone, so the
scheduler (`infra.insights`) only says what is due, in `policy.insight_look`; one process at a time does it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from threading import Event
from typing import Any, Final
from uuid import UUID

from prometheus_client import Counter
from psycopg import Cursor

from command_api.decision import Asked
from command_api.insights import digest
from command_api.insights.desk import InsightsDesk
from command_api.insights.reading import HistoryUnavailable
from command_api.leader import Connection
from command_api.store import UNAVAILABLE, Also
from command_api.websites import model as websites

NAME: Final = "policy:insights"
PAUSE_S: Final = 5.0
AT_ONCE: Final = 5
_LATER: Final = timedelta(minutes=10)
_AFTER_ERROR: Final = timedelta(hours=1)

log = logging.getLogger(__name__)
_LOOKS = Counter("insight_looks_total", "Daily looks at websites by what they came to", ["outcome"])


class LookedAlready(Exception):
    """Another process, which led before or thinks so, looked at the website that day."""


class Watch:
    """`now` is the clock: tests turn it."""

    def __init__(self, desk: InsightsDesk, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._desk = desk
        self._now = now

    def run(self, connection: Connection, stop: Event) -> None:
        while not stop.is_set():
            if not self.look(connection) + digest.send_due(self._desk.core, connection, self._now()):
                stop.wait(PAUSE_S)

    def look(self, connection: Connection) -> int:
        """Looks at those that are due; how many they were."""
        rows = connection.execute(_DUE, (self._now(), AT_ONCE)).fetchall()
        for website_id, due_day in rows:
            website = self._desk.core.store.load(website_id, websites.evolve)
            if website is None or website.disconnected:
                connection.execute(_DROP, (website_id,))
                continue
            try:
                asked = Asked(self._now())
                look = self._desk.look(website, asked)
                if not self._desk.keep(website, look, asked, _done(website_id, due_day)):
                    connection.execute(_DONE, (due_day, website_id, due_day))
            except LookedAlready:
                continue
            except UNAVAILABLE:
                raise
            except HistoryUnavailable as error:
                _LOOKS.labels("unavailable").inc()
                log.warning("insights of %s have to wait: %s", website.domain, error)
                connection.execute(_MOVE, (self._now() + _LATER, website_id))
            except Exception:
                # One that cannot be judged must not hold up the others.
                _LOOKS.labels("failed").inc()
                log.exception("insights of %s cannot be worked out", website.domain)
                connection.execute(_MOVE, (self._now() + _AFTER_ERROR, website_id))
            else:
                _LOOKS.labels("done").inc()
        return len(rows)


def _done(website_id: UUID, day: date) -> Also:
    """Written with what came of the look: whatever crashes, a day's look is told once."""

    def mark(cursor: Cursor[dict[str, Any]], _: int | None) -> None:
        if not cursor.execute(_DONE, (day, website_id, day)).rowcount:
            raise LookedAlready

    return mark


_DUE: Final = (
    "SELECT website_id, due_day FROM policy.insight_look WHERE looked_day IS DISTINCT FROM due_day AND next_at <= %s"
    " ORDER BY next_at, website_id LIMIT %s"
)
_DONE: Final = "UPDATE policy.insight_look SET looked_day = %s WHERE website_id = %s AND looked_day IS DISTINCT FROM %s"
_MOVE: Final = "UPDATE policy.insight_look SET next_at = %s WHERE website_id = %s"
_DROP: Final = "DELETE FROM policy.insight_look WHERE website_id = %s"
