"""`/api/platform/auth/...` and linked sign-ins: the browser's way to a provider and back, and what comes of it.

The two GETs are navigations of a browser and always answer with a redirect; the gateway hands these, and only these, to
this service. No secret stands in an address that reaches a server: the handoff code is behind the `#`.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Final, Literal
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Request, Response
from fastapi import Path as PathParameter
from pydantic import Field

from command_api.accounts.fields import Given, Proof, Secret
from command_api.accounts.providers.login_flow import flow_cookie, set_flow_cookie
from command_api.accounts.providers.service import Linked, ProviderSignIn, ProviderSignInFailed, RegistrationRequired
from command_api.accounts.routes import AccountRequestDep, private_response
from command_api.accounts.schemas import (
    RegisteredResult,
    RegisterWithIdentityRequest,
    SecondFactorRequired,
    SessionResult,
)
from command_api.kernel.http import From, Id, RequestModel, SignedIn
from infra.kernel.http.route_costs import SIGN_IN, routes_of
from infra.kernel.security.oauth_providers import ProviderName, named
from schemas.http.responses import ResponseModel

router = APIRouter(tags=["sign-in providers"], route_class=routes_of(SIGN_IN))
_REDIRECT: dict[int | str, dict[str, Any]] = {303: {"description": "On to the provider, or back to the app"}}
_OWN_PATH: Final = re.compile(r"/(?![/\\])[^\\\x00-\x20\x7f]{0,500}")


class ExchangeRequest(RequestModel):
    """The handoff code from behind the `#` of the address that the callback redirected to."""

    code: Secret


class InviteRequired(ResponseModel):
    """Proven, but without an account: `/auth/register` takes the ticket and an invite code within ten minutes."""

    invite_needed: Literal[True] = True
    provider: ProviderName
    ticket: str
    email: str = Field(description="Prefilled in the form; may be empty")
    name: str


class SignInLinked(ResponseModel):
    """The sign-in now opens the account of the person who is signed in."""

    linked: Literal[True] = True
    provider: ProviderName


class LinkRequest(RequestModel):
    """`password`, and `code` or `recoveryCode` when there is a second factor. An account without a password must have
    been signed in to within ten minutes."""

    provider: ProviderName
    password: Given | None = None
    code: Secret | None = None
    recovery_code: Secret | None = None


class LinkStarted(ResponseModel):
    """The provider's page on which the person confirms the link."""

    url: str = Field(description="Where the browser goes next")


def providers_of(request: Request) -> ProviderSignIn:
    providers: ProviderSignIn = request.app.state.providers
    return providers


Providers = Annotated[ProviderSignIn, Depends(providers_of)]
Provider = Annotated[ProviderName, PathParameter()]


@router.get("/api/platform/auth/{provider}", status_code=303, response_class=Response, responses=_REDIRECT)
def go_to_provider(
    provider: Provider, request: AccountRequestDep, providers: Providers, next: str | None = None
) -> Response:
    """For browsers: redirects to the provider. If it is not configured, redirects to `/login`, which says so."""
    try:
        url, cookie = providers.go(provider, request.client, None, next if next and _OWN_PATH.fullmatch(next) else None)
    except ProviderSignInFailed as failed:
        return _back(provider, failed)
    return _redirect(url, set_flow_cookie(cookie, request.app_url))


@router.get("/api/platform/auth/{provider}/callback", status_code=303, response_class=Response, responses=_REDIRECT)
def come_back_from_provider(
    provider: Provider,
    request: AccountRequestDep,
    providers: Providers,
    state: str = "",
    code: str = "",
    error: str = "",
    iss: str = "",
) -> Response:
    """For browsers returning from the provider. Redirects to the app with a code after `#`, or with an error."""
    try:
        cookie = flow_cookie(request.headers)
        arrived = providers.complete(
            provider, request.client, cookie=cookie, state=state, code=code, error=error, issuer=iss
        )
    except ProviderSignInFailed as failed:
        return _back(provider, failed)
    search = f"?{urlencode({'next': arrived.return_to})}" if arrived.return_to else ""
    return _redirect(f"/login/finish{search}#code={arrived.code}")


@router.post(
    "/api/platform/auth/exchange", response_model=SessionResult | SecondFactorRequired | InviteRequired | SignInLinked
)
def exchange_handoff_code(body: ExchangeRequest, request: AccountRequestDep, providers: Providers) -> Response:
    """For the app's page: signs in with the code, or requests the missing data. Works once, for a minute, and only in
    the browser that went to the provider."""
    result = providers.exchange(body.code, flow_cookie(request.headers), request.client, request.signed_in)
    if isinstance(result, RegistrationRequired):
        identity = result.identity
        answer = private_response(InviteRequired.of(identity, provider=named(identity.method), ticket=result.ticket))
    elif isinstance(result, Linked):
        answer = private_response(SignInLinked(provider=named(result.provider)), result.position)
    else:
        answer = request.session_response(result)
    answer.headers.append("Set-Cookie", set_flow_cookie(None, request.app_url))
    return answer


@router.post("/api/platform/auth/register", status_code=201, response_model=RegisteredResult)
def register_with_identity(
    body: RegisterWithIdentityRequest, request: AccountRequestDep, providers: Providers
) -> Response:
    """Creates an account with an invite for a person whose identity a provider has confirmed, and signs in. The ticket
    works once.
    """
    return request.registration_response(providers.register(body, request.client))


@router.post("/api/platform/linked-sign-ins", response_model=LinkStarted)
def begin_linking(body: LinkRequest, request: AccountRequestDep, person: SignedIn, providers: Providers) -> Response:
    """Starts linking a sign-in to your account: the browser then goes to the provider and returns once it is linked."""
    proof = Proof(body.password or "", body.code, body.recovery_code)
    url, cookie = providers.begin_linking(body.provider, person, proof, request.client)
    answer = private_response(LinkStarted(url=url))
    answer.headers["Set-Cookie"] = set_flow_cookie(cookie, request.app_url)
    return answer


@router.delete("/api/platform/linked-sign-ins/{id}", status_code=204)
def unlink_sign_in(link_id: Id, person: SignedIn, client: From, providers: Providers) -> Response:
    """Unlinks a sign-in; other sessions end. The only way to sign in cannot be unlinked."""
    return private_response(None, providers.unlink(person, link_id, client))


def _back(provider: ProviderName, failed: ProviderSignInFailed) -> Response:
    place = "/login/finish" if failed.linking else "/login"
    return _redirect(f"{place}?{urlencode({'problem': failed.reason, 'provider': provider})}")


def _redirect(url: str, cookie: str | None = None) -> Response:
    headers = {"Location": url, "Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}
    if cookie is not None:
        headers["Set-Cookie"] = cookie
    return Response(status_code=303, headers=headers)
