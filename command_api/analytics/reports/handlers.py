"""Command handlers of reports by email."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from command_api.accounts import model as accounts
from command_api.analytics.reports import commands, model
from command_api.analytics.reports.lookups import require_room_for_report
from command_api.analytics.reports.mail import mail_of
from command_api.analytics.reports.model import ScheduledReport
from command_api.analytics.views import model as views
from command_api.kernel.aggregates import state_after
from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.decision import not_found
from command_api.kernel.unit_of_work import Appended, StateChange, UnitOfWork
from command_api.websites import model as websites
from schemas.base import DomainEvent
from schemas.events.accounts import AccountErased, ProfileChanged
from schemas.events.analytics import ReportSchedule, ReportScheduled
from schemas.events.websites import WebsiteTransferred, WebsiteUpdated
from schemas.http.analytics import EmailReport
from schemas.zones import ZoneInfo

NAME: Final = "analytics:reports"
"""The process manager that sends them (`process`)."""

HANDLERS: Final = CommandHandlers()


@HANDLERS.on(commands.ScheduleReport, senders="accounts")
def schedule_report(command: commands.ScheduleReport, uow: UnitOfWork) -> EmailReport:
    fields, me = command.fields, uow.context.require_account()
    schedule = ReportSchedule(every=fields.every, weekday=fields.weekday, day=fields.day, hour=fields.hour)
    if fields.query_id is not None:
        account = uow.load(me, accounts.evolve)
        if not uow.select(_OWN_QUERY, fields.query_id, me):
            raise not_found("query")
        scheduled = model.schedule_query(
            command.report_id, account, fields.query_id, fields.parameters, schedule, uow.context
        )
    else:
        view = _visible_view(fields.view_id, uow)
        website = uow.load(fields.website_id, websites.evolve) if fields.website_id else None
        scheduled = model.schedule_view(command.report_id, website, view, schedule, uow.context)
    return _to_response(uow.advance(model.evolve, None, [scheduled]))


@HANDLERS.on(commands.ChangeReport, senders="accounts")
def change_report(command: commands.ChangeReport, uow: UnitOfWork) -> EmailReport:
    fields, report = command.fields, _active(command.report_id, uow)
    changes = fields.model_dump(exclude={"paused", "parameters"}, exclude_none=True)
    schedule = ReportSchedule.model_validate({**report.schedule.model_dump(), **changes})
    events: list[DomainEvent] = [*model.reschedule(report, schedule, uow.context)]
    report = state_after(model.evolve, report, events)
    if fields.parameters is not None:
        changed = model.change_parameters(report, fields.parameters, uow.context)
        events += changed
        report = state_after(model.evolve, report, changed)
    if fields.paused is not None:
        paused = model.pause(report, "paused", uow.context) if fields.paused else model.resume(report, uow.context)
        events += paused
        report = state_after(model.evolve, report, paused)
    uow.append(*events)
    return _to_response(report)


@HANDLERS.on(commands.RemoveReport, senders="accounts")
def remove_report(command: commands.RemoveReport, uow: UnitOfWork) -> None:
    uow.append(model.remove(_active(command.report_id, uow), uow.context))


@HANDLERS.on(commands.RestoreReport, senders="accounts")
def restore_report(command: commands.RestoreReport, uow: UnitOfWork) -> EmailReport:
    report = model.require_own(uow.load(command.report_id, model.evolve), uow.context)
    if report.website_id is not None:
        websites.require_owned(_website_of(report, uow), uow.context)
    return _to_response(uow.advance(model.evolve, report, model.restore(report, uow.context)))


@HANDLERS.on(commands.PreviewReport, senders="accounts")
def preview_report(command: commands.PreviewReport, uow: UnitOfWork) -> None:
    report = _active(command.report_id, uow)
    account = uow.load(report.account_id, accounts.evolve)
    if account is None or not account.may_sign_in:
        raise not_found("report")
    uow.send(mail_of(uow.settings, account, report, command.rendered))


@HANDLERS.on(commands.SendReport, senders="system")
def send_report(command: commands.SendReport, uow: UnitOfWork) -> None:
    report = uow.load(command.report_id, model.evolve)
    account = uow.load(report.account_id, accounts.evolve) if report else None
    if report is None or account is None or not account.may_sign_in:
        uow.set_timeout(NAME, command.report_id, None)
        return
    events = model.sent(report, command.period, uow.context)
    uow.append(*events)
    if events:
        mail_id = report.mail_id(command.period)
        uow.send(mail_of(uow.settings, account, report, command.rendered, mail_id))
    else:
        _plan(uow, report, account)


@HANDLERS.on(commands.FailReport, senders="system")
def fail_report(command: commands.FailReport, uow: UnitOfWork) -> None:
    report = uow.load(command.report_id, model.evolve)
    account = uow.load(report.account_id, accounts.evolve) if report else None
    if report is None or account is None or account.erased:
        uow.set_timeout(NAME, command.report_id, None)
        return
    events = model.failed(report, command.period, command.reason, uow.context)
    uow.append(*events)
    if not events:
        _plan(uow, report, account)


@HANDLERS.on(commands.PauseReport, senders="system")
def pause_report(command: commands.PauseReport, uow: UnitOfWork) -> None:
    report = uow.load(command.report_id, model.evolve)
    uow.append(*(model.pause(report, command.reason, uow.context) if report else []))


@HANDLERS.after_change(ReportScheduled, model.evolve)
def follow_report(change: StateChange[ScheduledReport], uow: Appended) -> None:
    """Plans the next email of a report. Raises `CommandRejected` when its person has too many reports."""
    earlier, report, _ = change
    if earlier is None or (earlier.removed and not report.removed):
        require_room_for_report(uow, report.account_id)
    account = uow.load(report.account_id, accounts.evolve)
    if account is not None:
        _plan(uow, report, account)


@HANDLERS.before(AccountErased)
def end_reports(event: AccountErased, uow: UnitOfWork) -> None:
    """Ends the timeouts of an erased account's reports; their rows are deleted with the event."""
    for (report_id,) in uow.select("SELECT report_id FROM lookup.report WHERE account_id = %s", event.originator_id):
        uow.set_timeout(NAME, report_id, None)


