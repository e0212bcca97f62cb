"""`/api/platform/sql/queries` and `/tokens`: rows that belong to one analyst, written and taken away at once.

They decide nothing that anything else follows from, so they are plain rows and no events; making and revoking a token
leaves an entry in the audit trail, in the same transaction. The token itself is known in one answer only.
"""

from __future__ import annotations

import secrets
from datetime import datetime
from typing import Annotated, Any, Final, LiteralString
from uuid import UUID

import psycopg
from fastapi import APIRouter, Depends, Response
from psycopg import Connection
from pydantic import StringConstraints

from command_api.decision import Refused, conflict, missing
from command_api.http import Answer, Body, Id, Run, Runs
from infra.analysts.limits import TEXT_BYTES
from infra.analysts.people import ROLES, TOKEN_PREFIX, token_hash
from infra.audit_trail import Entry, record
from schemas.uuid7 import uuid7

TOKENS_MOST: Final = 10
QUERIES_MOST: Final = 500

Title = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=120)]


def analysts_only(run: Runs) -> Run:
    """Raises `Refused` for anybody but analysts and admins."""
    if not ROLES & run.person.roles:
        raise Refused("forbidden", "not_allowed", "Only analysts and admins may do this.")
    return run


router = APIRouter(prefix="/api/platform/sql", tags=["sql"])
AnalystRuns = Annotated[Run, Depends(analysts_only)]


class SaveQuery(Body):
    title: Title
    sql: Annotated[str, StringConstraints(min_length=1, max_length=TEXT_BYTES)]


class SavedQuery(Answer):
    id: UUID
    title: str
    sql: str
    created_at: datetime


class CreateSqlToken(Body):
    name: Title


class CreatedSqlToken(Answer):
    """The token is shown in this answer only."""

    id: UUID
    name: str
    token: str
    last4: str
    created_at: datetime


@router.post("/queries", status_code=201)
def save_query(body: SaveQuery, run: AnalystRuns) -> SavedQuery:
    """Keeps a query under a title; one with the same title is replaced."""
    values = {"id": uuid7(), "account": run.person.account_id, "title": body.title, "text": body.sql}
    with run.core.pool.connection() as connection:
        _lock(connection, run.person.account_id)
        if _count(connection, _OTHER_QUERIES, values) >= QUERIES_MOST:
            raise conflict("too_many", f"You can keep {QUERIES_MOST} queries. Delete one first.")
        found = _first(connection.execute(_SAVE, values).fetchone())
    return SavedQuery(id=found[0], title=body.title, sql=body.sql, created_at=found[1])


@router.delete("/queries/{id}", status_code=204)
def delete_saved_query(query_id: Id, run: AnalystRuns) -> Response:
    """Takes a kept query away."""
    with run.core.pool.connection() as connection:
        if connection.execute(_DELETE, (query_id, run.person.account_id)).rowcount == 0:
            raise missing("query")
    return Response(status_code=204)


@router.post("/tokens", status_code=201)
def create_sql_token(body: CreateSqlToken, run: AnalystRuns) -> CreatedSqlToken:
    """Makes an access token for a ClickHouse client: the password beside one's e-mail address."""
    token, token_id, account = TOKEN_PREFIX + secrets.token_urlsafe(30), uuid7(), run.person.account_id
    with run.core.pool.connection() as connection:
        _lock(connection, account)
        if _count(connection, _LIVE_TOKENS, {"account": account}) >= TOKENS_MOST:
            raise conflict("too_many", f"You can have {TOKENS_MOST} tokens. Revoke one first.")
        values = (token_id, account, body.name, token_hash(token), token[-4:])
        created_at = _first(connection.execute(_ISSUE, values).fetchone())[0]
        entry = Entry("analyst.token_issued", "done", account, account, token_id, {"last4": token[-4:]})
        record(connection, entry, run.client)
    return CreatedSqlToken(id=token_id, name=body.name, token=token, last4=token[-4:], created_at=created_at)


@router.delete("/tokens/{id}", status_code=204)
def revoke_sql_token(token_id: Id, run: AnalystRuns) -> Response:
    """Ends a token, at once."""
    account = run.person.account_id
    with run.core.pool.connection() as connection:
        if connection.execute(_REVOKE, (token_id, account)).rowcount == 0:
            raise missing("token")
        record(connection, Entry("analyst.token_revoked", "done", account, account, token_id), run.client)
    return Response(status_code=204)


def _lock(connection: Connection[Any], account_id: UUID) -> None:
    """Counting and adding belong together."""
    connection.execute("SELECT pg_advisory_xact_lock(77, hashtext(%s))", (str(account_id),))


def _count(connection: Connection[Any], sql: LiteralString, values: dict[str, Any]) -> int:
    return int(_first(connection.execute(sql, values).fetchone())[0])


def _first(row: Any) -> tuple[Any, ...]:
    """A row's values in order, whichever row factory the pool has."""
    if row is None:
        raise psycopg.DataError("a statement that gives a row gave none")
    return tuple(row.values()) if isinstance(row, dict) else tuple(row)


_OTHER_QUERIES: Final[LiteralString] = (
    "SELECT count(*) AS n FROM ops.saved_query WHERE account_id = %(account)s AND title <> %(title)s"
)
_SAVE: Final[LiteralString] = (
    "INSERT INTO ops.saved_query (id, account_id, title, text) VALUES (%(id)s, %(account)s, %(title)s, %(text)s)"
    " ON CONFLICT (account_id, title) DO UPDATE SET text = excluded.text RETURNING id, created_at"
)
_DELETE: Final[LiteralString] = "DELETE FROM ops.saved_query WHERE id = %s AND account_id = %s"
_LIVE_TOKENS: Final[LiteralString] = (
    "SELECT count(*) AS n FROM auth.sql_token WHERE account_id = %(account)s AND revoked_at IS NULL"
)
_ISSUE: Final[LiteralString] = (
    "INSERT INTO auth.sql_token (id, account_id, name, token_hash, last4) VALUES (%s, %s, %s, %s, %s)"
    " RETURNING created_at"
)
_REVOKE: Final[LiteralString] = (
    "UPDATE auth.sql_token SET revoked_at = now() WHERE id = %s AND account_id = %s AND revoked_at IS NULL"
)
