"""Changes of credentials: password, email address, second factor.

Each change requires the password, and a code if there is a second factor. It ends other sessions and website sessions
and revokes pending links. A reset link replaces only the password: the second factor is still required.
"""

from __future__ import annotations

import secrets
import time
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

import orjson

from command_api.accounts import commands, mails, model
from command_api.accounts.common_passwords import refuse_common
from command_api.accounts.fields import Proof
from command_api.accounts.one_time_links import find_link, invalid_link, save_link
from command_api.accounts.second_factor import SetUp, save_pending_secret
from command_api.accounts.service import AccountService
from command_api.kernel import rate_limits
from command_api.kernel.command_handlers import Command
from command_api.kernel.decision import CommandRejected, conflict
from infra.kernel.http.problems import FieldError, Problem
from infra.kernel.http.worker_slots import release_worker_slot
from infra.kernel.mail.outbox import queue
from infra.kernel.security.audit_log import Entry
from infra.kernel.security.client_info import Client
from infra.kernel.security.sessions import Principal
from schemas.uuid7 import uuid7

RESET_LIFE: Final = timedelta(hours=1)
EMAIL_LIFE: Final = timedelta(days=1)
FORGOT_RESPONSE_S: Final = 0.2


class Credentials:
    """Changes by a signed-in person. `client`: where the request comes from."""

    def __init__(self, accounts: AccountService, person: Principal, client: Client) -> None:
        self.person = person
        self._accounts = accounts
        self._pool = accounts.container.pool
        self._client = client

    def send(self, command: Command[Any]) -> int | None:
        """Sends a command of the person; returns its position."""
        return self._accounts.send(command, self.person.account_id, self._client).position

    def require_proof(self, proof: Proof) -> model.Account:
        """Verifies the proof of the signed-in person; see `AccountService.require_proof`."""
        return self._accounts.require_proof(self.person, proof, self._client)

    def change_password(self, proof: Proof, password: str) -> int | None:
        """Raises `Problem` 400 `weak_password`, 403 as `AccountService.require_proof`."""
        account = self._accounts.account(self.person.account_id)
        refuse_common(password, account.email, account.name, account.company)
        self.require_proof(proof)
        return self.send(commands.ChangePassword(self._accounts.passwords.hash(password), self.person.session_id))

    def request_email_change(self, proof: Proof, email: str) -> None:
        """Emails a link to the new address and a notice to the old one. Only its owner learns whether the new address
        is in use."""
        account = self.require_proof(proof)
        rate_limits.consume(self._pool, rate_limits.PER_EMAIL_CHANGE, str(account.id))
        address = self._accounts.email_hash(email)
        rate_limits.consume_all(self._pool, (rate_limits.PER_MAIL, address), (rate_limits.PER_MAIL_A_DAY, address))
        settings, code = self._accounts.container.settings, secrets.token_urlsafe(32)
        owner, url = self._accounts.by_email(email), settings.app_url
        letter = mails.confirm_email(email, account.id, url, code)
        if owner is not None and owner.id != account.id:
            letter = mails.address_in_use(owner.email, owner.id, url)
        payload = orjson.dumps({"email": email, "session": str(self.person.session_id)}).decode()
        with self._pool.connection() as connection, connection.cursor() as cursor:
            save_link(cursor, settings, "email_change", code, account.id, EMAIL_LIFE, payload)
            queue(cursor, settings, letter)
            queue(cursor, settings, mails.email_change_asked(account.email, account.id, url))

    def begin_factor(self, proof: Proof | None) -> SetUp:
        """Creates a secret that becomes active with its first correct code. A recent session needs no password, unless
        a second factor exists. Raises `Problem` 403."""
        account = self._accounts.account(self.person.account_id)
        if proof is not None:
            self.require_proof(proof)
        elif account.two_factor or not self._accounts.is_recent(self.person.session_id):
            message = "Please enter your password."
            raise Problem(403, "password_needed", message, errors=[FieldError("password", message)])
        created = self._accounts.factors.new_secret(account.id, account.email)
        with self._pool.connection() as connection:
            save_pending_secret(connection, account.id, created.sealed)
        return created

    def confirm_factor(self, code: str) -> tuple[list[str], int | None]:
        """Activates the new secret; returns the recovery codes. Raises `Problem` 403 `wrong_code`."""
        account_id = self.person.account_id
        tries = self._accounts.code_limits(account_id, self._client, self.person, is_guessable=True)
        rate_limits.consume_all(self._pool, *tries)
        confirmed = self._accounts.factors.confirm(account_id, code)
        if confirmed is None:
            self._accounts.record_refusal("account.two_factor", self._client, account_id, {"reason": "code"})
            message = "That code is incorrect."
            raise Problem(403, "wrong_code", message, errors=[FieldError("code", message)])
        rate_limits.refund(self._pool, *tries)
        codes = self._accounts.factors.new_recovery_codes()
        command = commands.EnableTwoFactor(confirmed, tuple(codes.values()), self.person.session_id)
        return list(codes), self.send(command)

    def disable_factor(self, proof: Proof) -> int | None:
        """Raises `Problem` 403 as `AccountService.require_proof`, `CommandRejected` when there is none."""
        self.require_proof(proof)
        return self.send(commands.DisableTwoFactor(self.person.session_id))

    def new_recovery_codes(self, proof: Proof) -> tuple[list[str], int | None]:
        """Replaces the recovery codes by ten new ones. Raises `Problem` 403 as `AccountService.require_proof`, and
        `CommandRejected` without a second factor."""
        if not self.require_proof(proof).two_factor:
            raise conflict("no_second_factor", "Two-factor authentication is not set up.")
        codes = self._accounts.factors.new_recovery_codes()
        return list(codes), self.send(commands.ReplaceRecoveryCodes(tuple(codes.values()), self.person.session_id))


