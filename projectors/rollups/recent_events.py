"""`recent_events`: the last two days of rows in order of arrival, small and quick to read for the live view."""

from __future__ import annotations

from typing import Final

from projectors.engine.tables import Rollup

_COLUMNS: Final = (
    "website_id, received_at, occurred_at, event_id, type, visitor, country, device, path, source, partner_id, is_bot"
)

RECENT: Final = Rollup(
    name="recent_events",
    version=1,
    columns=(
        "website_id UUID",
        "received_at DateTime64(3, 'UTC')",
        "occurred_at DateTime64(3, 'UTC')",
        "event_id UUID",
        "type LowCardinality(String)",
        "visitor UInt64",
        "country LowCardinality(String)",
        "device LowCardinality(String)",
        "path String",
        "source LowCardinality(String)",
        "partner_id UUID",
        "is_bot Bool",
    ),
    partition_by="toYYYYMMDD(received_at)",
    order_by="(website_id, received_at)",
    period="toYYYYMMDD(received_at)",
    ttl="toDateTime(received_at) + INTERVAL 2 DAY",
    within="received_at > {now} - INTERVAL 1 DAY",
    select=(f"SELECT {_COLUMNS}\nFROM {{source}} WHERE ({{where}}) AND received_at > now64(3, 'UTC') - INTERVAL 2 DAY"),
    keys=("website_id", "received_at", "event_id"),
)
