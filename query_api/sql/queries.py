"""`GET /api/platform/sql/queries`: an analyst's own saved queries and shared ones of others; their versions."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Final
from uuid import UUID

from fastapi import APIRouter, Depends, Path
from pydantic import Field

from infra.domain.sql_access.analyst_accounts import Analyst
from query_api.kernel.authorization import require_existing
from query_api.kernel.dependencies import READS_OWN_WRITES, Context, Services
from query_api.kernel.pagination import Page50, bounded
from query_api.kernel.postgres_reader import PostgresReader
from query_api.sql.statements import AnAnalyst, analyst
from schemas.http.responses import ResponseModel
from schemas.http.sql import QueryHead, SavedQuery

router = APIRouter(prefix="/api/platform/sql/queries", tags=["sql"], dependencies=[Depends(analyst)])
QueryId = Annotated[UUID, Path(alias="id")]


class QueryOrigin(ResponseModel):
    """Whose a query is."""

    is_own: bool
    may_change: bool = Field(description="Whether the caller is its author, or an admin and it is shared")
    author_name: str = Field(description="Of a shared query")
    created_at: datetime
    changed_at: datetime


class ListedQuery(QueryHead, QueryOrigin):
    """A saved query in a list."""

    excerpt: str = Field(description="The first 200 characters of its text")


class QueryInFull(SavedQuery, QueryOrigin):
    """A saved query with its text, and whose it is."""


class QueryVersion(ResponseModel):
    """One version of a query."""

    number: int
    title: str
    sql: str
    restored_from: int | None = Field(description="The version whose content it has again")
    by_author: bool = Field(description="Else an admin saved it")
    saved_at: datetime


@router.get("", dependencies=[READS_OWN_WRITES])
def get_saved_queries(context: Context, person: AnAnalyst) -> list[ListedQuery]:
    """The caller's own queries, then shared ones; each by title, with the beginning of its text."""
    rows = PostgresReader.of_analyst(context.pool, person.account_id).rows(_LIST, (person.account_id,))
    return [ListedQuery.of_row(row, **_rights(row, person)) for row in rows]


@router.get("/{id}", dependencies=[READS_OWN_WRITES])
def get_saved_query(query_id: QueryId, context: Context, person: AnAnalyst) -> QueryInFull:
    """One query, the caller's own or a shared one."""
    query = require_query(context, person, query_id)
    return QueryInFull.of_row(query, **_rights(query, person))


@router.get("/{id}/versions", dependencies=[READS_OWN_WRITES])
def get_query_versions(query_id: QueryId, context: Context, person: AnAnalyst, page: Page50) -> list[QueryVersion]:
    """The last versions of a query, newest first; a page ends with the version that reaches 512 KiB of text."""
    query = require_query(context, person, query_id)
    values = {"id": query["id"], "before": page.behind(_NEWEST), "limit": page.limit + 1}
    rows = PostgresReader.of_analyst(context.pool, person.account_id).rows(bounded(_VERSIONS, "sql"), values)
    return [QueryVersion.of_row(row) for row in page.take(rows, "number")]


def require_query(context: Services, person: Analyst, query_id: UUID) -> dict[str, Any]:
    """The row of a query that the person may see. Raises `Problem` 404."""
    return require_existing(PostgresReader.of_analyst(context.pool, person.account_id).row(_ONE, (query_id,)), "query")


def _rights(row: dict[str, Any], person: Analyst) -> dict[str, bool]:
    is_own = row["account_id"] == person.account_id
    return {"is_own": is_own, "may_change": is_own or person.is_admin}


_NEWEST: Final = 2**31 - 1
_HEAD: Final = "SELECT id, account_id, title, number AS version, is_shared, author_name, created_at, changed_at"
_SAVED: Final = "FROM read.saved_queries WHERE removed_at IS NULL"
_LIST: Final = f"{_HEAD}, left(text, 200) AS excerpt {_SAVED} ORDER BY (account_id = %s) DESC, lower(title), id"
_ONE: Final = f"{_HEAD}, text AS sql {_SAVED} AND id = %s"
_VERSIONS: Final = (
    "SELECT number, title, text AS sql, restored_from, saved_by IS NOT DISTINCT FROM account_id AS by_author, saved_at"
    " FROM read.query_versions WHERE query_id = %(id)s AND number < %(before)s ORDER BY number DESC LIMIT %(limit)s"
)
