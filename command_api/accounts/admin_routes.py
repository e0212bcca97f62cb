"""`/api/admin/accounts`: what admins do with accounts. Reading them is the query service's."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Response
from pydantic import Field

from command_api.accounts import administration
from command_api.accounts.administration import AdminedAccount
from command_api.http import Admin, Body, Id, Runs
from schemas.events.accounts import Role

router = APIRouter(prefix="/api/admin/accounts", tags=["accounts"])


class SetRoles(Body):
    """Everybody is a member, whether named or not."""

    roles: list[Annotated[Role, Field(strict=False)]]


class DisableAccount(Body):
    reason: Annotated[str, Field(min_length=1, max_length=500)]


@router.put("/{id}/roles", response_model=AdminedAccount)
def set_account_roles(account_id: Id, body: SetRoles, _: Admin, run: Runs) -> Response:
    """Gives and takes roles; these replace the ones before, at once. The last admin stays one."""
    return run(lambda: administration.set_roles(run.core, account_id, body.roles, run.asked), body)


@router.post("/{id}/disable", response_model=AdminedAccount)
def disable_account(account_id: Id, body: DisableAccount, _: Admin, run: Runs) -> Response:
    """The account may not sign in any more; its sessions end. The last admin cannot be disabled."""
    return run(lambda: administration.disable(run.core, account_id, body.reason, run.asked), body)


@router.post("/{id}/enable", response_model=AdminedAccount)
def enable_account(account_id: Id, _: Admin, run: Runs) -> Response:
    """A disabled account may sign in again."""
    return run(lambda: administration.enable(run.core, account_id, run.asked))


@router.delete("/{id}/sessions", response_model=AdminedAccount)
def end_account_sessions(account_id: Id, _: Admin, run: Runs) -> Response:
    """Ends all sessions of an account, at once."""
    return run(lambda: administration.end_sessions(run.core, account_id, run.asked))


@router.delete("/{id}/two-factor", response_model=AdminedAccount)
def reset_account_two_factor(account_id: Id, _: Admin, run: Runs) -> Response:
    """Switches off an account's second factor, for whoever lost it and the recovery codes. Make sure who asks."""
    return run(lambda: administration.reset_factor(run.core, account_id, run.asked))
