"""`/api/platform/register`, `/login`, `/logout`, `/setup`. Answers with secrets: they take no `Idempotency-Key`."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Request, Response
from pydantic import BaseModel, Field

from command_api.accounts.fields import Company, Email, Form, InviteCode, Name, Password, Secret
from command_api.accounts.half_signed_in import SecondFactorNeeded
from command_api.accounts.registration import Registered, Registration
from command_api.accounts.sign_in import Accounts, Entered
from command_api.http import Answer, Body, From, SignedIn, core_of
from infra.client import Client
from infra.identity import clear_cookie, set_cookie

router = APIRouter(tags=["accounts"])


class LoginRequest(Form):
    """A code may come with the password, or later with the ticket (`/login/second-factor`)."""

    email: Email
    password: Password
    two_factor_code: Secret | None = None
    recovery_code: Secret | None = None
    ticket: Secret | None = None


class SecondFactorRequest(Body):
    ticket: Secret
    two_factor_code: Secret | None = None
    recovery_code: Secret | None = None


class RegisterRequest(Form):
    email: Email
    password: Password
    name: Name
    company: Company | None = None
    invite_code: InviteCode


class SetupRequest(Body):
    token: Secret
    email: Email
    password: Password
    name: Name


class User(Answer):
    id: str
    email: str
    name: str
    roles: list[str]


class SessionResult(Answer):
    """What a browser stores; the cookie that makes it usable comes beside it."""

    token: str
    user: User
    requires_2fa: Annotated[Literal[False], Field(alias="requires2FA")] = False


class SecondFactorAsked(Answer):
    """The password was right; `/login/second-factor` takes the ticket and a code, five times at most."""

    requires_2fa: Annotated[Literal[True], Field(alias="requires2FA")] = True
    ticket: str


class RegisteredResult(SessionResult):
    """A session, and a second factor that waits for its first code (`/2fa/confirm`)."""

    qr_code: str = Field(description="SVG image as a data: URI")
    secret: str = Field(description="The same for typing in")
    otpauth_uri: str


def accounts_of(request: Request) -> Accounts:
    accounts: Accounts = request.app.state.accounts
    return accounts


def registration_of(accounts: Annotated[Accounts, Depends(accounts_of)]) -> Registration:
    return Registration(accounts.desk)


TheAccounts = Annotated[Accounts, Depends(accounts_of)]


@router.post("/api/platform/login", response_model=SessionResult | SecondFactorAsked)
def login(body: LoginRequest, request: Request, client: From, accounts: TheAccounts) -> Response:
    """Opens a session, or asks for the second factor. Wrong address and wrong password are answered alike, and take
    as long."""
    entered = accounts.sign_in(
        body.email,
        body.password,
        client,
        code=body.two_factor_code,
        recovery_code=body.recovery_code,
        ticket=body.ticket,
    )
    return session_answer(request, client, entered)


@router.post("/api/platform/login/second-factor", response_model=SessionResult)
def login_second_factor(body: SecondFactorRequest, request: Request, client: From, accounts: TheAccounts) -> Response:
    """Finishes a sign-in, by password or by a provider. The fifth wrong code ends it."""
    entered = accounts.second_factor(body.ticket, body.two_factor_code, body.recovery_code, client)
    return session_answer(request, client, entered)


@router.post("/api/platform/register", status_code=201, response_model=RegisteredResult)
def register(
    body: RegisterRequest,
    request: Request,
    client: From,
    registration: Annotated[Registration, Depends(registration_of)],
) -> Response:
    """Makes an account by invite and signs in; a registration that fails burns no use of the invite."""
    registered = registration.register(
        email=body.email,
        password=body.password,
        name=body.name,
        company=body.company or "",
        invite_code=body.invite_code,
        client=client,
    )
    return registered_answer(request, client, registered)


@router.post("/api/platform/setup", response_model=SessionResult)
def set_up(body: SetupRequest, request: Request, client: From, accounts: TheAccounts) -> Response:
    """Makes the first admin with the link that the first start printed, and signs in."""
    entered = accounts.set_up(body.token, body.email, body.password, body.name, client)
    return session_answer(request, client, entered)


@router.post("/api/platform/logout", status_code=204)
def logout(person: SignedIn, request: Request, client: From, accounts: TheAccounts) -> Response:
    """Ends this session at once."""
    return signed_out(request, accounts.sign_out(person, client))


def session_answer(request: Request, client: Client, entered: Entered | SecondFactorNeeded) -> Response:
    """The answer that opens a session in the client, or asks it for the second factor."""
    if isinstance(entered, SecondFactorNeeded):
        asked = SecondFactorAsked(ticket=entered.ticket)
        return Response(
            asked.model_dump_json(by_alias=True),
            media_type="application/json",
            headers={"Cache-Control": "no-store"},
        )
    body = SessionResult(token=entered.session.token, user=_user(entered))
    return _with_cookie(request, client, entered, body, 200)


def registered_answer(request: Request, client: Client, registered: Registered) -> Response:
    """The answer to a registration: a session, and the second factor to set up."""
    entered, factor = registered.entered, registered.second_factor
    body = RegisteredResult(
        token=entered.session.token,
        user=_user(entered),
        qr_code=factor.qr_code,
        secret=factor.secret,
        otpauth_uri=factor.uri,
    )
    return _with_cookie(request, client, entered, body, 201)


def signed_out(request: Request, position: int | None) -> Response:
    """204, and the browser forgets the session. It stays a known device (`command_api.accounts.devices`)."""
    response = Response(status_code=204)
    response.headers["Set-Cookie"] = clear_cookie(core_of(request).settings.app_url)
    response.headers["Cache-Control"] = "no-store"
    if position is not None:
        response.headers["X-Position"] = f"domain@{position}"
    return response


def _user(entered: Entered) -> User:
    account = entered.account
    return User(
        id=str(account.id), email=account.email, name=account.name, roles=[role.value for role in account.roles]
    )


def _with_cookie(request: Request, client: Client, entered: Entered, body: BaseModel, status: int) -> Response:
    response = Response(body.model_dump_json(by_alias=True), status, media_type="application/json")
    response.headers["Set-Cookie"] = set_cookie(entered.session, core_of(request).settings.app_url)
    response.headers.append("Set-Cookie", accounts_of(request).desk.device_cookie(entered.account.id, client))
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Position"] = f"domain@{entered.position}"
    return response