def forgot_password(accounts: AccountService, email: str, client: Client) -> None:
    """Emails a reset link if the account exists. Otherwise does the same work, in the same time, with the same
    response.

    The email goes to the account's own address: other spellings may be another person's mailbox.
    """
    began = time.monotonic()
    who, pool, settings = accounts.email_hash(email), accounts.container.pool, accounts.container.settings
    rate_limits.consume(pool, rate_limits.PER_ADDRESS, client.address)
    rate_limits.consume(pool, rate_limits.PER_REQUESTER, f"{who}@{client.address}")
    # Above this limit no mail is sent, and nobody is refused: others may have asked, and the last link still works.
    is_mailed = rate_limits.try_consume(pool, rate_limits.RESET_MAILS, who)
    account = accounts.by_email(email)
    may_reset = account is not None and account.may_sign_in and is_mailed
    account_id = account.id if account is not None and may_reset else uuid7()
    code = secrets.token_urlsafe(32)
    to = account.email if account is not None and may_reset else email
    mail = mails.password_reset(to, account_id, settings.app_url, code)
    with pool.connection() as connection, connection.cursor() as cursor:
        save_link(cursor, settings, "password_reset", code, account_id, RESET_LIFE)
        queue(cursor, settings, mail)
        if not may_reset:
            cursor.execute("DELETE FROM kernel.mail WHERE account_id = %s", (account_id,))
    accounts.record_audit(Entry("account.password_forgotten", account_id=account_id if may_reset else None), client)
    # An account's history takes time to read, the longer the longer it is.
    with release_worker_slot():
        time.sleep(max(0.0, began + FORGOT_RESPONSE_S - time.monotonic()))


def reset_password(accounts: AccountService, code: str, password: str, factor: Proof, client: Client) -> int | None:
    """Sets a new password by a reset link. Raises `Problem` 400 `bad_link`, `weak_password`; 403 `code_needed`,
    `wrong_code`."""
    rate_limits.consume(accounts.container.pool, rate_limits.PER_ADDRESS, client.address)
    account_id, _ = find_link(accounts.container, "password_reset", code)
    account = accounts.account(account_id)
    if not account.may_sign_in:
        raise invalid_link()
    refuse_common(password, account.email, account.name, account.company)
    accounts.require_second_factor(account, factor, client, None)
    command = commands.ResetPassword(accounts.passwords.hash(password), code)
    return accounts.send(command, account_id, client).position


def confirm_email(accounts: AccountService, code: str, client: Client) -> int | None:
    """Changes the address to the one that the link was sent to. Raises `Problem` 400 `bad_link`."""
    rate_limits.consume(accounts.container.pool, rate_limits.PER_ADDRESS, client.address)
    account_id, payload = find_link(accounts.container, "email_change", code)
    change = orjson.loads(payload)
    command = commands.ChangeEmail(str(change["email"]), code, UUID(change["session"]))
    try:
        return accounts.send(command, account_id, client).position
    except CommandRejected as refused:
        raise invalid_link() if refused.code == "email_taken" else refused from None
