"""`/api/platform/invite-codes`: make and withdraw invites. Reading them is the query service's."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from fastapi import APIRouter, Response

from command_api.accounts.invites import commands, model
from command_api.accounts.invites.schemas import CreateInvite
from command_api.kernel import rate_limits
from command_api.kernel.http import Id, Runs
from schemas.http.accounts import InviteCode
from schemas.uuid7 import uuid7

router = APIRouter(prefix="/api/platform/invite-codes", tags=["invites"])
_NEW_INVITES: Final = rate_limits.Limit("new-invites", timedelta(minutes=6), 50)


@router.post("", status_code=201, response_model=InviteCode)
def create_invite_code(body: CreateInvite, run: Runs) -> Response:
    """Creates an invite. The list shows its code again. An account has at most 100 open ones."""
    rate_limits.consume(run.container.pool, _NEW_INVITES, str(run.person.account_id))
    return run(commands.CreateInvite(uuid7(), model.new_code(), body), body, status=201)


@router.delete("/{id}", status_code=204)
def revoke_invite_code(invite_id: Id, run: Runs) -> Response:
    """Revokes an invite: no one can register with it any longer. Accounts created with it are not affected."""
    return run(commands.RevokeInvite(invite_id), status=204)
