"""`/api/platform/sql/queries` and `/tokens`: rows that belong to one analyst, written and taken away at once.

They decide nothing that anything else follows from, so they are plain rows and no events; making and revoking a token
leaves an entry in the audit trail, in the same transaction. The token itself is known in one answer only.
"""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta
from typing import Annotated, Any, Final, LiteralString
from uuid import UUID

from fastapi import APIRouter, Depends, Response
from psycopg import Cursor
from pydantic import AfterValidator, Field, StringConstraints

from command_api.accounts.fields import Proven
from command_api.accounts.half_signed_in import ByPassword, must_count
from command_api.accounts.settings_routes import TheDesk
from command_api.commands import Decided
from command_api.decision import Refused, conflict, missing
from command_api.http import Answer, Body, Id, Run, Runs
from infra.analysts.limits import TEXT_BYTES
from infra.analysts.people import ROLES, TOKEN_PREFIX, token_hash
from infra.audit_trail import Entry, record
from infra.hidden_signs import checked_name
from schemas.uuid7 import uuid7

MAX_TOKENS: Final = 10
MAX_QUERIES: Final = 500
DEFAULT_TOKEN_DAYS: Final = 90
MAX_TOKEN_DAYS: Final = 365

Title = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=120), AfterValidator(checked_name)
]


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


class NameSqlToken(Body):
    name: Title
    expires_in_days: Annotated[int, Field(ge=1, le=MAX_TOKEN_DAYS)] = DEFAULT_TOKEN_DAYS


class CreateSqlToken(NameSqlToken, Proven):
    """Needs the password, and a code where the account has a second factor."""


class CreatedSqlToken(Answer):
    """The token is shown in this answer only."""

    id: UUID
    name: str
    token: str
    last4: str
    created_at: datetime
    expires_at: datetime


@router.post("/queries", status_code=201, response_model=SavedQuery)
def save_query(body: SaveQuery, run: AnalystRuns) -> Response:
    """Keeps a query under a title; one with the same title is replaced."""
    values = {"account": run.person.account_id, "title": body.title, "text": body.sql, "at": run.asked.at}

    def decide() -> Decided[SavedQuery]:
        with run.core.pool.connection() as connection:
            known = connection.execute(_SAME_TITLE, values).fetchone()
        query_id, created_at = _values(known) if known is not None else (uuid7(), run.asked.at)

        def also(cursor: Cursor[Any], _: int | None) -> None:
            _lock(cursor, run.person.account_id)
            if _count(cursor, _OTHER_QUERIES, values) >= MAX_QUERIES:
                raise conflict("too_many_queries", f"You can keep {MAX_QUERIES} queries. Delete one first.")
            cursor.execute(_SAVE, {**values, "id": query_id})

        answer = SavedQuery(id=query_id, title=body.title, sql=body.sql, created_at=created_at)
        return Decided([], answer, also)

    return run(decide, body, status=201)


@router.delete("/queries/{id}", status_code=204)
def delete_saved_query(query_id: Id, run: AnalystRuns) -> Response:
    """Takes a kept query away."""
    with run.core.pool.connection() as connection:
        if connection.execute(_DELETE, (query_id, run.person.account_id)).rowcount == 0:
            raise missing("query")
    return Response(status_code=204)


@router.post("/tokens", status_code=201, response_model=CreatedSqlToken)
def create_sql_token(body: CreateSqlToken, run: AnalystRuns, desk: TheDesk) -> Response:
    """Makes an access token for a ClickHouse client: the password beside one's e-mail address. It expires, and ends
    with a new password of the account."""
    token, token_id, account = TOKEN_PREFIX + secrets.token_urlsafe(30), uuid7(), run.person.account_id
    stored = desk.password_hash(account) or ""
    desk.prove(run.person, body.proof, run.client)
    expires_at = run.asked.at + timedelta(days=body.expires_in_days)

    def also(cursor: Cursor[Any], _: int | None) -> None:
        must_count(cursor, account, ByPassword(stored))
        _lock(cursor, account)
        if _count(cursor, _LIVE_TOKENS, {"account": account}) >= MAX_TOKENS:
            raise conflict("too_many_tokens", f"You can have {MAX_TOKENS} tokens. Revoke one first.")
        values = (token_id, account, body.name, token_hash(token), token[-4:], run.asked.at, expires_at)
        cursor.execute(_ISSUE, values)
        entry = Entry("analyst.token_issued", "done", account, account, token_id, {"last4": token[-4:]})
        record(cursor, entry, run.client)

    answer = CreatedSqlToken(
        id=token_id, name=body.name, token=token, last4=token[-4:], created_at=run.asked.at, expires_at=expires_at
    )
    named = NameSqlToken.model_validate({"name": body.name, "expiresInDays": body.expires_in_days})
    return run(lambda: Decided([], answer, also), named, status=201)


@router.delete("/tokens/{id}", status_code=204)
def revoke_sql_token(token_id: Id, run: AnalystRuns) -> Response:
    """Ends a token, at once."""
    account = run.person.account_id
    with run.core.pool.connection() as connection:
        if connection.execute(_REVOKE, (token_id, account)).rowcount == 0:
            raise missing("token")
        record(connection, Entry("analyst.token_revoked", "done", account, account, token_id), run.client)
    return Response(status_code=204)


def _lock(cursor: Cursor[Any], account_id: UUID) -> None:
    """Counting and adding belong together."""
    cursor.execute("SELECT pg_advisory_xact_lock(77, hashtext(%s))", (str(account_id),))


def _count(cursor: Cursor[Any], sql: LiteralString, values: dict[str, Any]) -> int:
    return int(_values(cursor.execute(sql, values).fetchone())[0])


def _values(row: Any) -> tuple[Any, ...]:
    """A row's values in order, whichever row factory the cursor has."""
    return tuple(row.values()) if isinstance(row, dict) else tuple(row)


_SAME_TITLE: Final[LiteralString] = (
    "SELECT id, created_at FROM ops.saved_query WHERE account_id = %(account)s AND title = %(title)s"
)
_OTHER_QUERIES: Final[LiteralString] = (
    "SELECT count(*) AS n FROM ops.saved_query WHERE account_id = %(account)s AND title <> %(title)s"
)
_SAVE: Final[LiteralString] = (
    "INSERT INTO ops.saved_query (id, account_id, title, text, created_at)"
    " VALUES (%(id)s, %(account)s, %(title)s, %(text)s, %(at)s)"
    " ON CONFLICT (account_id, title) DO UPDATE SET text = excluded.text"
)
_DELETE: Final[LiteralString] = "DELETE FROM ops.saved_query WHERE id = %s AND account_id = %s"
_LIVE_TOKENS: Final[LiteralString] = (
    "SELECT count(*) AS n FROM auth.sql_token WHERE account_id = %(account)s AND revoked_at IS NULL"
    " AND expires_at > now()"
)
_ISSUE: Final[LiteralString] = (
    "INSERT INTO auth.sql_token (id, account_id, name, token_hash, last4, created_at, expires_at)"
    " VALUES (%s, %s, %s, %s, %s, %s, %s)"
)
_REVOKE: Final[LiteralString] = (
    "UPDATE auth.sql_token SET revoked_at = now() WHERE id = %s AND account_id = %s AND revoked_at IS NULL"
)
