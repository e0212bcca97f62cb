"""`/api/platform/sql/tokens`: access tokens of one analyst. A token itself is known in one answer only."""

from __future__ import annotations

import secrets
from typing import Annotated

from fastapi import APIRouter, Depends, Response

from command_api.accounts.routes import AccountRequestDep
from command_api.kernel.decision import CommandRejected
from command_api.kernel.http import CommandRunner, Id, Runs
from command_api.sql import commands
from command_api.sql.schemas import CreatedSqlToken, CreateSqlToken, NameSqlToken
from infra.domain.sql_access.analyst_accounts import ROLES, TOKEN_PREFIX
from schemas.uuid7 import uuid7


async def analysts_only(run: Runs) -> CommandRunner:
    """Raises `CommandRejected` for anybody but analysts and admins."""
    if not ROLES & run.person.roles:
        raise CommandRejected("forbidden", "not_allowed", "Only analysts and admins may do this.")
    return run


router = APIRouter(prefix="/api/platform/sql", tags=["sql"])
AnalystRuns = Annotated[CommandRunner, Depends(analysts_only)]


@router.post("/tokens", status_code=201, response_model=CreatedSqlToken)
def create_sql_token(body: CreateSqlToken, run: AnalystRuns, request: AccountRequestDep) -> Response:
    """Creates an access token for a ClickHouse client, used as the password with your email address. It expires, and
    ends when the account's password changes.
    """
    stored = request.accounts.password_hash(run.person.account_id) or ""
    request.accounts.require_proof(run.person, body.proof, run.client)
    named = NameSqlToken.model_validate({"name": body.name, "expiresInDays": body.expires_in_days})
    token = TOKEN_PREFIX + secrets.token_urlsafe(30)
    return run(commands.IssueSqlToken(uuid7(), named, token, stored, run.client), named, status=201)


@router.delete("/tokens/{id}", status_code=204)
def revoke_sql_token(token_id: Id, run: AnalystRuns) -> Response:
    """Revokes a token immediately."""
    return run(commands.RevokeSqlToken(token_id, run.client), status=204)
