"""Names of partners by id, for everything that shows figures of ClickHouse beside them."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from infra.identity import Pool

UNKNOWN = "Unknown partner"


def partner_names(pool: Pool, ids: Collection[str]) -> Mapping[str, str]:
    """Partner id (text) to name; those that are not known are not in it."""
    if not ids:
        return {}
    with pool.connection() as connection:
        rows = connection.execute(
            "SELECT id::text, name FROM read.partners WHERE id = ANY(%s::uuid[])", (list(ids),)
        ).fetchall()
    return {row[0]: row[1] for row in rows}
