"""What belongs to analysts' questions: the tables, what was asked before, kept queries, tokens of clients."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final, LiteralString
from urllib.parse import urlsplit
from uuid import UUID

from fastapi import APIRouter, Depends, Request, Response
from pydantic import BaseModel, Field

from infra.analysts import functions, limits
from infra.analysts.ledger import STALE_S
from infra.analysts.tables import DATABASE, SCHEMA
from query_api import paging
from query_api.context import AsAdmin, Context
from query_api.reader import Reader
from query_api.sql.asking import AnAnalyst, analyst

router = APIRouter(prefix="/api/platform/sql", tags=["sql"], dependencies=[Depends(analyst)])
admin_router = APIRouter(prefix="/api/admin/sql", tags=["sql"])

_LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")


class SqlColumn(BaseModel):
    name: str
    type: str
    comment: str


class SqlTable(BaseModel):
    name: str
    comment: str
    columns: list[SqlColumn]
    example: str | None


class SqlLimits(BaseModel):
    """What one statement may take."""

    seconds: int = limits.SECONDS
    rowsRead: int = limits.ROWS_READ
    resultRows: int = limits.RESULT_ROWS
    resultBytes: int = limits.RESULT_BYTES
    pageRows: int = limits.PAGE_ROWS
    memoryBytes: int = limits.MEMORY_BYTES
    running: int = Field(limits.RUNNING, description="Statements of one analyst at the same time")


class SqlConnection(BaseModel):
    """Where ClickHouse clients of analysts connect; null where that is another server than the stack's own."""

    url: str | None
    database: str
    user: str


class SqlSchema(BaseModel):
    tables: list[SqlTable]
    functions: list[str]
    limits: SqlLimits
    connection: SqlConnection


class AskedStatement(BaseModel):
    """A statement that ran or was refused."""

    id: UUID
    door: str = Field(description="sql page or clickhouse")
    sql: str
    tables: list[str]
    outcome: str = Field(description="running, done, failed, cancelled or refused")
    message: str
    rows: int
    rowsRead: int | None = Field(description="Null for who may not see all websites: it counts the others' rows, too")
    elapsedMs: int
    startedAt: datetime


class AnybodysStatement(AskedStatement):
    accountId: UUID
    email: str | None


class SavedQuery(BaseModel):
    id: UUID
    title: str
    sql: str
    createdAt: datetime


class SqlToken(BaseModel):
    """An access token of a ClickHouse client; the token itself was shown once."""

    id: UUID
    name: str
    last4: str
    createdAt: datetime
    lastUsedAt: datetime | None
    expiresAt: datetime


@router.get("/schema")
def get_sql_schema(context: Context, person: AnAnalyst) -> SqlSchema:
    """Tables with their columns in words, functions, limits, and where clients connect."""
    tables = [
        SqlTable(
            name=view.name,
            comment=view.comment,
            columns=[SqlColumn(name=one.name, type=one.type, comment=one.comment) for one in view.columns],
            example=view.example or None,
        )
        for view in SCHEMA.values()
    ]
    return SqlSchema(
        tables=tables,
        functions=functions.SPELLED,
        limits=SqlLimits(),
        connection=SqlConnection(
            url=_clients_url(context.settings.clickhouse_url), database=DATABASE, user=person.email
        ),
    )


@router.get("/history")
def get_sql_history(
    request: Request,
    response: Response,
    context: Context,
    person: AnAnalyst,
    limit: paging.Limit = 50,
    cursor: paging.Cursor = None,
) -> list[AskedStatement]:
    """One's own statements through either door, newest first."""
    rows = _page(request, response, Reader(context.pool, str(person.account_id)), _OWN, limit, cursor)
    return [AskedStatement(**_asked(row, counts=person.is_admin)) for row in rows]


