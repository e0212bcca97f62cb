"""`/api/platform/register`, `/login`, `/logout`, `/setup`. Answers with secrets: they take no `Idempotency-Key`."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response
from pydantic import BaseModel

from command_api.accounts import registration, schemas
from command_api.accounts.login_challenge import SecondFactorNeeded
from command_api.accounts.registration import Registered
from command_api.accounts.sessions import SignInResult
from command_api.accounts.sign_in import SignInService
from command_api.kernel.http import From, SignedIn, container_of, signed_in
from infra.kernel.http.route_costs import SIGN_IN, routes_of
from infra.kernel.security.sessions import Principal, set_cookie

router = APIRouter(tags=["accounts"], route_class=routes_of(SIGN_IN))


class AccountRequest:
    """A request about accounts, and the responses that set its cookies."""

    def __init__(self, request: Request, client: From) -> None:
        self.client = client
        self.headers = request.headers
        self.app_url = container_of(request).settings.app_url
        self.accounts: SignInService = request.app.state.accounts
        self._request = request

    def signed_in(self) -> Principal:
        """Returns the caller. Raises `Problem` 401."""
        return signed_in(self._request)

    def session_response(self, result: SignInResult | SecondFactorNeeded) -> Response:
        """The response that opens a session in the client, or requires the second factor."""
        if isinstance(result, SecondFactorNeeded):
            return private_response(schemas.SecondFactorRequired(ticket=result.ticket))
        user = schemas.SignedInUser.of(result.account, id=str(result.account.id))
        return self._with_cookies(result, schemas.SessionResult(token=result.session.token, user=user), 200)

    def registration_response(self, registered: Registered) -> Response:
        """The answer to a registration: a session, and the second factor to set up."""
        result, factor = registered.result, registered.second_factor
        user = schemas.SignedInUser.of(result.account, id=str(result.account.id))
        body = schemas.RegisteredResult.of(factor, token=result.session.token, user=user, otpauth_uri=factor.uri)
        return self._with_cookies(result, body, 201)

    def sign_out_response(self, position: int | None) -> Response:
        """Returns 204 with a cookie that removes the session from the browser. The browser stays a known device
        (`command_api.accounts.devices`)."""
        response = private_response(None, position)
        response.headers["Set-Cookie"] = set_cookie(None, self.app_url)
        return response

    def _with_cookies(self, result: SignInResult, body: BaseModel, status: int) -> Response:
        response = private_response(body, result.position, status)
        response.headers["Set-Cookie"] = set_cookie(result.session, self.app_url)
        response.headers.append("Set-Cookie", self.accounts.device_cookie(result.account.id, self.client))
        return response


AccountRequestDep = Annotated[AccountRequest, Depends()]


@router.post("/api/platform/login", response_model=schemas.SessionResult | schemas.SecondFactorRequired)
def login(body: schemas.LoginRequest, request: AccountRequestDep) -> Response:
    """Opens a session, or requires the second factor. A wrong address and a wrong password get the same response after
    the same time.
    """
    codes = {"code": body.two_factor_code, "recovery_code": body.recovery_code, "ticket": body.ticket}
    return request.session_response(request.accounts.sign_in(body.email, body.password, request.client, **codes))


@router.post("/api/platform/login/second-factor", response_model=schemas.SessionResult)
def login_second_factor(body: schemas.SecondFactorRequest, request: AccountRequestDep) -> Response:
    """Completes a sign-in, by password or by a provider. The fifth wrong code ends it."""
    result = request.accounts.second_factor(body.ticket, body.two_factor_code, body.recovery_code, request.client)
    return request.session_response(result)


@router.post("/api/platform/register", status_code=201, response_model=schemas.RegisteredResult)
def register(body: schemas.RegisterRequest, request: AccountRequestDep) -> Response:
    """Creates an account with an invite and signs in; a failed registration does not use the invite."""
    return request.registration_response(registration.register(request.accounts, body, request.client))


@router.post("/api/platform/setup", response_model=schemas.SessionResult)
def set_up(body: schemas.SetupRequest, request: AccountRequestDep) -> Response:
    """Creates the first admin with the link that `althing setup-link` printed, and signs in."""
    result = request.accounts.set_up(body.token, body.email, body.password, body.name, request.client)
    return request.session_response(result)


@router.post("/api/platform/logout", status_code=204)
def logout(person: SignedIn, request: AccountRequestDep) -> Response:
    """Ends this session at once."""
    return request.sign_out_response(request.accounts.sign_out(person, request.client))


def private_response(body: BaseModel | None, position: int | None = None, status: int = 200) -> Response:
    """A response that nothing stores, with the position of the command. Without a body: 204."""
    headers = {"Cache-Control": "no-store"}
    if position is not None:
        headers["X-Position"] = f"domain@{position}"
    if body is None:
        return Response(status_code=204, headers=headers)
    return Response(body.model_dump_json(by_alias=True), status, headers, "application/json")
