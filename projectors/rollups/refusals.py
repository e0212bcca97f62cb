"""`refusals`: events that ingest rejected and why, for the website's owner (topic `rejected`; each id once)."""

from __future__ import annotations

from typing import Final

from projectors.engine.tables import ClickHouseTable

REFUSALS: Final = ClickHouseTable(
    name="refusals",
    version=4,
    columns=(
        "id UUID",
        "website_id UUID",
        "at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1))",
        "outcome LowCardinality(String)",
        "code LowCardinality(String)",
        "message String CODEC(ZSTD(1))",
        "endpoint LowCardinality(String)",
        "key_kind LowCardinality(String)",
        "count UInt32 DEFAULT 1",
        "sample String CODEC(ZSTD(1))",
        "partner LowCardinality(String)",
        "report_id UUID",
        "request String CODEC(ZSTD(1))",
        "_topic LowCardinality(String)",
        "_partition UInt16",
        "_offset UInt64",
        "_text_key UInt32",
    ),
    partition_by="toYYYYMM(at)",
    order_by="(website_id, at, id)",
    period="toYYYYMM(at)",
)
