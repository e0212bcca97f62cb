"""Sign-in, sign-out and the first account: passwords and sessions beside the account's stream.

A correct password or a verified identity opens a session, or a login challenge if the account has a second factor
(`login_challenge`). A client may also send address, password and code in one request; both factors are verified.
"""

from __future__ import annotations

from typing import Final
from uuid import UUID

from command_api.accounts import model, setup_link
from command_api.accounts.commands import CreateFirstAccount, CreateSession, SignOut
from command_api.accounts.common_passwords import refuse_common
from command_api.accounts.fields import checked_password
from command_api.accounts.guessing_notice import GuessingNotifier
from command_api.accounts.login_attempts import LoginAttempt, LoginAttempts
from command_api.accounts.login_challenge import (
    ByIdentity,
    ByPassword,
    FirstFactor,
    InviteNeeded,
    LoginChallenge,
    ProvenIdentity,
    SecondFactorNeeded,
    invalid_credentials,
)
from command_api.accounts.passwords import Passwords
from command_api.accounts.service import AccountService
from command_api.accounts.sessions import SignInResult
from command_api.kernel.container import Container
from command_api.kernel.decision import CommandRejected, system_context
from infra.kernel.config.settings import SettingsError
from infra.kernel.http.problems import Problem
from infra.kernel.mail.addresses import checked_email
from infra.kernel.security.client_info import Client
from infra.kernel.security.sessions import Principal, hashed
from schemas.uuid7 import uuid7

_REHASH: Final = (
    "UPDATE accounts.credential SET password_hash = %s, updated_at = now() WHERE account_id = %s AND password_hash = %s"
)


