"""`kept-apart`: what the figures leave out, by reason: machines, and what is suspicious. Most events first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Final

from pydantic import BaseModel, Field

from query_api.analytics.filters import Bots
from query_api.analytics.metrics import Source, uniques
from query_api.analytics.ranges import Range
from query_api.analytics.reading import Selection, rows
from query_api.columnar import Query, Row
from schemas.tracking import Suspicion


class Kind(StrEnum):
    """A machine says or shows what it is; suspicious is what looks like people, and probably is faked."""

    BOT = "bot"
    SUSPICIOUS = "suspicious"


class KeptApart(BaseModel):
    """Events that were kept and are not in the figures, for one reason."""

    reason: str = Field(description="Value of the filter `reason`: crawler, rate, changing_agents, ...")
    kind: Kind
    clicks: int
    pageviews: int
    events: int = Field(description="Clicks, page views and custom events")
    visitors: int = Field(description="Distinct visitors that they would have counted as")


_SUSPICIONS: Final = frozenset(Suspicion)


def query(selection: Selection, range_: Range) -> Query:
    """One row per reason; filters hold, and `bots` is what this is about."""
    counted = rows(Source.RAW, replace(selection, bots=Bots.ONLY), range_.start, range_.end)
    sql = (
        "SELECT toString(t.bot_reason) AS reason, countIf(t.type = 'click') AS clicks,"
        f" countIf(t.type = 'pageview') AS pageviews, count() AS events, {uniques(Source.RAW)}"
        f" {counted.sql} AND t.type <> 'conversion' GROUP BY reason ORDER BY events DESC, reason"
    )
    return Query(sql, counted.parameters)


def answer(found: Sequence[Row]) -> list[KeptApart]:
    """From the rows of `query`."""
    return [
        KeptApart(
            reason=row["reason"],
            kind=Kind.SUSPICIOUS if row["reason"] in _SUSPICIONS else Kind.BOT,
            clicks=row["clicks"],
            pageviews=row["pageviews"],
            events=row["events"],
            visitors=row["unique_visitors"],
        )
        for row in found
    ]
