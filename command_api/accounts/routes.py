"""`/api/platform/login`, `/logout`, `/setup`. These answer with secrets, so they take no `Idempotency-Key`."""

from __future__ import annotations

import re
from typing import Annotated, Final

from fastapi import APIRouter, Depends, Request, Response
from pydantic import AfterValidator, Field

from command_api.accounts.sign_in import Accounts, Entered
from command_api.client import address_of, browser_family
from command_api.http import Answer, Body, SignedIn, core_of
from infra.identity import clear_cookie, set_cookie

router = APIRouter(tags=["accounts"])

_EMAIL: Final = re.compile(r"^[^\s@<>()\[\],;:\"\\]+@[^\s@<>()\[\],;:\"\\]+\.[^\s@<>()\[\],;:\"\\]+$")


def _email(text: str) -> str:
    if not _EMAIL.match(text.strip()) or len(text) > 254:
        raise ValueError("Please enter a valid email")
    return text.strip()


def _password(text: str) -> str:
    if len(text) < 8:
        raise ValueError("Password must be at least 8 characters")
    if len(text) > 1024:
        raise ValueError("Password must be at most 1024 characters")
    return text


def _name(text: str) -> str:
    if len(text.strip()) < 2:
        raise ValueError("Name must be at least 2 characters")
    if len(text) > 200:
        raise ValueError("Name must be at most 200 characters")
    return text.strip()


class LoginRequest(Body):
    email: Annotated[str, AfterValidator(_email)]
    password: Annotated[str, AfterValidator(_password)]
    two_factor_code: str | None = None


class SetupRequest(Body):
    token: Annotated[str, Field(max_length=200)]
    email: Annotated[str, AfterValidator(_email)]
    password: Annotated[str, AfterValidator(_password)]
    name: Annotated[str, AfterValidator(_name)]


class User(Answer):
    id: str
    email: str
    name: str
    roles: list[str]


class SessionResult(Answer):
    """What a browser stores; the cookie that makes it usable comes beside it."""

    token: str
    user: User
    requires_2fa: Annotated[bool, Field(alias="requires2FA")] = False


def accounts_of(request: Request) -> Accounts:
    accounts: Accounts = request.app.state.accounts
    return accounts


TheAccounts = Annotated[Accounts, Depends(accounts_of)]


@router.post("/api/platform/login", response_model=SessionResult)
def login(body: LoginRequest, request: Request, accounts: TheAccounts) -> Response:
    """Opens a session. Wrong address and wrong password are answered alike, and take as long."""
    trusted = core_of(request).settings.trusted_proxies
    entered = accounts.sign_in(
        body.email, body.password, address_of(request, trusted), browser_family(request.headers.get("user-agent", ""))
    )
    return _answer(request, entered)


@router.post("/api/platform/setup", response_model=SessionResult)
def set_up(body: SetupRequest, request: Request, accounts: TheAccounts) -> Response:
    """Makes the first admin with the link that the first start printed, and signs in."""
    device = browser_family(request.headers.get("user-agent", ""))
    return _answer(request, accounts.set_up(body.token, body.email, body.password, body.name, device))


@router.post("/api/platform/logout", status_code=204)
def logout(person: SignedIn, request: Request, accounts: TheAccounts) -> Response:
    """Ends this session at once."""
    position = accounts.sign_out(person)
    response = Response(status_code=204)
    response.headers["Set-Cookie"] = clear_cookie(core_of(request).settings.app_url)
    response.headers["Clear-Site-Data"] = '"cookies"'
    response.headers["Cache-Control"] = "no-store"
    if position is not None:
        response.headers["X-Position"] = f"domain@{position}"
    return response


def _answer(request: Request, entered: Entered) -> Response:
    account = entered.account
    user = User(
        id=str(account.id), email=account.email, name=account.name, roles=[role.value for role in account.roles]
    )
    body = SessionResult(token=entered.session.token, user=user)
    response = Response(body.model_dump_json(by_alias=True), media_type="application/json")
    response.headers["Set-Cookie"] = set_cookie(entered.session, core_of(request).settings.app_url)
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Position"] = f"domain@{entered.position}"
    return response
