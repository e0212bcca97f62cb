"""`/api/platform/reports`: schedule, change, preview, delete and restore reports by email. `/api/public/reports/*`: end
one by the link or button in its email; a GET changes nothing."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated, Final

from fastapi import APIRouter, Path, Request, Response
from pydantic import Field

from command_api.accounts import model as accounts
from command_api.analytics.reports import commands, model
from command_api.analytics.reports.handlers import zone_of
from command_api.analytics.reports.mail import STOP_PATH
from command_api.analytics.reports.renderer import (
    ReportNotRendered,
    ReportRefused,
    ReportRenderer,
    ReportsUnavailable,
    ReportUnreadable,
)
from command_api.analytics.reports.schemas import ChangeReport, ScheduleReport
from command_api.kernel.bulkhead import Bulkhead
from command_api.kernel.decision import system_context
from command_api.kernel.http import CommandRunner, From, Id, RequestModel, Runs, container_of
from command_api.kernel.rate_limits import Limit, consume
from command_api.websites import model as websites
from infra.domain.reports.contract import NoAccess
from infra.domain.reports.schedule import last_whole_period
from infra.domain.unsubscribe import verify_unsubscribe_token
from infra.kernel.http.problems import Problem
from infra.kernel.http.route_costs import PUBLIC, costs
from infra.kernel.security.client_info import Client
from schemas.http.analytics import EmailReport
from schemas.http.responses import ResponseModel
from schemas.uuid7 import uuid7

router = APIRouter(tags=["analytics"])
PREVIEWS: Final = Limit("report-previews", timedelta(minutes=2), 3)
"""Per account."""
STOPS: Final = Limit("report-stop", timedelta(seconds=20), 20)
BULKHEAD: Final = Bulkhead(limit=2, limit_per_account=1, subject="Reports are")
"""The limit of previews: each waits for the query service, which may run a query."""
MAX_WAIT_S: Final = 5.0
_REFUSALS: Final[dict[NoAccess, str]] = {
    "account": "Your account can't receive reports.",
    "website": "You no longer have access to this website.",
    "view": "The view was deleted, or is no longer shared with you.",
    "query": "The query was deleted, or you can no longer run SQL.",
}


class ReportMailedCode(RequestModel):
    """The code from an email's unsubscribe link."""

    code: Annotated[str, Field(max_length=200)]


class ReportStopped(ResponseModel):
    """A confirmation to show to the person."""

    ok: bool = True
    message: str = "This report is paused. You can resume it in your account settings."


@router.post("/api/platform/reports", status_code=201, response_model=EmailReport)
def schedule_report(body: ScheduleReport, run: Runs) -> Response:
    """Emails a view or a saved query to the caller, weekly or monthly."""
    return run(commands.ScheduleReport(uuid7(), body), body, status=201, is_consistent=True)


@router.patch("/api/platform/reports/{id}", response_model=EmailReport)
def change_report(report_id: Id, body: ChangeReport, run: Runs) -> Response:
    """Changes when the report is sent; pauses or resumes it."""
    return run(commands.ChangeReport(report_id, body), body, is_consistent=True)


@router.delete("/api/platform/reports/{id}", status_code=204)
def remove_report(report_id: Id, run: Runs) -> Response:
    """Deletes the report. It can be restored."""
    return run(commands.RemoveReport(report_id), status=204, is_consistent=True)


@router.post("/api/platform/reports/{id}/restore", response_model=EmailReport)
def restore_report(report_id: Id, run: Runs) -> Response:
    """Undoes the deletion."""
    return run(commands.RestoreReport(report_id), is_consistent=True)


@router.post("/api/platform/reports/{id}/preview", status_code=204)
def send_report_preview(report_id: Id, run: Runs) -> Response:
    """Emails the report about the last whole period to the caller now. The schedule stays as it is."""
    return run.prepared(lambda: _preview(run, report_id), status=204)


@router.post(
    "/api/public/reports/unsubscribe", response_model=ReportStopped, tags=["public"], openapi_extra=costs(PUBLIC)
)
def unsubscribe_from_report(body: ReportMailedCode, request: Request, client: From) -> ReportStopped:
    """`code`: from an email's unsubscribe link."""
    message = "This link is not valid. You can pause the report in your account settings."
    return _stop(request, client, body.code, Problem(400, "link_invalid", message))


@router.post(f"{STOP_PATH}{{token}}", response_model=ReportStopped, tags=["public"], openapi_extra=costs(PUBLIC))
def stop_report(token: Annotated[str, Path(max_length=200)], request: Request, client: From) -> ReportStopped:
    """One-click unsubscribe (RFC 8058): a mail program's POST, authenticated by the token."""
    return _stop(request, client, token, Problem(404, "not_found", "There is nothing at this address."))


def _preview(run: CommandRunner, report_id: Id) -> commands.PreviewReport:
    container, now = run.container, datetime.now(UTC)
    report = model.require_active(container.load(report_id, model.evolve), run.context)
    account = container.load(report.account_id, accounts.evolve)
    website = container.load(report.website_id, websites.evolve) if report.website_id else None
    if account is None:
        raise Problem(409, "no_access", _REFUSALS["account"])
    consume(container.pool, PREVIEWS, str(report.account_id))
    period = last_whole_period(report.schedule, zone_of(account, website), now)
    try:
        with BULKHEAD.acquire(report.account_id, MAX_WAIT_S):
            rendered = ReportRenderer(container.settings).render(report, period, is_preview=True)
    except ReportRefused as refusal:
        raise Problem(409, "no_access", _REFUSALS[refusal.reason]) from refusal
    except ReportUnreadable as failure:
        raise Problem(409, "report_failed", failure.message) from failure
    except (ReportsUnavailable, ReportNotRendered) as error:
        message = "Reports are temporarily unavailable. Please try again in a moment."
        raise Problem(503, "analytics_unavailable", message, headers={"Retry-After": "5"}) from error
    return commands.PreviewReport(report.id, rendered)


def _stop(request: Request, client: Client, token: str, otherwise: Problem) -> ReportStopped:
    container = container_of(request)
    consume(container.pool, STOPS, client.address)
    report_id = verify_unsubscribe_token(container.settings, "report", token)
    if report_id is None:
        raise otherwise
    container.commands.dispatch(commands.PauseReport(report_id, "unsubscribed"), system_context())
    return ReportStopped()
