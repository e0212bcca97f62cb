"""Command handlers of sign-in and sign-out.

Handlers append before they touch rows: rows are locked after the store, as everywhere.
"""

from __future__ import annotations

from typing import Final
from uuid import UUID

from command_api.accounts import commands, model
from command_api.accounts.login_challenge import (
    LoginChallenge,
    assert_first_factor_unchanged,
    challenge_ended,
    consume_challenge,
    invalid_credentials,
)
from command_api.accounts.repository import sender_account
from command_api.accounts.sessions import SignInResult, end_all, open_platform_session
from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.decision import not_found
from command_api.kernel.unit_of_work import UnitOfWork
from command_api.websites import model as websites
from infra.kernel.security.sessions import OpenedSession, revoke_session
from infra.kernel.security.website_sessions import open_website_session

HANDLERS: Final = CommandHandlers()
WEBSITE_METHOD: Final = "website"


@HANDLERS.on(commands.CreateSession, senders="accounts")
def create_session(command: commands.CreateSession, uow: UnitOfWork) -> SignInResult:
    """Raises `Problem` 401 `invalid_credentials`, `ticket_ended`."""
    account = _account_to_sign_in(uow, command.challenge)
    _append_sign_in(uow, account, command.session_id, command.method)
    if command.first is not None:
        assert_first_factor_unchanged(uow.cursor, account.id, command.first)
    if command.challenge is not None:
        consume_challenge(uow.cursor, command.challenge.hash)
    session = open_platform_session(uow.cursor, account, command.session_id, command.client)
    return SignInResult(account, session, uow.position)


@HANDLERS.on(commands.CreateWebsiteSession, senders="accounts")
def create_website_session(command: commands.CreateWebsiteSession, uow: UnitOfWork) -> OpenedSession:
    """Raises `Problem` 401 `invalid_credentials`, `ticket_ended`."""
    account = _account_to_sign_in(uow, command.challenge)
    website = uow.load(command.website_id, websites.evolve)
    if website is None or website.disconnected or website.keys[command.key_id].revoked:
        raise invalid_credentials()
    _append_sign_in(uow, account, command.session_id, WEBSITE_METHOD)
    # A key that was revoked before is seen here; a later revocation ends this session.
    uow.require_version(website.id, website.version)
    assert_first_factor_unchanged(uow.cursor, account.id, command.first)
    if command.challenge is not None:
        consume_challenge(uow.cursor, command.challenge.hash)
    return open_website_session(
        uow.cursor.connection,
        session_id=command.session_id,
        account_id=account.id,
        website_id=website.id,
        key_id=command.key_id,
        user_agent_family=command.client.device,
        browser=command.client.is_browser,
    )


@HANDLERS.on(commands.SignOut, senders="accounts")
def sign_out(command: commands.SignOut, uow: UnitOfWork) -> None:
    _sign_out(uow, command.session_id)


@HANDLERS.on(commands.EndSession, senders="accounts")
def end_session(command: commands.EndSession, uow: UnitOfWork) -> None:
    """Raises `CommandRejected` (missing) for any other session."""
    live = "SELECT 1 FROM accounts.session WHERE id = %s AND account_id = %s AND revoked_at IS NULL"
    if not uow.select(live, command.session_id, uow.context.account_id):
        raise not_found("session")
    _sign_out(uow, command.session_id)


@HANDLERS.on(commands.EndOtherSessions, senders="accounts")
def end_other_sessions(command: commands.EndOtherSessions, uow: UnitOfWork) -> None:
    account = sender_account(uow)
    uow.append(*model.end_sessions(account, uow.context))
    end_all(uow.cursor, account.id, command.keep_session)


def _account_to_sign_in(uow: UnitOfWork, challenge: LoginChallenge | None) -> model.Account:
    account = sender_account(uow)
    if not account.may_sign_in:
        raise invalid_credentials()
    if account.two_factor and challenge is None:
        raise challenge_ended()
    return account


def _append_sign_in(uow: UnitOfWork, account: model.Account, session_id: UUID, method: str) -> None:
    """Appends the sign-in. Sign-ins to one account do not conflict with each other, but with every change of the
    account."""
    uow.append(*model.sign_in(account, session_id=session_id, method=method, context=uow.context))
    uow.require_version(account.id, account.version)


def _sign_out(uow: UnitOfWork, session_id: UUID) -> None:
    account_id, session = uow.context.require_account(), uow.load(session_id, model.evolve_session)
    uow.append(*model.sign_out(session, session_id=session_id, account_id=account_id, context=uow.context))
    revoke_session(uow.cursor.connection, session_id)
