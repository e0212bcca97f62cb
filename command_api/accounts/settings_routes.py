"""What people change about their own account: second factor, password, e-mail address, profile, sessions.

These ask for secrets or answer with some, so they take no `Idempotency-Key`; the profile does.
"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response
from psycopg import Cursor
from pydantic import BaseModel, Field

from command_api.accounts import erasure, model, sessions
from command_api.accounts.credentials import Credentials
from command_api.accounts.desk import Desk, Proof
from command_api.accounts.fields import Company, Email, Given, Name, Password, Proven, Secret
from command_api.accounts.routes import accounts_of, signed_out
from command_api.accounts.sign_in import Accounts
from command_api.commands import Decided
from command_api.http import Answer, Body, From, Id, Runs, SignedIn
from command_api.websites.model import known_timezone

router = APIRouter(prefix="/api/platform", tags=["account settings"])


class SetUpFactor(Body):
    """Nothing is needed within ten minutes of signing in, as long as there is no second factor."""

    password: Given | None = None
    code: Secret | None = None
    recovery_code: Secret | None = None


class ConfirmFactor(Body):
    code: Secret


class ForgotPassword(Body):
    email: Email


class ResetPassword(Body):
    """`code`: from the mailed link. With a second factor also one of the two others."""

    code: Secret
    password: Password
    two_factor_code: Secret | None = None
    recovery_code: Secret | None = None


class ChangePassword(Body):
    """`code` or `recoveryCode` when there is a second factor."""

    current_password: Given
    new_password: Password
    code: Secret | None = None
    recovery_code: Secret | None = None


class ChangeEmail(Proven):
    email: Email


class ConfirmEmail(Body):
    code: Secret


class UpdateUser(Body):
    name: Name | None = None
    company: Company | None = None
    timezone: Annotated[str, Field(max_length=100)] | None = None


class FactorToSetUp(Answer):
    """For an authenticator; it counts once `/2fa/confirm` got a right code."""

    secret: str
    otpauth_uri: str
    qr_code: str = Field(description="SVG image as a data: URI")


class RecoveryCodes(Answer):
    """Shown this once; each works once in place of a code."""

    recovery_codes: list[str]


class Profile(Answer):
    id: str
    email: str
    name: str
    company: str
    timezone: str
    roles: list[str]


def desk_of(accounts: Annotated[Accounts, Depends(accounts_of)]) -> Desk:
    return accounts.desk


def credentials_of(desk: Annotated[Desk, Depends(desk_of)]) -> Credentials:
    return Credentials(desk)


TheDesk = Annotated[Desk, Depends(desk_of)]
TheCredentials = Annotated[Credentials, Depends(credentials_of)]


@router.post("/2fa/setup", response_model=FactorToSetUp)
def set_up_two_factor(body: SetUpFactor, person: SignedIn, client: From, credentials: TheCredentials) -> Response:
    """A new secret for an authenticator. With a second factor it needs password and code, and replaces it."""
    proof = Proof(body.password, body.code, body.recovery_code) if body.password is not None else None
    made = credentials.begin_factor(person, proof, client)
    return _secret(FactorToSetUp(secret=made.secret, otpauth_uri=made.uri, qr_code=made.qr_code))


@router.post("/2fa/confirm", response_model=RecoveryCodes)
def confirm_two_factor(body: ConfirmFactor, person: SignedIn, client: From, credentials: TheCredentials) -> Response:
    """The first right code puts the second factor into use; other sessions end."""
    codes, position = credentials.confirm_factor(person, body.code, client)
    return _secret(RecoveryCodes(recovery_codes=codes), position)


@router.post("/2fa/disable", status_code=204)
def disable_two_factor(body: Proven, person: SignedIn, client: From, credentials: TheCredentials) -> Response:
    """Signing in needs the password alone again; other sessions end."""
    return done(credentials.disable_factor(person, body.proof, client))


@router.post("/2fa/recovery-codes", response_model=RecoveryCodes)
def make_recovery_codes(body: Proven, person: SignedIn, client: From, credentials: TheCredentials) -> Response:
    """Ten new recovery codes; the ones before are void, other sessions end."""
    codes, position = credentials.new_recovery_codes(person, body.proof, client)
    return _secret(RecoveryCodes(recovery_codes=codes), position)


@router.post("/password/forgot", status_code=204)
def forgot_password(body: ForgotPassword, client: From, credentials: TheCredentials) -> Response:
    """Mails a link to set a new password, to whoever has an account. Answers everybody alike."""
    credentials.forgot(body.email, client)
    return done(None)


@router.post("/password/reset", status_code=204)
def reset_password(body: ResetPassword, client: From, credentials: TheCredentials) -> Response:
    """Sets a new password by a mailed link; all sessions end. It signs nobody in."""
    factor = Proof("", body.two_factor_code, body.recovery_code)
    return done(credentials.reset(body.code, body.password, factor, client))


@router.post("/password/change", status_code=204)
def change_password(body: ChangePassword, person: SignedIn, client: From, credentials: TheCredentials) -> Response:
    """Sets a new password by the old one; other sessions end."""
    proof = Proof(body.current_password, body.code, body.recovery_code)
    return done(credentials.change_password(person, proof, body.new_password, client))


@router.post("/email/change", status_code=204)
def change_email(body: ChangeEmail, person: SignedIn, client: From, credentials: TheCredentials) -> Response:
    """Mails a link to the new address; nothing changes before it is followed."""
    credentials.ask_for_email(person, body.proof, body.email, client)
    return done(None)


@router.post("/email/confirm", status_code=204)
def confirm_email(body: ConfirmEmail, client: From, credentials: TheCredentials) -> Response:
    """Follows that link: the account signs in with the new address; sessions end, but for the one that asked."""
    return done(credentials.confirm_email(body.code, client))


@router.patch("/user", response_model=Profile)
def update_user(body: UpdateUser, run: Runs, desk: TheDesk) -> Response:
    """Changes what is given."""
    timezone = known_timezone(body.timezone) if body.timezone is not None else None

    def decide() -> Decided[Profile]:
        account = desk.account(run.person.account_id)
        changes = {"name": body.name, "company": body.company, "timezone": timezone}
        events = model.change_profile(account, **changes, asked=run.asked)
        for event in events:
            account = model.evolve(account, event)

        def also(cursor: Cursor[dict[str, Any]], _: int | None) -> None:
            cursor.execute("UPDATE auth.session SET name = %s WHERE account_id = %s", (account.name, account.id))

        return Decided(events, _profile(account), also if events else None)

    return run(decide, body)


@router.delete("/sessions/{id}", status_code=204)
def end_session(session_id: Id, request: Request, person: SignedIn, client: From, desk: TheDesk) -> Response:
    """Ends one of one's own sessions, at once."""
    position = sessions.end_one(desk, person, session_id, client)
    return signed_out(request, position) if session_id == person.session_id else done(position)


