"""Traffic excluded from metrics, by reason: bots and suspicious traffic. Most events first."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import Final

from fastapi import Response
from pydantic import Field

from query_api.analytics import statement
from query_api.analytics.metrics import UNIQUES
from query_api.analytics.query_plan import TablePlan
from query_api.analytics.request import AnalyticsRequest
from schemas.http.analytics import Bots
from schemas.http.responses import ResponseModel
from schemas.tracking import Suspicion


class Kind(StrEnum):
    """`bot`: declared or detected bots; `suspicious`: traffic like that of people that is probably faked."""

    BOT = "bot"
    SUSPICIOUS = "suspicious"


class ExcludedTraffic(ResponseModel):
    """Stored events that metrics exclude, for one reason."""

    reason: str = Field(description="Value of the filter `reason`: crawler, rate, changing_agents, ...")
    kind: Kind
    clicks: int
    pageviews: int
    events: int = Field(description="Clicks, page views and custom events")
    visitors: int = Field(description="Distinct visitors that they would have counted")


_SUSPICIONS: Final = frozenset(Suspicion)


def read(request: AnalyticsRequest, response: Response) -> list[ExcludedTraffic]:
    """Returns one row per reason; filters apply, except `bots`, which is always `only`."""
    plan = TablePlan(
        replace(request.selection, bots=Bots.ONLY),
        request.range,
        UNIQUES,
        columns=("bot_reason", "type"),
        before=(
            "toString(t.bot_reason) AS reason, countIf(t.type = 'click') AS clicks",
            "countIf(t.type = 'pageview') AS pageviews, count() AS events",
        ),
        where="t.type <> 'conversion'",
        group="reason",
        order="events DESC, reason",
    )
    [rows] = request.read(response, statement.table(plan))
    return [
        ExcludedTraffic.of_row(
            row,
            kind=Kind.SUSPICIOUS if row["reason"] in _SUSPICIONS else Kind.BOT,
            visitors=row["unique_visitors"],
        )
        for row in rows
    ]
