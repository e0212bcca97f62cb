"""`GET /api/platform/reports`: the caller's reports by email, when each is next due, and how the last one went."""

from __future__ import annotations

from datetime import datetime
from typing import Final
from uuid import UUID

from fastapi import APIRouter
from pydantic import Field

from infra.domain.reports.schedule import next_time
from query_api.kernel.dependencies import READS_OWN_WRITES, CallerScope
from query_api.kernel.postgres_reader import PostgresReader, Row
from schemas.events.analytics import ReportSchedule
from schemas.http.analytics import EmailReport
from schemas.zones import ZoneInfo

router = APIRouter(tags=["analytics"])


class ListedReport(EmailReport):
    """A report by email, when it is next due, and how the last one went."""

    domain: str | None = Field(description="Of the website, if the caller may see it")
    name: str | None = Field(description="Of the view or query; null if it was deleted, or is no longer shared")
    timezone: str = Field(description="In which the hour is")
    next_at: datetime | None = Field(description="Null while it is paused; a time that has passed: as soon as possible")
    sent_at: datetime | None
    failed_at: datetime | None = Field(description="If the last one could not be made")
    failure: str | None = Field(description="Why")


@router.get(
    "/api/platform/reports",
    dependencies=[READS_OWN_WRITES],
)
def get_reports(scope: CallerScope) -> list[ListedReport]:
    """The newest first."""
    me = scope.principal.account_id
    rows = scope.reader.rows(_REPORTS, (me,))
    websites = {one.id: one for one in scope.websites()} if any(row["website_id"] for row in rows) else {}
    names = _names(scope.reader, rows)
    own_zone = (scope.reader.row(_ZONE, (me,)) or {}).get("timezone") or "UTC"
    reports = []
    for row in rows:
        website = websites.get(row["website_id"])
        schedule = ReportSchedule.model_validate(row["schedule"])
        timezone = website.timezone if website else own_zone
        after = max(at for at in (row["since"], row["sent_at"], row["failed_at"]) if at is not None)
        next_at = next_time(schedule, ZoneInfo(timezone), after, handled=row["handled"])
        reports.append(
            ListedReport.of_row(
                row,
                **schedule.model_dump(),
                domain=website.domain if website else None,
                name=row["title"] or names.get(row["view_id"]),
                timezone=timezone,
                next_at=None if row["paused"] else next_at,
            )
        )
    return reports


def _names(reader: PostgresReader, rows: list[Row]) -> dict[UUID, str]:
    ids = [row["view_id"] for row in rows if row["view_id"]]
    return {row["id"]: row["name"] for row in reader.rows(_VIEWS, (ids,))} if ids else {}


_REPORTS: Final = (
    "SELECT r.id, r.website_id, r.view_id, r.query_id, r.schedule, r.parameters, r.since, r.paused, r.handled,"
    " r.sent_at, r.failed_at, r.failure, q.title FROM read.reports AS r"
    " LEFT JOIN read.saved_queries AS q ON q.id = r.query_id AND q.account_id = r.account_id AND q.removed_at IS NULL"
    " WHERE r.account_id = %s AND r.removed_at IS NULL ORDER BY r.id DESC"
)
_VIEWS: Final = "SELECT id, name FROM read.saved_views WHERE id = ANY(%s) AND removed_at IS NULL"
_ZONE: Final = "SELECT timezone FROM read.account_details WHERE account_id = %s"
