"""`read.reports`: reports by email, when and with which values they are sent, and how the last one went."""

from __future__ import annotations

from typing import Final

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
    fixed=("account_id",),
    readers=OWN_ALONE,
    indexes=("account_id",),
    personal=("failure",),
)


REPORTS.begins(ReportScheduled, at="since")


REPORTS.follows(ReportRescheduled, at="since")
REPORTS.follows(ReportParametersChanged)
REPORTS.follows(ReportPaused, takes={"paused": "reason"})
REPORTS.follows(ReportResumed, at="since", paused=None)
REPORTS.follows(ReportSent, at="sent_at", takes={"handled": "last_day"}, failed_at=None, failure=None)
"""A failure is shown until the next email."""


REPORTS.follows(ReportFailed, at="failed_at", takes={"handled": "last_day", "failure": "reason"})
REPORTS.follows(ReportRemoved, at="removed_at")
REPORTS.follows(ReportRestored, at="since", removed_at=None)
REPORTS.ends(AccountErased, by="account_id")
