"""`read.reports`: reports by email, when and with which values they are sent, and how the last one went."""

from __future__ import annotations

from typing import Final

from infra.kernel.postgres.rows import Rows
from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import OWN_ALONE
from schemas.events.accounts import AccountErased
from schemas.events.analytics import (
    ReportFailed,
    ReportParametersChanged,
    ReportPaused,
    ReportRemoved,
    ReportRescheduled,
    ReportRestored,
    ReportResumed,
    ReportScheduled,
    ReportSent,
)

REPORTS: Final = ReadModel(
    name="reports",
    version=1,
    columns=(
        "id uuid",
        "account_id uuid not null",
        "website_id uuid",
        "view_id uuid",
        "query_id uuid",
        "schedule jsonb not null",
        "parameters jsonb not null default '{}'",
        "since timestamptz not null",
        "paused text",
        "handled date",
        "sent_at timestamptz",
        "failed_at timestamptz",
        "failure text",
        "removed_at timestamptz",
    ),
    key=("id",),
    readers=OWN_ALONE,
    indexes=("account_id",),
    personal=("failure",),
)


@REPORTS.on(ReportScheduled)
def scheduled(rows: Rows, event: ReportScheduled) -> None:
    rows.put(
        id=event.originator_id,
        account_id=event.account_id,
        website_id=event.website_id,
        view_id=event.view_id,
        query_id=event.query_id,
        schedule=event.schedule.model_dump(mode="json"),
        parameters=dict(event.parameters),
        since=event.timestamp,
    )


@REPORTS.on(ReportRescheduled)
def rescheduled(rows: Rows, event: ReportRescheduled) -> None:
    schedule = event.schedule.model_dump(mode="json")
    rows.update({"id": event.originator_id}, schedule=schedule, since=event.timestamp)


@REPORTS.on(ReportParametersChanged)
def parameters_changed(rows: Rows, event: ReportParametersChanged) -> None:
    rows.update({"id": event.originator_id}, parameters=dict(event.parameters))


@REPORTS.on(ReportPaused)
def paused(rows: Rows, event: ReportPaused) -> None:
    rows.update({"id": event.originator_id}, paused=event.reason)


@REPORTS.on(ReportResumed)
def resumed(rows: Rows, event: ReportResumed) -> None:
    rows.update({"id": event.originator_id}, paused=None, since=event.timestamp)


@REPORTS.on(ReportSent)
def sent(rows: Rows, event: ReportSent) -> None:
    """A failure is shown until the next email."""
    rows.update(
        {"id": event.originator_id}, handled=event.last_day, sent_at=event.timestamp, failed_at=None, failure=None
    )


@REPORTS.on(ReportFailed)
def failed(rows: Rows, event: ReportFailed) -> None:
    rows.update({"id": event.originator_id}, handled=event.last_day, failed_at=event.timestamp, failure=event.reason)


@REPORTS.on(ReportRemoved)
def removed(rows: Rows, event: ReportRemoved) -> None:
    rows.update({"id": event.originator_id}, removed_at=event.timestamp)


@REPORTS.on(ReportRestored)
def restored(rows: Rows, event: ReportRestored) -> None:
    rows.update({"id": event.originator_id}, removed_at=None, since=event.timestamp)


@REPORTS.on(AccountErased)
def account_erased(rows: Rows, event: AccountErased) -> None:
    rows.delete(account_id=event.originator_id)
