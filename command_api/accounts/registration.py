"""Registration by invite. Invite use, account and address are stored in one transaction, so a failure consumes no use.

The invite is checked first, so only the holder of a usable invite can learn whether an address has an account. Such
attempts are limited per invite and audited, and the owner of the address gets an email.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Final
from uuid import UUID

from command_api.accounts import mails
from command_api.accounts.commands import NewIdentity, Register
from command_api.accounts.common_passwords import refuse_common
from command_api.accounts.invites import codes as invite_codes
from command_api.accounts.invites import model as invites
from command_api.accounts.login_challenge import ByPassword
from command_api.accounts.repository import usable_invite
from command_api.accounts.schemas import RegisterRequest, RegisterWithIdentityRequest
from command_api.accounts.second_factor import SetUp
from command_api.accounts.service import AccountService
from command_api.accounts.sessions import SignInResult
from command_api.kernel import rate_limits
from command_api.kernel.decision import CommandRejected, system_context
from infra.kernel.http.problems import Problem
from infra.kernel.mail.outbox import queue
from infra.kernel.security.client_info import Client
from schemas.uuid7 import uuid7

_PER_INVITE: Final = rate_limits.Limit("invite", timedelta(minutes=10), 10)
"""Registrations per invite that failed on an address in use, so that an invite cannot enumerate addresses."""


@dataclass(frozen=True, slots=True)
class Registered:
    """A registered account with an open session and a pending second factor."""

    result: SignInResult
    second_factor: SetUp


def register(accounts: AccountService, form: RegisterRequest, client: Client) -> Registered:
    """Creates an account with a password. Raises `Problem` 400 (`weak_password`, `not_registered`), 429, and
    `CommandRejected` for an unusable invite."""
    rate_limits.consume(accounts.container.pool, rate_limits.PER_ADDRESS, client.address)
    refuse_common(form.password, form.email, form.name, form.company or "")
    invite_id = _usable_invite(accounts, form.invite_code, client)
    credential = ByPassword(accounts.passwords.hash(form.password))
    return _register(accounts, form, invite_id, "password", credential, client)


def register_with_identity(
    accounts: AccountService, form: RegisterWithIdentityRequest, identity: NewIdentity, client: Client
) -> Registered:
    """Creates an account for the verified identity of a ticket, and ends the ticket. Raises as `register` does, and
    `Problem` 401 `ticket_ended`."""
    rate_limits.consume(accounts.container.pool, rate_limits.PER_ADDRESS, client.address)
    invite_id = _usable_invite(accounts, form.invite_code, client)
    return _register(accounts, form, invite_id, identity.provider, identity, client)


def _usable_invite(accounts: AccountService, code: str, client: Client) -> UUID:
    """Returns the invite's id. Raises `CommandRejected` if it cannot be used."""
    code_hash = invite_codes.code_hash(accounts.container.settings, code)
    rows = accounts.container.select("SELECT invite_id FROM accounts.invite_code WHERE code_hash = %s", code_hash)
    invite = usable_invite(accounts.container, rows[0][0]) if rows else None
    try:
        [used] = invites.use(invite, account_id=uuid7(), context=system_context())
    except CommandRejected as refused:
        accounts.record_refusal("account.register", client, None, {"reason": refused.code})
        raise
    return used.originator_id


def _register(
    accounts: AccountService,
    form: RegisterRequest | RegisterWithIdentityRequest,
    invite_id: UUID,
    method: str,
    credential: ByPassword | NewIdentity,
    client: Client,
) -> Registered:
    account_id, company = uuid7(), form.company or ""
    set_up = accounts.factors.new_secret(account_id, form.email)
    command = Register(uuid7(), invite_id, form.email, form.name, company, method, credential, set_up.sealed, client)
    try:
        return Registered(accounts.send(command, account_id, client).answer, set_up)
    except CommandRejected as refused:
        if refused.code == "email_taken":
            _refuse_address(accounts, form.email, invite_id, client)
        accounts.record_refusal("account.register", client, None, {"reason": refused.code})
        raise


def _refuse_address(accounts: AccountService, email: str, invite_id: UUID, client: Client) -> None:
    """Notifies the owner of the address. Raises `Problem` 400 without details, or 429."""
    owner, pool = accounts.by_email(email), accounts.container.pool
    accounts.record_refusal("account.register", client, owner.id if owner else None, {"reason": "not_registered"})
    rate_limits.consume(pool, _PER_INVITE, str(invite_id))
    if owner is not None and rate_limits.try_consume_mail(pool, accounts.email_hash(email)):
        settings = accounts.container.settings
        with pool.connection() as connection:
            queue(connection, settings, mails.address_in_use(owner.email, owner.id, settings.app_url))
    raise Problem(400, "not_registered", "Failed to create account")
