"""`event_days`: number and fingerprint of the events of each UTC day of a website, conversions left out.

They tell whether a build of the day's visits (`projectors.visits`) has exactly these events.
"""

from __future__ import annotations

from typing import Final

from infra.domain.visits.statement import FINGERPRINT
from infra.domain.visits.tables import EVENT_DAYS as NAME
from projectors.engine.tables import Rollup

EVENT_DAYS: Final = Rollup(
    name=NAME,
    version=2,
    columns=(
        "website_id UUID",
        "day Date",
        "events SimpleAggregateFunction(sum, Int64)",
        "fingerprint SimpleAggregateFunction(sum, UInt64)",
    ),
    partition_by="toYYYYMM(day)",
    order_by="(website_id, day)",
    period="toYYYYMM(day)",
    select=(
        "SELECT website_id, toDate(occurred_at) AS day, toInt64(count()) AS events,\n"
        f"  sum({FINGERPRINT}) AS fingerprint\n"
        "FROM {source} WHERE ({where}) AND type <> 'conversion' GROUP BY website_id, day"
    ),
    keys=("website_id", "day"),
    sums=("events", "fingerprint"),
)
