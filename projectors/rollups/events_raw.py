"""`events`: every click, page view, custom event and conversion change, one row each, with its place in the log.

The columns are `schemas.tracking.COLUMNS`. Rows of topic `clicks` are the log's own JSON; rows of type `conversion` are
made from decided events by `projectors.rollups.conversion_rows`. Every rollup is fed from this table.
"""

from __future__ import annotations

from typing import Final

from projectors.engine.tables import ClickHouseTable
from schemas.tracking import COLUMNS, LOW, TIME, Column

NAME: Final = "events"
VERSION: Final = max(column.since for column in COLUMNS)
"""When rows change under the same columns, the new version is a number here as well."""

_CODEC: Final = "CODEC(ZSTD(1))"
_CODECS: Final = {LOW: "", TIME: "CODEC(Delta, ZSTD(1))", "_offset": "CODEC(Delta, ZSTD(1))"}
"""The codec by type or name, where it is not `_CODEC`."""


def _ddl(column: Column) -> str:
    codec = _CODECS.get(column.name, _CODECS.get(column.type, _CODEC))
    default = f"DEFAULT '{column.default}'" if column.type == LOW and column.default else ""
    return " ".join(filter(None, (column.name, column.type, default, codec)))


EVENTS: Final = ClickHouseTable(
    name=NAME,
    version=VERSION,
    columns=tuple(_ddl(column) for column in COLUMNS),
    partition_by="toYYYYMM(occurred_at)",
    order_by="(website_id, toDate(occurred_at), type, visitor, event_id)",
    period="toYYYYMM(occurred_at)",
)
