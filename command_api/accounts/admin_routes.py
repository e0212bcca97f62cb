"""`/api/admin/accounts`: what admins do with accounts. Reading them is the query service's."""

from __future__ import annotations

from fastapi import APIRouter, Response

from command_api.accounts import commands
from command_api.accounts.schemas import AdminedAccount, DisableAccount, SetRoles
from command_api.kernel.http import Admin, Id, Runs

router = APIRouter(prefix="/api/admin/accounts", tags=["accounts"])


@router.put("/{id}/roles", response_model=AdminedAccount)
def set_account_roles(account_id: Id, body: SetRoles, _: Admin, run: Runs) -> Response:
    """Replaces the account's roles immediately. The last admin keeps the role."""
    return run(commands.SetRoles(account_id, tuple(body.roles)), body)


@router.post("/{id}/disable", response_model=AdminedAccount)
def disable_account(account_id: Id, body: DisableAccount, _: Admin, run: Runs) -> Response:
    """The account can no longer sign in; its sessions end. The last admin cannot be disabled."""
    return run(commands.DisableAccount(account_id, body.reason), body)


@router.post("/{id}/enable", response_model=AdminedAccount)
def enable_account(account_id: Id, _: Admin, run: Runs) -> Response:
    """Enables a disabled account."""
    return run(commands.EnableAccount(account_id))


@router.delete("/{id}/sessions", response_model=AdminedAccount)
def end_account_sessions(account_id: Id, _: Admin, run: Runs) -> Response:
    """Ends all sessions of an account, at once."""
    return run(commands.EndAccountSessions(account_id))


@router.delete("/{id}/two-factor", response_model=AdminedAccount)
def reset_account_two_factor(account_id: Id, _: Admin, run: Runs) -> Response:
    """Disables an account's second factor, for a person who lost it and the recovery codes. Verify the person's
    identity first.
    """
    return run(commands.ResetTwoFactor(account_id))
