"""Lists of what members have, for admins: whose each is, searched, sorted and paged."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Final
from uuid import UUID

from fastapi import Query

from query_api.kernel.pagination import Page
from query_api.kernel.postgres_reader import PostgresReader, Row
from schemas.http.responses import ResponseModel


class OwnedSort(StrEnum):
    """`created`: newest first; `name`: by the alphabet."""

    CREATED = "created"
    NAME = "name"


class MemberItem(ResponseModel):
    """What a member has."""

    id: UUID
    created_at: datetime
    owner_id: UUID
    owner_name: str
    owner_email: str


Search = Annotated[str | None, Query(max_length=200, description="Part of the name, or of its owner's name or address")]
OwnerId = Annotated[UUID | None, Query(alias="ownerId", description="Only what this account has")]

OWNER: Final = "o.id AS owner_id, o.name AS owner_name, o.email AS owner_email"
"""The columns of the owner, whose row of `read.accounts` is `o`."""


def owned_rows(
    page: Page, reader: PostgresReader, select: str, sort: OwnedSort, search: str | None, values: Mapping[str, Any]
) -> list[Row]:
    """Reads one page of `select`, which gives `id`, `created_at` and `sort_name`, and finds `%(search)s` in lower case.
    Raises `Problem` 400 for a cursor of another order."""
    bound = {**values, "search": search.strip().casefold() or None if search else None}
    rows = f"SELECT * FROM ({select}) AS owned"  # noqa: S608 - own text
    if sort is OwnedSort.CREATED:
        return page.rows(reader, f"{rows}{_NEWEST}", "created_at", bound)
    name, last = page.after(str, UUID)
    named = reader.rows(f"{rows}{_BY_NAME}", {**bound, "name": name, "last": last, "limit": page.limit + 1})
    return page.take(named, "sort_name", "id")


_NEWEST: Final = (
    " WHERE %(at)s::timestamptz IS NULL OR (created_at, id) < (%(at)s, %(last)s)"
    " ORDER BY created_at DESC, id DESC LIMIT %(limit)s"
)
_BY_NAME: Final = (
    " WHERE %(name)s::text IS NULL OR (sort_name, id) > (%(name)s, %(last)s) ORDER BY sort_name, id LIMIT %(limit)s"
)