@HANDLERS.before(WebsiteTransferred)
def remove_reports(event: WebsiteTransferred, uow: UnitOfWork) -> None:
    """Removes the seller's reports about the website: the seller may no longer see its numbers."""
    for (report_id,) in uow.select(_LEFT, event.originator_id):
        report = uow.load(report_id, model.evolve)
        if report is not None and not report.removed:
            uow.append(model.remove(report, uow.context))


@HANDLERS.before(WebsiteUpdated)
def replan_reports_of_website(event: WebsiteUpdated, uow: UnitOfWork) -> None:
    """Plans the website's reports again, because in another time zone they are due at another time: the process checks
    them at once."""
    if event.timezone is not None:
        _replan(uow, uow.select(_OF_WEBSITE, event.originator_id))


@HANDLERS.before(ProfileChanged)
def replan_reports_of_account(event: ProfileChanged, uow: UnitOfWork) -> None:
    """Plans the reports of queries again: they are in the time zone of the account."""
    if event.timezone is not None:
        _replan(uow, uow.select(_QUERIES_OF_ACCOUNT, event.originator_id))


def zone_of(account: accounts.Account, website: websites.Website | None) -> ZoneInfo:
    """The zone in which the days and the hour of a report are."""
    return ZoneInfo(website.timezone if website is not None else account.timezone)


def _to_response(report: ScheduledReport) -> EmailReport:
    return EmailReport(
        id=report.id,
        website_id=report.website_id,
        view_id=report.view_id,
        query_id=report.query_id,
        parameters=report.parameters,
        paused=report.paused,
        **report.schedule.model_dump(),
    )


def _plan(uow: UnitOfWork, report: ScheduledReport, account: accounts.Account) -> None:
    zone = zone_of(account, _website_of(report, uow))
    at: datetime | None = report.next_time(zone, uow.context.at) if report.is_active else None
    uow.set_timeout(NAME, report.id, at)


def _replan(uow: UnitOfWork, rows: Sequence[tuple[UUID, ...]]) -> None:
    uow.set_timeouts(NAME, [report_id for (report_id, *_) in rows], uow.context.at)


def _active(report_id: UUID, uow: UnitOfWork) -> ScheduledReport:
    return model.require_active(uow.load(report_id, model.evolve), uow.context)


def _website_of(report: ScheduledReport, uow: UnitOfWork) -> websites.Website | None:
    return uow.load(report.website_id, websites.evolve) if report.website_id else None


def _visible_view(view_id: UUID | None, uow: UnitOfWork) -> views.ViewAggregate:
    view = uow.load(view_id, views.evolve) if view_id else None
    website = uow.load(view.website_id, websites.evolve) if view and view.website_id else None
    return views.require_active(view, website, uow.context)


_OF_WEBSITE: Final = "SELECT report_id FROM lookup.report WHERE website_id = %s AND NOT is_paused AND NOT is_removed"
_LEFT: Final = "SELECT report_id FROM lookup.report WHERE website_id = %s AND NOT is_removed ORDER BY report_id"
_QUERIES_OF_ACCOUNT: Final = (
    "SELECT report_id FROM lookup.report WHERE account_id = %s AND website_id IS NULL AND NOT is_paused"
    " AND NOT is_removed"
)
_OWN_QUERY: Final = "SELECT 1 FROM lookup.query_title WHERE query_id = %s AND account_id = %s AND NOT is_removed"
