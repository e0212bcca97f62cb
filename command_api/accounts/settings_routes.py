"""Settings of the caller's own account: second factor, password, email address, profile, sessions.

Requests or answers contain secrets, so they accept no `Idempotency-Key`; the profile does.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Response

from command_api.accounts import commands, credentials, schemas
from command_api.accounts.credentials import Credentials
from command_api.accounts.erasure import erase_account as erase
from command_api.accounts.fields import Proof, Proven
from command_api.accounts.routes import AccountRequestDep, private_response
from command_api.kernel.http import Id, Runs, SignedIn
from infra.kernel.http.route_costs import SIGN_IN, routes_of
from schemas.http.accounts import Profile

router = APIRouter(prefix="/api/platform", tags=["account settings"], route_class=routes_of(SIGN_IN))


def credentials_of(request: AccountRequestDep, person: SignedIn) -> Credentials:
    return Credentials(request.accounts, person, request.client)


Own = Annotated[Credentials, Depends(credentials_of)]


@router.post("/2fa/setup", response_model=schemas.FactorToSetUp)
def set_up_two_factor(body: schemas.SetUpFactor, own: Own) -> Response:
    """A new secret for an authenticator. If a second factor is enabled, this requires password and code, and replaces
    it.
    """
    proof = Proof(body.password, body.code, body.recovery_code) if body.password is not None else None
    made = own.begin_factor(proof)
    return private_response(schemas.FactorToSetUp.of(made, otpauth_uri=made.uri))


@router.post("/2fa/confirm", response_model=schemas.RecoveryCodes)
def confirm_two_factor(body: schemas.ConfirmFactor, own: Own) -> Response:
    """The first correct code enables the second factor; other sessions end."""
    codes, position = own.confirm_factor(body.code)
    return private_response(schemas.RecoveryCodes(recovery_codes=codes), position)


@router.post("/2fa/disable", status_code=204)
def disable_two_factor(body: Proven, own: Own) -> Response:
    """Signing in then requires the password only; other sessions end."""
    return private_response(None, own.disable_factor(body.proof))


@router.post("/2fa/recovery-codes", response_model=schemas.RecoveryCodes)
def make_recovery_codes(body: Proven, own: Own) -> Response:
    """Ten new recovery codes; earlier ones stop working, other sessions end."""
    codes, position = own.new_recovery_codes(body.proof)
    return private_response(schemas.RecoveryCodes(recovery_codes=codes), position)


@router.post("/password/forgot", status_code=204)
def forgot_password(body: schemas.ForgotPassword, request: AccountRequestDep) -> Response:
    """Emails a link to set a new password if the account exists. The response is always the same."""
    credentials.forgot_password(request.accounts, body.email, request.client)
    return private_response(None)


@router.post("/password/reset", status_code=204)
def reset_password(body: schemas.ResetPassword, request: AccountRequestDep) -> Response:
    """Sets a new password with an emailed link; all sessions end. It does not sign in."""
    factor = Proof("", body.two_factor_code, body.recovery_code)
    position = credentials.reset_password(request.accounts, body.code, body.password, factor, request.client)
    return private_response(None, position)


@router.post("/password/change", status_code=204)
def change_password(body: schemas.ChangePassword, own: Own) -> Response:
    """Changes the password; other sessions end."""
    proof = Proof(body.current_password, body.code, body.recovery_code)
    return private_response(None, own.change_password(proof, body.new_password))


@router.post("/email/change", status_code=204)
def change_email(body: schemas.ChangeEmail, own: Own) -> Response:
    """Emails a link to the new address; nothing changes until it is confirmed."""
    own.request_email_change(body.proof, body.email)
    return private_response(None)


@router.post("/email/confirm", status_code=204)
def confirm_email(body: schemas.ConfirmEmail, request: AccountRequestDep) -> Response:
    """Confirms the new address with the emailed code; all sessions end except the one that requested the change."""
    return private_response(None, credentials.confirm_email(request.accounts, body.code, request.client))


@router.patch("/user", response_model=Profile)
def update_user(body: schemas.UpdateUser, run: Runs) -> Response:
    """Changes what is given."""
    return run(commands.UpdateProfile(body), body)


@router.delete("/sessions/{id}", status_code=204)
def end_session(session_id: Id, request: AccountRequestDep, own: Own) -> Response:
    """Ends one of the account's own sessions at once."""
    position = own.send(commands.EndSession(session_id))
    is_this_one = session_id == own.person.session_id
    return request.sign_out_response(position) if is_this_one else private_response(None, position)


@router.delete("/sessions", status_code=204)
def end_other_sessions(own: Own) -> Response:
    """Ends all sessions but this one."""
    return private_response(None, own.send(commands.EndOtherSessions(own.person.session_id)))


@router.post("/erase", status_code=204)
def erase_account(body: Proven, request: AccountRequestDep, own: Own) -> Response:
    """Erases the account permanently: its name and address everywhere, its websites' keys, its sessions."""
    account = own.require_proof(body.proof)
    return request.sign_out_response(erase(request.accounts.container, account.id, request.client))
