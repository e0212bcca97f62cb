"""`/api/platform/invite-codes`: make and withdraw invites. Reading them is the query service's."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Response
from psycopg import Cursor

from command_api.accounts import invites, limits, open_invites
from command_api.accounts.fields import Days, MaxUses
from command_api.accounts.registration import Registration
from command_api.accounts.routes import registration_of
from command_api.commands import Decided
from command_api.http import Answer, Body, Id, Nothing, Runs
from schemas.uuid7 import uuid7

router = APIRouter(prefix="/api/platform/invite-codes", tags=["invites"])


class CreateInvite(Body):
    """What is missing, or no whole number of 1 or more, is 1 use and 30 days."""

    max_uses: MaxUses = invites.DEFAULT_USES
    expires_in_days: Days = invites.DEFAULT_DAYS


class CreatedInvite(Answer):
    id: str
    code: str
    max_uses: int
    current_uses: int
    created_at: datetime
    expires_at: datetime


@router.post("", status_code=201, response_model=CreatedInvite)
def create_invite_code(
    body: CreateInvite, run: Runs, registration: Annotated[Registration, Depends(registration_of)]
) -> Response:
    """Makes an invite. Its owner finds the code in the list again. An account has at most 100 open ones."""
    invite_id, code = uuid7(), invites.new_code()
    limits.charge(run.core.pool, limits.NEW_INVITES, str(run.person.account_id))

    def decide() -> Decided[CreatedInvite]:
        created = invites.create(invite_id, max_uses=body.max_uses, days=body.expires_in_days, asked=run.asked)

        def also(cursor: Cursor[dict[str, Any]], _: int | None) -> None:
            open_invites.keep(cursor, run.core.settings, created, code, registration.code_hash(code))

        answer = CreatedInvite(
            id=str(invite_id),
            code=code,
            max_uses=created.max_uses,
            current_uses=0,
            created_at=created.timestamp,
            expires_at=created.expires_at,
        )
        return Decided([created], answer, also)

    return run(decide, body, status=201)


@router.delete("/{id}", status_code=204)
def revoke_invite_code(invite_id: Id, run: Runs) -> Response:
    """Withdraws an invite: nobody registers with it any more. Who joined stays."""

    def decide() -> Decided[Nothing]:
        revoked = invites.revoke(run.core.store.load(invite_id, invites.evolve), run.asked)
        return Decided(revoked, Nothing(), lambda cursor, _: open_invites.close(cursor, invite_id))

    return run(decide, status=204)
