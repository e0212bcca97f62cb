"""`partner_15m`: clicks, conversions and commission per partner and quarter of an hour; others are left out."""

from __future__ import annotations

from typing import Final

from projectors.clickhouse import counters
from projectors.engine.tables import Rollup

NAME: Final = "partner_15m"
VERSION: Final = 2

_COUNTERS: Final = ("clicks", *counters.CONVERSIONS)

PARTNERS: Final = Rollup(
    name=NAME,
    version=VERSION,
    columns=(
        "website_id UUID",
        "bucket DateTime('UTC')",
        "is_bot Bool",
        "partner_id UUID",
        *counters.columns(_COUNTERS),
    ),
    partition_by="toYYYYMM(bucket)",
    order_by="(website_id, bucket, is_bot, partner_id)",
    period="toYYYYMM(bucket)",
    select=(
        f"SELECT website_id, {counters.BUCKET}, is_bot, partner_id, {counters.selected(_COUNTERS)}\n"
        "FROM {source} AS events WHERE ({where}) AND partner_id <> toUUID('00000000-0000-0000-0000-000000000000')\n"
        "GROUP BY website_id, bucket, is_bot, partner_id"
    ),
    keys=("website_id", "bucket", "is_bot", "partner_id"),
    sums=_COUNTERS,
)
