"""Names of partners by id, for everything that shows figures of ClickHouse beside them."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from query_api.kernel.postgres_reader import Reader

UNKNOWN = "Unknown partner"


def partner_names(reader: Reader, ids: Collection[str]) -> Mapping[str, str]:
    """Partner id (text) to name; those that are not known are not in it."""
    if not ids:
        return {}
    rows = reader.rows("SELECT id::text, name FROM read.partners WHERE id = ANY(%s::uuid[])", (list(ids),))
    return {row["id"]: row["name"] for row in rows}
