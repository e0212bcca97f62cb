"""Analysts' SQL: the schema, the statement history, client tokens."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final
from urllib.parse import urlsplit
from uuid import UUID

from fastapi import APIRouter, Depends
from pydantic import Field

from infra.domain.sql_access import functions, limits
from infra.domain.sql_access.statement_log import IS_ALIVE
from infra.domain.sql_access.tables import DATABASE, SCHEMA
from query_api.kernel.dependencies import AdminScope, Context
from query_api.kernel.pagination import Page50, bounded
from query_api.kernel.postgres_reader import PostgresReader
from query_api.sql.statements import AnAnalyst, analyst
from schemas.http.responses import ResponseModel
from schemas.http.sql import SqlToken

router = APIRouter(prefix="/api/platform/sql", tags=["sql"], dependencies=[Depends(analyst)])
admin_router = APIRouter(prefix="/api/admin/sql", tags=["sql"])

_LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")


class SqlColumn(ResponseModel):
    """A column that statements can name. `type`: its ClickHouse type."""

    name: str
    type: str
    comment: str


class SqlTable(ResponseModel):
    """A table that statements can read. `example`: a statement that runs as it stands."""

    name: str
    comment: str
    columns: list[SqlColumn]
    example: str | None


class SqlLimits(ResponseModel):
    """What one statement may take."""

    seconds: int = limits.SECONDS
    rows_read: int = limits.ROWS_READ
    result_rows: int = limits.RESULT_ROWS
    result_bytes: int = limits.RESULT_BYTES
    page_rows: int = limits.PAGE_ROWS
    memory_bytes: int = limits.MEMORY_BYTES
    running: int = Field(limits.RUNNING, description="Statements of one analyst at the same time")


class SqlConnection(ResponseModel):
    """Where ClickHouse clients of analysts connect; null where that is another server than the stack's own."""

    url: str | None
    database: str
    user: str


class SqlSchema(ResponseModel):
    """All that a statement can use: tables, functions and limits; and where clients connect."""

    tables: list[SqlTable]
    functions: list[str]
    limits: SqlLimits
    connection: SqlConnection


class AskedStatement(ResponseModel):
    """A statement that ran or was rejected."""

    id: UUID
    door: str = Field(description="sql page, dashboard, email report or clickhouse")
    sql: str
    tables: list[str]
    outcome: str = Field(description="running, done, failed, cancelled or refused")
    message: str
    rows: int
    rows_read: int | None = Field(
        description="Null unless the caller is an admin: it counts rows of other accounts, too"
    )
    elapsed_ms: int
    started_at: datetime


class AnybodysStatement(AskedStatement):
    """A statement, with the account that sent it."""

    account_id: UUID
    email: str | None


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
def get_sql_history(context: Context, person: AnAnalyst, page: Page50) -> list[AskedStatement]:
    """The caller's statements from the page and from clients, newest first."""
    rows = page.rows(PostgresReader(context.pool, str(person.account_id)), bounded(_OWN + _AFTER, "sql"), "started_at")
    return [AskedStatement.of_row(row, **_state(row, counts=person.is_admin)) for row in rows]


@admin_router.get("/history")
def get_all_sql_history(scope: AdminScope, page: Page50) -> list[AnybodysStatement]:
    """Statements of all analysts, newest first."""
    rows = page.rows(scope.reader, bounded(_ALL + _AFTER, "sql"), "started_at")
    return [AnybodysStatement.of_row(row, **_state(row, counts=True)) for row in rows]


@router.get("/tokens")
def get_sql_tokens(context: Context, person: AnAnalyst) -> list[SqlToken]:
    """Your valid tokens, newest first."""
    rows = PostgresReader(context.pool, str(person.account_id)).rows(_TOKENS, (person.account_id,))
    return [SqlToken.of_row(row) for row in rows]


def _state(row: dict[str, Any], *, counts: bool) -> dict[str, Any]:
    rows_read = row["read_rows"] if counts else None
    if row["outcome"] == "running" and not row["is_alive"]:
        return {"rows_read": rows_read, "outcome": "failed", "message": "It ended with the process that ran it."}
    return {"rows_read": rows_read}


def _clients_url(url: str | None) -> str | None:
    parts = urlsplit(url or "")
    return f"{parts.scheme}://{parts.hostname}:{parts.port}" if parts.hostname in _LOOPBACK else None


_COLUMNS: Final = (
    "s.id, account_id, door, text AS sql, s.tables, s.outcome, s.message, s.result_rows AS rows, s.read_rows,"
    f" s.ms AS elapsed_ms, s.started_at, s.outcome = 'running' AND {IS_ALIVE} AS is_alive"
)
_OWN: Final = f"SELECT {_COLUMNS} FROM sql.statement AS s WHERE s.account_id = (SELECT read.reader_account())"  # noqa: S608 - own text
_ALL: Final = (
    f"SELECT {_COLUMNS}, a.email FROM sql.statement AS s"  # noqa: S608 - own text
    " LEFT JOIN read.accounts AS a ON a.id = s.account_id WHERE true"
)
_AFTER: Final = (
    " AND (%(at)s::timestamptz IS NULL OR (s.started_at, s.id) < (%(at)s, %(last)s::uuid))"
    " ORDER BY s.started_at DESC, s.id DESC LIMIT %(limit)s"
)
_TOKENS: Final = (
    "SELECT id, name, last4, created_at, last_used_at, expires_at FROM sql.token WHERE account_id = %s"
    " AND revoked_at IS NULL AND expires_at > now() ORDER BY created_at DESC, id"
)
