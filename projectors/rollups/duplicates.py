"""`duplicates`: events whose id the log already held, with the place of the first (`first_offset`, as
`infra.kernel.log.partitions.place_of` reads it); never counted anywhere else.

The canary's events (`schemas.canary`) lie here as well, each its own first: so that no figure sees them; also records
that were moved to the partition of their id (`infra.kernel.log.partitions`).

`is_conflict` marks an id that came again with other content. Written by the projection `events` in the same step as
its rows.
"""

from __future__ import annotations

from typing import Final

from projectors.engine.tables import ClickHouseTable

DUPLICATES: Final = ClickHouseTable(
    name="duplicates",
    version=2,
    columns=(
        "website_id UUID",
        "event_id UUID",
        "received_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1))",
        "is_conflict Bool",
        "first_offset UInt64",
        "_topic LowCardinality(String)",
        "_partition UInt16",
        "_offset UInt64",
        "_text_key UInt32",
    ),
    partition_by="toYYYYMM(received_at)",
    order_by="(website_id, received_at, event_id)",
    period="toYYYYMM(received_at)",
)
