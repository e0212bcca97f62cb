"""`GET /api/platform/websites/{id}/retention`: how long single events of a website are kept; what a setting deletes."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Annotated, Final
from uuid import UUID

from fastapi import APIRouter, Query
from pydantic import Field

from infra.domain.retention import TAKEN_BACK_WITHIN, expired_before, first_kept_day, wanted_before
from infra.domain.visits.tables import EVENT_DAYS
from query_api.kernel import clickhouse_reader
from query_api.kernel.authorization import AccountScope, Website
from query_api.kernel.clickhouse_reader import live_table
from query_api.kernel.dependencies import READS_OWN_WRITES, CallerScope, Context, Services
from schemas.events.websites import MAX_RAW_MONTHS
from schemas.http.responses import ResponseModel

router = APIRouter(prefix="/api/platform/websites", tags=["websites"])

Months = Annotated[
    int | None,
    Query(alias="rawMonths", ge=1, le=MAX_RAW_MONTHS, description="A setting to look at; without it, the present one"),
]


class RetentionForecast(ResponseModel):
    """What a setting would delete, if it applied now."""

    raw_months: int
    kept_from: date = Field(description="The first day whose single events would be kept, in the website's time zone")
    events: int = Field(description="Clicks, page views and custom events that would be deleted")
    is_held_back: bool = Field(
        description="Whether more is kept than the setting says, because a sale may still be attributed by it"
    )


class RetentionSetting(ResponseModel):
    """How long clicks, page views and custom events are kept. Sums of them and conversions are kept permanently."""

    raw_months: int | None = Field(description="Whole months before the current one; null: permanently")
    applies_from: datetime | None = Field(description="Nothing expires by the setting before; null: nothing ever does")
    kept_from: date | None = Field(description="The first day whose single events are there; null: all are")
    forecast: RetentionForecast | None


@router.get("/{id}/retention", dependencies=[READS_OWN_WRITES])
def get_retention(id: UUID, context: Context, scope: CallerScope, raw_months: Months = None) -> RetentionSetting:
    """The setting, and what it or another one deletes."""
    website = scope.website(id)
    row = scope.reader.row("SELECT raw_months, changed_at FROM read.retention WHERE website_id = %s", (website.id,))
    set_months = row["raw_months"] if row is not None else None
    months = raw_months or set_months
    return RetentionSetting(
        raw_months=set_months,
        applies_from=row["changed_at"] + TAKEN_BACK_WITHIN if row is not None and set_months is not None else None,
        kept_from=first_kept_day(website.expired_before, website.zone) if website.expired_before else None,
        forecast=_forecast(scope, context, website, months) if months is not None else None,
    )


def _forecast(scope: AccountScope, context: Services, website: Website, months: int) -> RetentionForecast:
    bound = {"website": str(website.id)}
    promoted, days = context.query_coalescer.all(
        clickhouse_reader.Query(_PARTNERS, bound), clickhouse_reader.Query(_DAYS, bound)
    )
    partners = [row["partner_id"] for row in promoted]
    longest = scope.reader.row("SELECT max(cookie_days) AS days FROM read.partners WHERE id = ANY(%s)", (partners,))
    window = (longest["days"] or 0) if longest is not None else 0
    now = datetime.now(UTC)
    cutoff = expired_before(months, website.zone, now, window)
    target = wanted_before(months, website.zone, now)
    since = website.expired_before or date.min
    return RetentionForecast(
        raw_months=months,
        kept_from=first_kept_day(max(cutoff, since), website.zone),
        events=sum(row["events"] for row in days if since <= row["day"] < cutoff),
        is_held_back=cutoff < target,
    )


_PARTNERS: Final = (
    f"SELECT DISTINCT t.partner_id AS partner_id FROM {live_table('partner_15m')} AS t"  # noqa: S608 - own text
    " WHERE t.website_id = {website:UUID}"
)
_DAYS: Final = (
    f"SELECT d.day AS day, toInt64(sum(d.events)) AS events FROM {live_table(EVENT_DAYS)} AS d"  # noqa: S608 - own text
    " WHERE d.website_id = {website:UUID} GROUP BY day"
)
