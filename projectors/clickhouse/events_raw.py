"""`events`: every click, page view, custom event and conversion change, one row each, with its place in the log.

Rows of topic `clicks` are the log's own JSON (`schemas.tracking.TrackedEvent`); rows of type `conversion` are made from
decided events by `projectors.clickhouse.conversion_rows`. Every rollup is fed from this table.
"""

from __future__ import annotations

from typing import Final

from projectors.engine.tables import Table

NAME: Final = "events"
VERSION: Final = 2

LOW: Final = "LowCardinality(String)"
PACKED: Final = "CODEC(ZSTD(1))"

EVENTS: Final = Table(
    name=NAME,
    version=VERSION,
    columns=(
        f"website_id UUID {PACKED}",
        f"event_id UUID {PACKED}",
        f"type {LOW}",
        "occurred_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1))",
        "received_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1))",
        f"visitor UInt64 {PACKED}",
        f"session UInt64 {PACKED}",
        f"hostname {LOW}",
        f"path String {PACKED}",
        f"title String {PACKED}",
        f"referrer_host {LOW}",
        f"source {LOW}",
        f"channel {LOW}",
        f"utm_source {LOW}",
        f"utm_medium {LOW}",
        f"utm_campaign {LOW}",
        f"utm_content {LOW}",
        f"utm_term {LOW}",
        f"country {LOW} DEFAULT 'ZZ'",
        f"region {LOW}",
        f"device {LOW}",
        f"browser {LOW}",
        f"os {LOW}",
        f"is_bot Bool {PACKED}",
        f"bot_reason {LOW}",
        f"click_id String {PACKED}",
        f"link_id UUID {PACKED}",
        f"partner_id UUID {PACKED}",
        *(f"sub{number} String {PACKED}" for number in range(1, 11)),
        f"value Int64 {PACKED}",
        f"currency {LOW}",
        f"props String {PACKED}",
        f"flags {LOW}",
        f"origin {LOW} DEFAULT 'server'",
        f"conversion_id UUID {PACKED}",
        f"event_name {LOW}",
        f"d_pending Int8 {PACKED}",
        f"d_approved Int8 {PACKED}",
        f"d_rejected Int8 {PACKED}",
        f"d_reversed Int8 {PACKED}",
        f"c_pending Int64 {PACKED}",
        f"c_approved Int64 {PACKED}",
        f"c_reversed Int64 {PACKED}",
        f"_topic {LOW}",
        f"_partition UInt16 {PACKED}",
        "_offset UInt64 CODEC(Delta, ZSTD(1))",
    ),
    partition_by="toYYYYMM(occurred_at)",
    order_by="(website_id, toDate(occurred_at), type, visitor, event_id)",
    period="toYYYYMM(occurred_at)",
)