class SignInService(AccountService):
    """Sign-in operations of the routes. Thread-safe."""

    def __init__(self, container: Container, passwords: Passwords) -> None:
        super().__init__(container, passwords)
        self._attempts = LoginAttempts(container)
        self._guessing_notifier = GuessingNotifier(self)

    def sign_in(
        self,
        email: str,
        password: str,
        client: Client,
        *,
        code: str | None = None,
        recovery_code: str | None = None,
        ticket: str | None = None,
    ) -> SignInResult | SecondFactorNeeded:
        """Opens a session, or requires the second factor; with a code it verifies both factors at once.

        Raises `Problem` 401 `invalid_credentials` for any wrong pair alike, 429, and what `second_factor` raises.
        """
        account, first = self.verify_password(email, password, client)
        if not account.two_factor:
            return self.create_session(account.id, "password", client, first=first)
        challenges = self.challenges
        if not code and not recovery_code:
            return SecondFactorNeeded(challenges.create_for_second_factor(account.id, "password", client, first))
        challenge = challenges.second_factor(ticket) if ticket else challenges.latest(account.id, "password", client)
        if challenge is None:
            challenge = challenges.second_factor(
                challenges.create_for_second_factor(account.id, "password", client, first)
            )
        if challenge.account_id != account.id:
            raise invalid_credentials()
        self.verify_second_factor(challenge, code, recovery_code, client)
        return self.create_session(account.id, challenge.method, client, challenge, first=first)

    def second_factor(self, ticket: str, code: str | None, recovery_code: str | None, client: Client) -> SignInResult:
        """Completes a sign-in. Raises `Problem` 401 `wrong_code`, `ticket_ended` (also after five wrong codes), 429."""
        challenge = self.challenges.second_factor(ticket)
        self.verify_second_factor(challenge, code, recovery_code, client)
        return self.create_session(challenge.account_id, challenge.method, client, challenge)

    def sign_in_with_identity(
        self, identity: ProvenIdentity, account_id: UUID | None, client: Client, *, subject_hash: str
    ) -> SignInResult | SecondFactorNeeded | InviteNeeded:
        """Signs in with a verified identity. `account_id`: the linked account, if any; `subject_hash`: the linked
        subject.

        Raises `Problem` 401 `invalid_credentials` for an account that may not sign in or is no longer linked.
        """
        if account_id is None:
            return InviteNeeded(self.challenges.create_for_registration(identity, client))
        account = self.account(account_id)
        if not account.may_sign_in:
            why = {"reason": "disabled", "method": identity.method}
            self.record_refusal("account.sign_in", client, account_id, why)
            raise invalid_credentials()
        first = ByIdentity(subject_hash)
        if account.two_factor:
            ticket = self.challenges.create_for_second_factor(account_id, identity.method, client, first)
            return SecondFactorNeeded(ticket)
        return self.create_session(account_id, identity.method, client, first=first)

    def verify_password(self, email: str, password: str, client: Client) -> tuple[model.Account, ByPassword]:
        """Returns the account of correct credentials. Raises `Problem` 401 `invalid_credentials` for any wrong pair
        alike, 429.

        The account is loaded only for a correct password: the time to load a long stream would reveal the account.
        """
        attempt = self._start_attempt(email, client)
        owner = self.owner(email)
        stored = self.password_hash(owner or uuid7())
        try:
            is_right = self.passwords.matches(stored, password, attempt.lane)
        except Problem:
            attempt.refund()
            raise
        account = self.account(owner) if owner is not None and is_right else None
        if account is None or stored is None or not account.may_sign_in:
            self.record_refusal("account.sign_in", client, owner, {"reason": "credentials"})
            if attempt.is_guessing:
                self._guessing_notifier.report_guess(self.email_hash(email), owner, client)
            raise invalid_credentials()
        attempt.refund()
        if self.passwords.is_outdated(stored):
            stored = self._rehash(account.id, stored, password)
        return account, ByPassword(stored)

    def _start_attempt(self, email: str, client: Client) -> LoginAttempt:
        """Starts an attempt, with a separate limit for known devices of the account. Without a device cookie nothing is
        looked up before the limit is checked. Raises `Problem` 429."""
        device = None
        if self.devices.has_any(client):
            owner = self.owner(email)
            device = self.devices.of(owner, self.password_hash(owner or uuid7()), client)
        return self._attempts.start(self.email_hash(email), client, device)

    def create_session(
        self,
        account_id: UUID,
        method: str,
        client: Client,
        ticket: LoginChallenge | None = None,
        *,
        first: FirstFactor | None = None,
    ) -> SignInResult:
        """Opens a session and ends the challenge if the first factor is unchanged. Without a challenge the account must
        have no second factor.

        Raises `Problem` 401 `invalid_credentials`, `ticket_ended`.
        """
        command = CreateSession(uuid7(), method, first, ticket, client)
        return self.send(command, account_id, client).answer

    def sign_out(self, person: Principal, client: Client) -> int | None:
        """Ends the session; idempotent."""
        return self.send(SignOut(person.session_id), person.account_id, client).position

    def set_up(self, token: str, email: str, password: str, name: str, client: Client) -> SignInResult:
        """Creates the first admin through the one-time setup link. Raises `CommandRejected` if one exists."""
        if self._is_set_up():
            raise model.already_set_up()
        query = "SELECT 1 FROM accounts.setup_token WHERE token_hash = %s AND expires_at > now()"
        if not self.container.select(query, hashed(token)):
            raise Problem(403, "bad_setup_link", "This setup link is not valid. `althing setup-link` prints a new one.")
        refuse_common(password, email, name)
        account_id = self._create_first(email, password, name, "setup", client)
        return self.create_session(account_id, "password", client)

    def ensure_first_admin(self) -> bool:
        """Creates the admin of the settings at startup; returns whether there is an account then.

        Raises `SettingsError` for an address or password that cannot sign in.
        """
        settings = self.container.settings
        if self._is_set_up():
            return True
        if settings.admin_email is None or settings.admin_password is None:
            return False
        try:
            email, password = _checked_credentials(settings.admin_email, settings.admin_password)
            self._create_first(email, password, "Administrator", "environment", Client())
        except CommandRejected as refused:
            if refused.code != "already_set_up":
                raise
        return True

    def setup_link(self) -> str | None:
        """Issues a link that creates the first admin; None once there is an account."""
        with self.container.pool.connection() as connection:
            return setup_link.issue(connection, self.container.settings)

    def verify_second_factor(
        self, ticket: LoginChallenge, code: str | None, recovery_code: str | None, client: Client
    ) -> None:
        """Consumes an attempt of the challenge and verifies the code. Raises `Problem` 401 `wrong_code`,
        `ticket_ended`, 429."""
        self.challenges.count_attempt(ticket)
        if not self.is_factor(ticket.account_id, code, recovery_code, client):
            why = {"reason": "code", "method": ticket.method}
            self.record_refusal("account.sign_in", client, ticket.account_id, why)
            raise Problem(401, "wrong_code", "That code is incorrect.")

    def _create_first(self, email: str, password: str, name: str, way: str, client: Client) -> UUID:
        password_hash = self.passwords.hash(password)
        command = CreateFirstAccount(uuid7(), email, name, password_hash, way, client)
        self.container.commands.dispatch(command, system_context())
        return command.account_id

    def _rehash(self, account_id: UUID, stored: str, password: str) -> str:
        """Replaces an outdated hash; returns the stored one, also after a concurrent change."""
        better = self.passwords.hash(password)
        if self.container.execute(_REHASH, better, account_id, stored):
            return better
        current = self.password_hash(account_id)
        if current is None or not self.passwords.matches(current, password):
            raise invalid_credentials()
        return current

    def _is_set_up(self) -> bool:
        with self.container.pool.connection() as connection:
            return setup_link.is_set_up(connection)


def _checked_credentials(email: str, password: str) -> tuple[str, str]:
    try:
        email = checked_email(email)
    except ValueError as error:
        raise SettingsError(f"ALTHING_ADMIN_EMAIL: {error}.") from error
    try:
        refuse_common(checked_password(password), email)
    except (ValueError, Problem) as error:
        raise SettingsError(f"ALTHING_ADMIN_PASSWORD: {error}") from error
    return email, password
