"""Process manager `insights:daily-analysis`: analyzes every website once a day.

A website's day is over for it three hours after its midnight: by then what was clicked before midnight is counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from typing import Final
from uuid import UUID

from command_api.insights import commands
from command_api.insights.history_reader import HistoryUnavailable
from command_api.insights.service import InsightService
from command_api.kernel.decision import system_context
from command_api.kernel.process_manager import Issue, ProcessManager
from command_api.kernel.timeouts import Timeout
from command_api.kernel.unit_of_work import UnitOfWork
from command_api.websites import model as websites
from schemas.days import instant, local_day
from schemas.zones import ZoneInfo

NAME: Final = "insights:daily-analysis"
BATCH_SIZE: Final = 5
MAX_DELAY: Final = timedelta(days=2)
_FROM: Final = time(3)
_DAY: Final = timedelta(days=1)


def daily_insights(service: InsightService) -> ProcessManager:
    container = service.container

    def plan(timeouts: Sequence[Timeout], now: datetime) -> Issue:
        with container.pool.connection() as connection:
            analyzed = dict(connection.execute(_ANALYZED, ([timeout.id for timeout in timeouts],)).fetchall())

        def issue(timeout: Timeout) -> commands.RecordDailyAnalysis | datetime | None:
            website = container.store.load(timeout.id, websites.evolve)
            if website is None or website.disconnected:
                with container.pool.connection() as connection:
                    connection.execute(_FORGET, (timeout.id,))
                return None
            zone = ZoneInfo(website.timezone)
            day = due_day(zone, now)
            if day is None or day <= analyzed.get(website.id, date.min):
                return next_due(zone, now)
            return commands.RecordDailyAnalysis(website.id, day, service.analyze(website, system_context(now)))

        return issue

    return ProcessManager(
        NAME,
        plan,
        BATCH_SIZE,
        unavailable=(HistoryUnavailable,),
        ids="SELECT website_id FROM lookup.website",
        max_delay=MAX_DELAY,
    )


def due_day(zone: ZoneInfo, now: datetime) -> date | None:
    """The local day whose insights are due at `now`: yesterday, from three o'clock on."""
    if now.astimezone(zone).time() < _FROM:
        return None
    return local_day(zone, now) - _DAY


def next_due(zone: ZoneInfo, now: datetime) -> datetime:
    """The next three o'clock of the zone."""
    day = now.astimezone(zone).date()
    today = instant(datetime.combine(day, _FROM), zone)
    return today if today > now else instant(datetime.combine(day + _DAY, _FROM), zone)


def plan_next(uow: UnitOfWork, website_id: UUID, timezone: str) -> None:
    """Sets the timeout of the website's next analysis."""
    uow.set_timeout(NAME, website_id, next_due(ZoneInfo(timezone), uow.context.at))


_ANALYZED: Final = "SELECT website_id, day FROM insights.daily_analysis WHERE website_id = ANY(%s)"
_FORGET: Final = "DELETE FROM insights.daily_analysis WHERE website_id = %s"
