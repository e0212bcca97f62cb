"""`traffic_15m`: clicks, page views, custom events, conversions and commission of a website per quarter of an hour."""

from __future__ import annotations

from typing import Final

from projectors.clickhouse import counters
from projectors.engine.tables import Rollup

NAME: Final = "traffic_15m"
VERSION: Final = 2

TRAFFIC: Final = Rollup(
    name=NAME,
    version=VERSION,
    columns=("website_id UUID", "bucket DateTime('UTC')", "is_bot Bool", *counters.columns(counters.ALL)),
    partition_by="toYYYYMM(bucket)",
    order_by="(website_id, bucket, is_bot)",
    period="toYYYYMM(bucket)",
    select=(
        f"SELECT website_id, {counters.BUCKET}, is_bot, {counters.selected(counters.ALL)}\n"
        "FROM {source} AS events WHERE {where} GROUP BY website_id, bucket, is_bot"
    ),
    keys=("website_id", "bucket", "is_bot"),
    sums=counters.ALL,
)
