"""`visitors_15m`: distinct visitors and distinct clickers per quarter of an hour, as states that merge over any range.

A visitor of 0 (none could be made) is nobody and is not counted. Conversions bring no visitors of their own.
"""

from __future__ import annotations

from typing import Final

from projectors.engine.tables import Rollup
from projectors.rollups import counters

VISITORS: Final = Rollup(
    name="visitors_15m",
    version=1,
    columns=(
        *counters.CELL,
        "clickers AggregateFunction(uniqCombined(12), UInt64)",
        "visitors AggregateFunction(uniqCombined(12), UInt64)",
    ),
    partition_by="toYYYYMM(bucket)",
    order_by="(website_id, bucket, is_bot)",
    period="toYYYYMM(bucket)",
    granularity=256,
    select=(
        f"SELECT website_id, {counters.BUCKET}, is_bot,\n"
        "  uniqCombinedStateIf(12)(visitor, type = 'click') AS clickers, uniqCombinedState(12)(visitor) AS visitors\n"
        "FROM {source} WHERE ({where}) AND type <> 'conversion' AND visitor <> 0 GROUP BY website_id, bucket, is_bot"
    ),
    keys=("website_id", "bucket", "is_bot"),
    uniques=("clickers", "visitors"),
)
