"""`/api/auth/login`: signing in to one website, with the account's password and a secret key of that website.

It opens a website session (`infra.website_identity`), never a platform session: it leads to `/api/website/...` alone.
A second factor is asked for as everywhere; the form sends everything again with the code, so there is no ticket to
carry, but one counts the tries.
"""

from __future__ import annotations

from datetime import UTC, datetime
from hashlib import sha256
from hmac import compare_digest
from typing import Annotated, Any, Final, Literal
from uuid import UUID

from fastapi import APIRouter, Request, Response
from psycopg import Cursor
from pydantic import AfterValidator, Field

from command_api.accounts import model
from command_api.accounts.desk import Decision, Desk
from command_api.accounts.fields import Email, Form, Password, Secret
from command_api.accounts.half_signed_in import ByPassword, Ticket, ended, must_count, use
from command_api.accounts.routes import TheAccounts
from command_api.accounts.sign_in import Accounts
from command_api.decision import Asked
from command_api.http import Answer, From, core_of
from command_api.store import Conflict
from command_api.websites import model as websites
from infra.audit_trail import Entry, record
from infra.client import Client
from infra.identity import OpenedSession
from infra.problems import Problem
from infra.website_identity import authenticate_website, open_website_session, revoke_website_session, website_cookie
from schemas.events.websites import KeyKind
from schemas.uuid7 import uuid7

router = APIRouter(prefix="/api/auth", tags=["website login"])
METHOD = "website"
_CHANGED: Final = "SELECT 1 FROM events.stored_events WHERE originator_id = %s AND originator_version > %s LIMIT 1"


def _api_key(text: str) -> str:
    if not text.strip():
        raise ValueError("Website API key is required")
    return text.strip()


class WebsiteLogin(Form):
    email: Email
    password: Password
    website_api_key: Annotated[str, Field(max_length=200), AfterValidator(_api_key)]
    two_factor_code: Secret | None = None
    recovery_code: Secret | None = None


class WebsiteOfSession(Answer):
    id: str
    domain: str


class WebsiteUser(Answer):
    id: str
    email: str
    name: str


class WebsiteSessionResult(Answer):
    """A website token: it opens `/api/website` and what is below it, and nothing else."""

    token: str
    user: WebsiteUser
    website: WebsiteOfSession
    requires_2fa: Annotated[Literal[False], Field(alias="requires2FA")] = False


class WebsiteCodeAsked(Answer):
    """Send the same again with a code."""

    requires_2fa: Annotated[Literal[True], Field(alias="requires2FA")] = True


@router.post("/login", response_model=WebsiteSessionResult | WebsiteCodeAsked)
def login_to_website(body: WebsiteLogin, request: Request, client: From, accounts: TheAccounts) -> Response:
    """Signs in to the website whose secret key is given. Whatever of the three is wrong is answered alike."""
    account, first = accounts.with_password(body.email, body.password, client)
    found = _website(accounts.desk, account.id, body.website_api_key)
    if found is None:
        accounts.desk.refuse("website.sign_in", client, account.id, {"reason": "key"})
        raise Problem(401, "invalid_credentials", "Invalid credentials")
    website, key_id = found
    ticket = None
    if account.two_factor:
        if not body.two_factor_code and not body.recovery_code:
            accounts.desk.tickets.for_second_factor(account.id, METHOD, client, first)
            return _answer(WebsiteCodeAsked(), None)
        ticket = _ticket(accounts, account.id, client, first)
        accounts.try_code(ticket, body.two_factor_code, body.recovery_code, client)
    session = _open(accounts.desk, account.id, website.id, key_id, ticket, first, client)
    result = WebsiteSessionResult(
        token=session.token,
        user=WebsiteUser(id=str(account.id), email=account.email, name=account.name),
        website=WebsiteOfSession(id=str(website.id), domain=website.domain),
    )
    answer = _answer(result, website_cookie(session, core_of(request).settings.app_url))
    answer.headers.append("Set-Cookie", accounts.desk.device_cookie(account.id, client))
    return answer


@router.post("/logout", status_code=204)
def logout_of_website(request: Request, client: From) -> Response:
    """Ends this website session at once."""
    core = core_of(request)
    person = authenticate_website(core.pool, request.headers, request.method)
    with core.pool.connection() as connection:
        revoke_website_session(connection, person.session_id)
        entry = Entry(
            "website.signed_out", actor_id=person.account_id, account_id=person.account_id, subject_id=person.website_id
        )
        record(connection, entry, client)
    headers = {"Set-Cookie": website_cookie(None, core.settings.app_url), "Cache-Control": "no-store"}
    return Response(status_code=204, headers=headers)


def _website(desk: Desk, account_id: UUID, api_key: str) -> tuple[websites.Website, UUID] | None:
    """The account's website that has this secret key, and the key's id."""
    wanted = sha256(api_key.encode()).hexdigest()
    with desk.core.pool.connection() as connection:
        rows = connection.execute("SELECT website_id FROM policy.website WHERE account_id = %s", (account_id,))
        ids = [row[0] for row in rows]
    for website_id in ids:
        website = desk.core.store.load(website_id, websites.evolve)
        if website is None or website.disconnected or website.account_id != account_id:
            continue
        for key_id, key in website.keys.items():
            if key.kind is KeyKind.SECRET and not key.revoked and compare_digest(key.hash, wanted):
                return website, key_id
    return None


def _ticket(accounts: Accounts, account_id: UUID, client: Client, first: ByPassword) -> Ticket:
    """The one that counts the tries from this network; it is never handed out."""
    tickets = accounts.desk.tickets
    found = tickets.newest(account_id, METHOD, client)
    return found or tickets.second_factor(tickets.for_second_factor(account_id, METHOD, client, first))


def _open(
    desk: Desk,
    account_id: UUID,
    website_id: UUID,
    key_id: UUID,
    ticket: Ticket | None,
    first: ByPassword,
    client: Client,
) -> OpenedSession:
    """The session, if password, key and second factor still count at that moment."""
    session_id = uuid7()
    opened: list[OpenedSession] = []

    def decide() -> Decision:
        account = desk.account(account_id)
        if not account.may_sign_in:
            raise Problem(401, "invalid_credentials", "Invalid credentials")
        if account.two_factor and ticket is None:
            raise ended()
        website = desk.core.store.load(website_id, websites.evolve)
        if website is None or website.disconnected or website.keys[key_id].revoked:
            raise Problem(401, "invalid_credentials", "Invalid credentials")
        seen = website.version
        events = model.sign_in(
            account, session_id=session_id, method=METHOD, asked=Asked(datetime.now(UTC), account_id)
        )

        def also(cursor: Cursor[dict[str, Any]], _: int | None) -> None:
            must_count(cursor, account_id, first)
            # Writers take turns: who revoked the key before is seen here, who does so later ends this session.
            if cursor.execute(_CHANGED, (website_id, seen)).fetchone() is not None:
                raise Conflict("website")
            if ticket is not None:
                use(cursor, ticket.hash)
            session = open_website_session(
                cursor.connection,
                session_id=session_id,
                account_id=account_id,
                website_id=website_id,
                key_id=key_id,
                user_agent_family=client.device,
                browser=client.is_browser,
            )
            opened[:] = [session]

        return events, also

    desk.write(decide, account_id, client)
    return opened[0]


def _answer(body: Answer, cookie: str | None) -> Response:
    headers = {"Cache-Control": "no-store"}
    if cookie is not None:
        headers["Set-Cookie"] = cookie
    return Response(body.model_dump_json(by_alias=True), media_type="application/json", headers=headers)
