"""`country_15m`: clicks, page views, conversions and commission per country and quarter of an hour."""

from __future__ import annotations

from typing import Final

from projectors.clickhouse import counters
from projectors.engine.tables import Rollup

NAME: Final = "country_15m"
VERSION: Final = 2

_COUNTERS: Final = ("clicks", "pageviews", *counters.CONVERSIONS)

COUNTRIES: Final = Rollup(
    name=NAME,
    version=VERSION,
    columns=(
        "website_id UUID",
        "bucket DateTime('UTC')",
        "is_bot Bool",
        "country LowCardinality(String)",
        *counters.columns(_COUNTERS),
    ),
    partition_by="toYYYYMM(bucket)",
    order_by="(website_id, bucket, is_bot, country)",
    period="toYYYYMM(bucket)",
    select=(
        f"SELECT website_id, {counters.BUCKET}, is_bot, country, {counters.selected(_COUNTERS)}\n"
        "FROM {source} AS events WHERE {where} GROUP BY website_id, bucket, is_bot, country"
    ),
    keys=("website_id", "bucket", "is_bot", "country"),
    sums=_COUNTERS,
)