@admin_router.get("/history")
def get_all_sql_history(
    request: Request, response: Response, theirs: AsAdmin, limit: paging.Limit = 50, cursor: paging.Cursor = None
) -> list[AnybodysStatement]:
    """Everybody's statements, newest first."""
    rows = _page(request, response, theirs.reader, _ALL, limit, cursor)
    return [
        AnybodysStatement(**_asked(row, counts=True), accountId=row["account_id"], email=row["email"]) for row in rows
    ]


@router.get("/queries")
def get_saved_queries(context: Context, person: AnAnalyst) -> list[SavedQuery]:
    """The queries that one keeps, by title."""
    rows = Reader(context.pool, str(person.account_id)).rows(_SAVED, (person.account_id,))
    return [SavedQuery(id=row["id"], title=row["title"], sql=row["text"], createdAt=row["created_at"]) for row in rows]


@router.get("/tokens")
def get_sql_tokens(context: Context, person: AnAnalyst) -> list[SqlToken]:
    """One's tokens that work, newest first."""
    rows = Reader(context.pool, str(person.account_id)).rows(_TOKENS, (person.account_id,))
    return [
        SqlToken(
            id=row["id"],
            name=row["name"],
            last4=row["last4"],
            createdAt=row["created_at"],
            lastUsedAt=row["last_used_at"],
            expiresAt=row["expires_at"],
        )
        for row in rows
    ]


def _page(
    request: Request, response: Response, reader: Reader, select: LiteralString, limit: int, cursor: str | None
) -> list[dict[str, Any]]:
    bound: dict[str, Any] = {"limit": limit + 1, "at": None, "id": None}
    if cursor is not None:
        bound["at"], bound["id"] = paging.decode(cursor, datetime, UUID)
    rows = reader.rows(select + _AFTER, bound)
    page = rows[:limit]
    last = paging.encode(page[-1]["started_at"], page[-1]["id"]) if len(rows) > limit else None
    paging.link_next(request, response, last)
    return page


def _asked(row: dict[str, Any], *, counts: bool) -> dict[str, Any]:
    is_lost = row["outcome"] == "running" and row["age"] > STALE_S
    return {
        "id": row["id"],
        "door": row["door"],
        "sql": row["text"],
        "tables": row["tables"],
        "outcome": "failed" if is_lost else row["outcome"],
        "message": "It ended with the process that ran it." if is_lost else row["message"],
        "rows": row["result_rows"],
        "rowsRead": row["read_rows"] if counts else None,
        "elapsedMs": row["ms"],
        "startedAt": row["started_at"],
    }


def _clients_url(url: str | None) -> str | None:
    parts = urlsplit(url or "")
    return f"{parts.scheme}://{parts.hostname}:{parts.port}" if parts.hostname in _LOOPBACK else None


_OWN: Final[LiteralString] = (
    "SELECT s.*, extract(epoch FROM now() - s.started_at)::float8 AS age FROM ops.sql_statement AS s"
    " WHERE s.account_id = (SELECT read.reader_account())"
)
_ALL: Final[LiteralString] = (
    "SELECT s.*, extract(epoch FROM now() - s.started_at)::float8 AS age, a.email FROM ops.sql_statement AS s"
    " LEFT JOIN read.accounts AS a ON a.id = s.account_id WHERE true"
)
_AFTER: Final[LiteralString] = (
    " AND (%(at)s::timestamptz IS NULL OR (s.started_at, s.id) < (%(at)s, %(id)s::uuid))"
    " ORDER BY s.started_at DESC, s.id DESC LIMIT %(limit)s"
)
_SAVED: Final[LiteralString] = (
    "SELECT id, title, text, created_at FROM ops.saved_query WHERE account_id = %s ORDER BY lower(title), id"
)
_TOKENS: Final[LiteralString] = (
    "SELECT id, name, last4, created_at, last_used_at, expires_at FROM auth.sql_token WHERE account_id = %s"
    " AND revoked_at IS NULL AND expires_at > now() ORDER BY created_at DESC, id"
)
