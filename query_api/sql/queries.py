"""`GET /api/platform/sql/queries`: an analyst's own saved queries and shared ones of others; their versions."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Final
from uuid import UUID

from fastapi import APIRouter, Depends, Path
from pydantic import Field

from infra.domain.sql_access.analyst_accounts import Analyst
from query_api.kernel.authorization import require_existing
from query_api.kernel.dependencies import Context, Reads, Services
from query_api.kernel.postgres_reader import Reader
from query_api.kernel.responses import RowModel
from query_api.sql.statements import AnAnalyst, analyst

router = APIRouter(prefix="/api/platform/sql/queries", tags=["sql"], dependencies=[Depends(analyst)])
QueryId = Annotated[UUID, Path(alias="id")]


class SavedQuery(RowModel):
    """A query that an analyst saved."""

    id: UUID
    title: str
    sql: str
    version: int = Field(description="Number of the current version")
    isShared: bool = Field(description="Whether all analysts may see and run it")
    isOwn: bool
    mayChange: bool = Field(description="Whether the caller is its author, or an admin and it is shared")
    authorName: str = Field(description="Of a shared query")
    createdAt: datetime
    changedAt: datetime


class QueryVersion(RowModel):
    """One version of a query."""

    number: int
    title: str
    sql: str
    restoredFrom: int | None = Field(description="The version whose content it has again")
    byAuthor: bool = Field(description="Else an admin saved it")
    savedAt: datetime


@router.get("", dependencies=[Depends(Reads("saved_queries"))])
def get_saved_queries(context: Context, person: AnAnalyst) -> list[SavedQuery]:
    """The caller's own queries, then shared ones; each by title."""
    rows = Reader.of_analyst(context.pool, person.account_id).rows(_LIST, (person.account_id,))
    return [_shown(row, person) for row in rows]


@router.get("/{id}", dependencies=[Depends(Reads("saved_queries"))])
def get_saved_query(query_id: QueryId, context: Context, person: AnAnalyst) -> SavedQuery:
    """One query, the caller's own or a shared one."""
    return _shown(require_query(context, person, query_id), person)


@router.get("/{id}/versions", dependencies=[Depends(Reads("saved_queries", "query_versions"))])
def get_query_versions(query_id: QueryId, context: Context, person: AnAnalyst) -> list[QueryVersion]:
    """The last versions of a query, newest first."""
    query = require_query(context, person, query_id)
    rows = Reader.of_analyst(context.pool, person.account_id).rows(_VERSIONS, (query["id"],))
    return [QueryVersion.of_row(row) for row in rows]


def require_query(context: Services, person: Analyst, query_id: UUID) -> dict[str, Any]:
    """The row of a query that the person may see. Raises `Problem` 404."""
    return require_existing(Reader.of_analyst(context.pool, person.account_id).row(_ONE, (query_id,)), "query")


def _shown(row: dict[str, Any], person: Analyst) -> SavedQuery:
    is_own = row["account_id"] == person.account_id
    return SavedQuery.of_row(row, is_own=is_own, may_change=is_own or person.is_admin)


_COLUMNS: Final = (
    "SELECT id, account_id, title, text AS sql, number AS version, is_shared, author_name, created_at, changed_at"
    " FROM read.saved_queries WHERE removed_at IS NULL"
)
_LIST: Final = f"{_COLUMNS} ORDER BY (account_id = %s) DESC, lower(title), id"
_ONE: Final = f"{_COLUMNS} AND id = %s"
_VERSIONS: Final = (
    "SELECT number, title, text AS sql, restored_from, saved_by IS NOT DISTINCT FROM account_id AS by_author, saved_at"
    " FROM read.query_versions WHERE query_id = %s ORDER BY number DESC"
)
