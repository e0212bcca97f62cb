"""`/api/auth/login`: sign-in to one website with the account's password and a secret key of the website.

It opens a website session (`infra.kernel.security.website_sessions`), which is valid for `/api/website/...` only. With
a second factor the form resends everything with the code, so no ticket is returned; a challenge counts the attempts.
"""

from __future__ import annotations

from hashlib import sha256
from hmac import compare_digest
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Request, Response

from command_api.accounts import schemas
from command_api.accounts.commands import CreateWebsiteSession
from command_api.accounts.login_challenge import ByPassword, LoginChallenge, invalid_credentials
from command_api.accounts.routes import AccountRequestDep, private_response
from command_api.accounts.session_handlers import WEBSITE_METHOD
from command_api.accounts.sign_in import SignInService
from command_api.kernel.container import Container
from command_api.kernel.http import From, container_of
from command_api.websites import model as websites
from infra.kernel.http.openapi import WEBSITE_SESSION, Authentication
from infra.kernel.http.route_costs import SIGN_IN, routes_of
from infra.kernel.security.audit_log import Entry, record
from infra.kernel.security.client_info import Client
from infra.kernel.security.website_sessions import (
    WebsitePrincipal,
    authenticate_website,
    revoke_website_session,
    website_cookie,
)
from schemas.events.websites import KeyKind
from schemas.uuid7 import uuid7

router = APIRouter(prefix="/api/auth", tags=["website login"], route_class=routes_of(SIGN_IN))


@router.post("/login", response_model=schemas.WebsiteSessionResult | schemas.WebsiteSecondFactorRequired)
def login_to_website(body: schemas.WebsiteLogin, request: AccountRequestDep) -> Response:
    """Signs in to the website of the secret key. Any wrong value gets the same response."""
    accounts, client = request.accounts, request.client
    account, first = accounts.verify_password(body.email, body.password, client)
    website_and_key = _website(accounts.container, account.id, body.website_api_key)
    if website_and_key is None:
        accounts.record_refusal("website.sign_in", client, account.id, {"reason": "key"})
        raise invalid_credentials()
    website, key_id = website_and_key
    challenge = None
    if account.two_factor:
        if not body.two_factor_code and not body.recovery_code:
            accounts.challenges.create_for_second_factor(account.id, WEBSITE_METHOD, client, first)
            return private_response(schemas.WebsiteSecondFactorRequired())
        challenge = _challenge(accounts, account.id, client, first)
        accounts.verify_second_factor(challenge, body.two_factor_code, body.recovery_code, client)
    command = CreateWebsiteSession(uuid7(), website.id, key_id, first, challenge, client)
    session = accounts.send(command, account.id, client).answer
    result = schemas.WebsiteSessionResult(
        token=session.token,
        user=schemas.WebsiteUser.of(account, id=str(account.id)),
        website=schemas.WebsiteOfSession.of(website, id=str(website.id)),
    )
    answer = private_response(result)
    answer.headers["Set-Cookie"] = website_cookie(session, request.app_url)
    answer.headers.append("Set-Cookie", accounts.device_cookie(account.id, client))
    return answer


def _signed_in(request: Request) -> WebsitePrincipal:
    return authenticate_website(container_of(request).pool, request.headers, request.method)


@router.post("/logout", status_code=204)
def logout_of_website(
    request: Request,
    client: From,
    person: Annotated[WebsitePrincipal, Depends(Authentication(WEBSITE_SESSION, _signed_in))],
) -> Response:
    """Ends this website session immediately."""
    container = container_of(request)
    with container.pool.connection() as connection:
        revoke_website_session(connection, person.session_id)
        entry = Entry("website.signed_out", "done", person.account_id, person.account_id, person.website_id)
        record(connection, entry, client)
    response = private_response(None)
    response.headers["Set-Cookie"] = website_cookie(None, container.settings.app_url)
    return response


def _website(container: Container, account_id: UUID, api_key: str) -> tuple[websites.Website, UUID] | None:
    """Returns the account's website with this secret key, and the key's id."""
    key_hash = sha256(api_key.encode()).hexdigest()
    for (website_id,) in container.select("SELECT website_id FROM lookup.website WHERE account_id = %s", account_id):
        website = container.load(website_id, websites.evolve)
        if website is None or website.disconnected or website.account_id != account_id:
            continue
        for key_id, key in website.keys.items():
            if key.kind is KeyKind.SECRET and not key.revoked and compare_digest(key.hash, key_hash):
                return website, key_id
    return None


def _challenge(accounts: SignInService, account_id: UUID, client: Client, first: ByPassword) -> LoginChallenge:
    """Returns the challenge that counts attempts from this network; its ticket is not returned to the client."""
    challenges = accounts.challenges
    challenge = challenges.latest(account_id, WEBSITE_METHOD, client)
    return challenge or challenges.second_factor(
        challenges.create_for_second_factor(account_id, WEBSITE_METHOD, client, first)
    )
