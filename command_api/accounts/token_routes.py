"""`/api/platform/tokens`: access tokens of programs. A token itself is known in one answer only."""

from __future__ import annotations

import secrets

from fastapi import APIRouter, Response

from command_api.accounts import commands
from command_api.accounts.routes import AccountRequestDep
from command_api.accounts.schemas import CreateAccessToken, CreatedAccessToken, NameAccessToken
from command_api.kernel.http import Id, Runs
from infra.kernel.security.access_tokens import PREFIX
from schemas.uuid7 import uuid7

router = APIRouter(prefix="/api/platform/tokens", tags=["access tokens"])


@router.post("", status_code=201, response_model=CreatedAccessToken)
def create_access_token(body: CreateAccessToken, run: Runs, request: AccountRequestDep) -> Response:
    """Creates an access token for a program that reads the API without a person. It requires the password, and a code
    where the account has a second factor; the token needs neither. It ends when the account's password changes."""
    stored = request.accounts.password_hash(run.person.account_id) or ""
    request.accounts.require_proof(run.person, body.proof, run.client)
    named = NameAccessToken.model_validate(body.model_dump(include=set(NameAccessToken.model_fields)), by_name=True)
    token = PREFIX + secrets.token_urlsafe(30)
    return run(commands.IssueAccessToken(uuid7(), named, token, stored, run.client), named, status=201)


@router.delete("/{id}", status_code=204)
def revoke_access_token(token_id: Id, run: Runs) -> Response:
    """Revokes a token immediately; its open streams end."""
    return run(commands.RevokeAccessToken(token_id, run.client), status=204)
