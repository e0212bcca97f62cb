"""Inline projection `reports`: whose there are."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from command_api.kernel.decision import conflict
from command_api.kernel.inline_projection import InlineProjection, Table
from command_api.kernel.unit_of_work import Appended
from schemas.events.accounts import AccountErased
from schemas.events.analytics import (
    ReportPaused,
    ReportRemoved,
    ReportRestored,
    ReportResumed,
    ReportScheduled,
)

MAX_REPORTS: Final = 50
"""Reports of one person."""


REPORT_TABLE: Final = Table(
    "report",
    columns=(
        "report_id uuid not null",
        "account_id uuid not null",
        "website_id uuid",
        "is_paused boolean not null",
        "is_removed boolean not null",
    ),
    key=("report_id",),
    indexes=("account_id", "website_id"),
)


REPORT_LOOKUP: Final = InlineProjection("report_lookup", version=1, tables=(REPORT_TABLE,))


REPORT_TABLE.begins(ReportScheduled, is_paused=False, is_removed=False)


REPORT_TABLE.follows(ReportPaused, is_paused=True)


REPORT_TABLE.follows(ReportResumed, is_paused=False)


REPORT_TABLE.follows(ReportRemoved, is_removed=True)


REPORT_TABLE.follows(ReportRestored, is_removed=False)


REPORT_TABLE.ends(AccountErased, by="account_id")


def require_room_for_report(uow: Appended, account_id: UUID) -> None:
    """Raises `CommandRejected` when the person has too many reports."""
    if uow.select(_REPORTS_OF, account_id)[0][0] > MAX_REPORTS:
        raise conflict("too_many_reports", f"You can have {MAX_REPORTS} reports. Delete one first.")


ACTIVE_REPORTS: Final = "SELECT report_id FROM lookup.report WHERE NOT is_paused AND NOT is_removed"


_REPORTS_OF: Final = "SELECT count(*) FROM lookup.report WHERE account_id = %s AND NOT is_removed"
