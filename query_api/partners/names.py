"""Names of partners by id, for everything that shows figures of ClickHouse beside them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final
from uuid import UUID

from query_api.kernel.postgres_reader import PostgresReader

UNKNOWN = "Unknown partner"


def partner_names(reader: PostgresReader, ids: Collection[str]) -> Mapping[str, str]:
    """Partner id (text) to name; those that are not known are not in it."""
    if not ids:
        return {}
    rows = reader.rows("SELECT id::text, name FROM read.partners WHERE id = ANY(%s::uuid[])", (list(ids),))
    return {row["id"]: row["name"] for row in rows}


def names_for_website(reader: PostgresReader, website_id: UUID, ids: Collection[str]) -> Mapping[str, str]:
    """The same for all who may read the website: names of the directory, and of its owner's private partners.
    `reader`: an admin's, because it is read once for all of them."""
    if not ids:
        return {}
    rows = reader.rows(_FOR_WEBSITE, {"ids": list(ids), "website": website_id})
    return {row["id"]: row["name"] for row in rows}


_FOR_WEBSITE: Final = (
    "SELECT p.id::text, p.name FROM read.partners AS p WHERE p.id = ANY(%(ids)s::uuid[])"
    " AND (p.account_id IS NULL OR p.account_id ="
    " (SELECT account_id FROM read.websites WHERE id = %(website)s))"
)
