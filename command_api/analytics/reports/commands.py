"""Commands of reports by email."""

from __future__ import annotations

from uuid import UUID

from command_api.analytics.reports import schemas
from command_api.kernel.command_handlers import Command
from infra.domain.reports.contract import Rendered
from infra.domain.reports.schedule import ReportPeriod
from schemas.events.analytics import ReportPause
from schemas.http.analytics import EmailReport


class ScheduleReport(Command[EmailReport]):
    """The sender gets a view or a query by email."""

    report_id: UUID
    fields: schemas.ScheduleReport


class ChangeReport(Command[EmailReport]):
    """Sends a report at another time, pauses or resumes it."""

    report_id: UUID
    fields: schemas.ChangeReport


class RemoveReport(Command[None]):
    """Deletes the report; it can be restored."""

    report_id: UUID


class RestoreReport(Command[EmailReport]):
    """Undoes the deletion."""

    report_id: UUID


class PreviewReport(Command[None]):
    """Emails what was rendered to the sender now. The schedule stays as it is."""

    report_id: UUID
    rendered: Rendered


class SendReport(Command[None]):
    """Emails what was rendered about a period, unless that period was handled."""

    report_id: UUID
    period: ReportPeriod
    rendered: Rendered


class FailReport(Command[None]):
    """There is no email about a period. `reason`: for the person."""

    report_id: UUID
    period: ReportPeriod
    reason: str


class PauseReport(Command[None]):
    """The report is not sent until it is resumed."""

    report_id: UUID
    reason: ReportPause
