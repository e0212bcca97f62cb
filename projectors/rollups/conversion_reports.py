"""`conversion_reports`: reported leads and sales by time of arrival, one row for each record of topic `conversions`.

`outcome` is `accepted`, `duplicate` for a report that the partition already held, or `conflict` for one that ingest
rejected because of its amount; a conflict is in `refusals`, too. What a report counts for is a decision: see
`conversions`.
"""

from __future__ import annotations

from typing import Final

from projectors.engine.tables import ClickHouseTable

CONVERSION_REPORTS: Final = ClickHouseTable(
    name="conversion_reports",
    version=2,
    columns=(
        "report_id UUID",
        "website_id UUID",
        "received_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1))",
        "reported_by LowCardinality(String)",
        "key_kind LowCardinality(String)",
        "partner_id UUID",
        "outcome LowCardinality(String)",
        "_topic LowCardinality(String)",
        "_partition UInt16",
        "_offset UInt64",
        "_text_key UInt32",
    ),
    partition_by="toYYYYMM(received_at)",
    order_by="(website_id, received_at, report_id)",
    period="toYYYYMM(received_at)",
)
