"""`cost_changes`: what was spent on the traffic of websites, one row for what an event adds and one for what it takes.

The sums of `amount` are the current costs. An entry's days are in its row; the parts of single days are computed when
they are read (`query_api.analytics.cost_rows`). The rows of an event lie in one partition, so that they are inserted as
one.
"""

from __future__ import annotations

from typing import Final

from projectors.engine.tables import ClickHouseTable

COST_CHANGES: Final = ClickHouseTable(
    name="cost_changes",
    version=1,
    columns=(
        "website_id UUID",
        "cost_id UUID",
        "changed_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1))",
        "first Date",
        "last Date",
        "source LowCardinality(String)",
        "campaign String CODEC(ZSTD(1))",
        "term String CODEC(ZSTD(1))",
        "content String CODEC(ZSTD(1))",
        "link_id UUID",
        "placement LowCardinality(String)",
        "amount Int64",
        "currency LowCardinality(String)",
        "_topic LowCardinality(String)",
        "_partition UInt16",
        "_offset UInt64",
    ),
    partition_by="toYYYYMM(changed_at)",
    order_by="(website_id, last, first, cost_id)",
    period="toYYYYMM(changed_at)",
)
