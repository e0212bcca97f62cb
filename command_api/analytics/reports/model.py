"""Reports by email: who may schedule one of what, when it is due, and that each period is sent once. Pure.

A report belongs to the person who set it up, who alone gets it and may see and change it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Final
from uuid import UUID, uuid5

from command_api.accounts.model import Account
from command_api.analytics.views.model import ViewAggregate
from command_api.kernel.aggregates import first_event, next_event
from command_api.kernel.decision import CommandContext, invalid, not_found
from command_api.websites.model import Website, require_owned
from infra.domain.reports import schedule as times
from infra.domain.reports.schedule import ReportPeriod
from infra.domain.sql_access.analyst_accounts import ROLES
from infra.kernel.text.hidden_characters import HIDDEN
from schemas.events.analytics import (
    ReportFailed,
    ReportParametersChanged,
    ReportPause,
    ReportPaused,
    ReportRemoved,
    ReportRescheduled,
    ReportRestored,
    ReportResumed,
    ReportSchedule,
    ReportScheduled,
    ReportSent,
    ViewKind,
)
from schemas.evolution import Evolution
from schemas.zones import ZoneInfo

MAX_FAILURE: Final = 500
_UNREADABLE: Final = "The numbers could not be read."


@dataclass(frozen=True, slots=True)
class ScheduledReport:
    """A report. `since`: when it began, or was resumed or rescheduled: earlier times are not due. `handled`: the last
    day of the last period that was sent, or failed."""

    id: UUID
    version: int
    account_id: UUID
    website_id: UUID | None
    view_id: UUID | None
    query_id: UUID | None
    schedule: ReportSchedule
    since: datetime
    parameters: Mapping[str, str] = field(default_factory=dict)
    handled: date | None = None
    paused: ReportPause | None = None
    removed: bool = False

    @property
    def is_active(self) -> bool:
        return self.paused is None and not self.removed

    def due(self, zone: ZoneInfo, now: datetime) -> ReportPeriod | None:
        """The period whose email is due at `now`, in the zone of the website or account."""
        return times.due(self.schedule, zone, now, since=self.since, handled=self.handled) if self.is_active else None

    def next_time(self, zone: ZoneInfo, now: datetime) -> datetime:
        """Returns when the report is checked next."""
        return times.next_time(self.schedule, zone, now, handled=self.handled)

    def mail_id(self, period: ReportPeriod) -> UUID:
        """The id of the one email about a period."""
        return uuid5(self.id, f"report until {period.last}")


def schedule_view(
    report_id: UUID, website: Website | None, view: ViewAggregate, schedule: ReportSchedule, context: CommandContext
) -> ReportScheduled:
    """Schedules a report of a view. `view`: one that the actor may see. Raises `CommandRejected`."""
    website = require_owned(website, context)
    if view.kind is not ViewKind.VIEW:
        raise invalid("not_a_view", "A segment shows no numbers. Choose a view.", "viewId")
    if view.website_id not in (None, website.id):
        raise invalid("other_website", "This view belongs to another website.", "viewId")
    return ReportScheduled(
        **first_event(report_id, context),
        account_id=context.require_account(),
        website_id=website.id,
        view_id=view.id,
        query_id=None,
        schedule=schedule,
    )


def schedule_query(
    report_id: UUID,
    account: Account | None,
    query_id: UUID,
    parameters: Mapping[str, str],
    schedule: ReportSchedule,
    context: CommandContext,
) -> ReportScheduled:
    """Schedules a report of a query. `query_id`: a saved query of the actor. Raises `CommandRejected` unless the actor
    is an analyst or admin."""
    if account is None or not may_query(account):
        raise not_found("query")
    return ReportScheduled(
        **first_event(report_id, context),
        account_id=context.require_account(),
        website_id=None,
        view_id=None,
        query_id=query_id,
        schedule=schedule,
        parameters=dict(parameters),
    )


def may_query(account: Account) -> bool:
    """Returns whether the account may run SQL."""
    return bool(ROLES & {str(role) for role in account.roles})


def reschedule(report: ScheduledReport, schedule: ReportSchedule, context: CommandContext) -> list[ReportRescheduled]:
    """Changes the schedule; returns no events if nothing is different."""
    if schedule == report.schedule:
        return []
    return [ReportRescheduled(**next_event(report, context), schedule=schedule)]


def change_parameters(
    report: ScheduledReport, parameters: Mapping[str, str], context: CommandContext
) -> list[ReportParametersChanged]:
    """Changes the query's parameters; returns no events if nothing is different. Raises `CommandRejected` for a report
    of a view."""
    if parameters and report.query_id is None:
        raise invalid("no_query", "Only a query has parameters.", "parameters")
    if parameters == report.parameters:
        return []
    return [ReportParametersChanged(**next_event(report, context), parameters=dict(parameters))]


def pause(report: ScheduledReport, reason: ReportPause, context: CommandContext) -> list[ReportPaused]:
    """Pauses the report; returns no events if it is paused or deleted."""
    return [ReportPaused(**next_event(report, context), reason=reason)] if report.is_active else []


def resume(report: ScheduledReport, context: CommandContext) -> list[ReportResumed]:
    """Resumes the report; returns no events if it is not paused."""
    return [] if report.paused is None else [ReportResumed(**next_event(report, context))]


def remove(report: ScheduledReport, context: CommandContext) -> ReportRemoved:
    return ReportRemoved(**next_event(report, context))


def restore(report: ScheduledReport, context: CommandContext) -> list[ReportRestored]:
    """Restores a deleted report; returns no events if it was not deleted."""
    return [ReportRestored(**next_event(report, context))] if report.removed else []


def sent(report: ScheduledReport, period: ReportPeriod, context: CommandContext) -> list[ReportSent]:
    """Records that the report of the period was sent; returns no events if the period was handled, or the report
    paused, meanwhile."""
    if not _is_open(report, period):
        return []
    days = {"first_day": period.first, "last_day": period.last}
    return [ReportSent(**next_event(report, context), **days, mail_id=report.mail_id(period))]


def failed(report: ScheduledReport, period: ReportPeriod, reason: str, context: CommandContext) -> list[ReportFailed]:
    """Records that the report of the period failed; returns no events in the same cases as `sent`."""
    if not _is_open(report, period):
        return []
    text = HIDDEN.sub(" ", reason).strip()[:MAX_FAILURE] or _UNREADABLE
    days = {"first_day": period.first, "last_day": period.last}
    return [ReportFailed(**next_event(report, context), account_id=report.account_id, **days, reason=text)]


def require_own(report: ScheduledReport | None, context: CommandContext) -> ScheduledReport:
    """Returns the report, also a deleted one. Raises `CommandRejected` (missing) unless it is the actor's."""
    if report is None or report.account_id != context.account_id:
        raise not_found("report")
    return report


def require_active(report: ScheduledReport | None, context: CommandContext) -> ScheduledReport:
    """Returns the report. Raises `CommandRejected` (missing) if it was deleted, or is another person's."""
    report = require_own(report, context)
    if report.removed:
        raise not_found("report")
    return report


def _is_open(report: ScheduledReport, period: ReportPeriod) -> bool:
    return report.is_active and (report.handled is None or period.last > report.handled)


evolve: Final = (
    Evolution(ScheduledReport)
    .begins(ReportScheduled, at="since")
    .follows(ReportRescheduled, at="since")
    .follows(ReportParametersChanged)
    .follows(ReportPaused, takes={"paused": "reason"})
    .follows(ReportResumed, at="since", paused=None)
    .follows(ReportSent, takes={"handled": "last_day"})
    .follows(ReportFailed, but="account_id", takes={"handled": "last_day"})
    .follows(ReportRemoved, removed=True)
    .follows(ReportRestored, at="since", removed=False)
)