@router.delete("/sessions", status_code=204)
def end_other_sessions(person: SignedIn, client: From, desk: TheDesk) -> Response:
    """Ends all sessions but this one."""
    return done(sessions.end_others(desk, person, client))


@router.post("/erase", status_code=204)
def erase_account(body: Proven, request: Request, person: SignedIn, client: From, desk: TheDesk) -> Response:
    """Erases the account for good: its name and address everywhere, its websites' keys, its sessions."""
    return signed_out(request, erasure.erase(desk, person, body.proof, client))


def done(position: int | None) -> Response:
    """204 with the position of what was decided."""
    headers = {"Cache-Control": "no-store"}
    if position is not None:
        headers["X-Position"] = f"domain@{position}"
    return Response(status_code=204, headers=headers)


def _secret(answer: BaseModel, position: int | None = None) -> Response:
    headers = {"Cache-Control": "no-store"}
    if position is not None:
        headers["X-Position"] = f"domain@{position}"
    return Response(answer.model_dump_json(by_alias=True), media_type="application/json", headers=headers)


def _profile(account: model.Account) -> Profile:
    return Profile(
        id=str(account.id),
        email=account.email,
        name=account.name,
        company=account.company,
        timezone=account.timezone,
        roles=[role.value for role in account.roles],
    )
