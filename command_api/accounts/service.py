"""Account service: finds accounts, verifies proofs of ownership, sends commands of accounts."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final, TypeVar
from uuid import UUID

from command_api.accounts import model
from command_api.accounts.commands import UseRecoveryCode
from command_api.accounts.devices import Devices
from command_api.accounts.fields import Proof
from command_api.accounts.login_challenge import LoginChallenges
from command_api.accounts.passwords import PasswordLane, Passwords
from command_api.accounts.repository import email_hash, reservation_id
from command_api.accounts.second_factor import RecoveryCodeSpent, SecondFactors
from command_api.kernel import rate_limits
from command_api.kernel.command_bus import CommandOutcome
from command_api.kernel.command_handlers import Command
from command_api.kernel.container import Container
from command_api.kernel.decision import CommandContext
from infra.kernel.http.problems import FieldError, Problem
from infra.kernel.security.audit_log import Entry, record
from infra.kernel.security.client_info import Client
from infra.kernel.security.sessions import Principal

Answer = TypeVar("Answer")
RECENT: Final = timedelta(minutes=10)


class AccountService:
    """The base of sign-in, registration and settings. Thread-safe."""

    def __init__(self, container: Container, passwords: Passwords) -> None:
        self.container = container
        self.passwords = passwords
        self.challenges = LoginChallenges(container)
        self.factors = SecondFactors(container, passwords)
        self.devices = Devices(container.settings)

    def account(self, account_id: UUID) -> model.Account:
        """Loads the account. Raises `Problem` 401 if it does not exist."""
        account = self.container.load(account_id, model.evolve)
        if account is None:
            raise Problem(401, "not_signed_in", "Please sign in.")
        return account

    def by_email(self, email: str) -> model.Account | None:
        account_id = self.owner(email)
        return self.container.load(account_id, model.evolve) if account_id is not None else None

    def owner(self, email: str) -> UUID | None:
        """Returns the account id of the address, in the same time for existing and unknown addresses."""
        reservation = self.container.load(reservation_id(self.container.settings, email), model.evolve_email)
        return reservation.account_id if reservation is not None else None

    def email_hash(self, email: str) -> str:
        return email_hash(self.container.settings, email)

    def password_hash(self, account_id: UUID) -> str | None:
        rows = self.container.select("SELECT password_hash FROM accounts.credential WHERE account_id = %s", account_id)
        return rows[0][0] if rows else None

    def is_recent(self, session_id: UUID) -> bool:
        """Returns whether the session is so young that its sign-in is proof enough."""
        young = "SELECT 1 FROM accounts.session WHERE id = %s AND created_at > now() - %s"
        return bool(self.container.select(young, session_id, RECENT))

    def device_cookie(self, account_id: UUID, client: Client) -> str:
        """Returns the `Set-Cookie` value that marks the client as a known device."""
        return self.devices.cookie(account_id, self.password_hash(account_id), client)

    def send(self, command: Command[Answer], account_id: UUID, client: Client) -> CommandOutcome[Answer]:
        """Dispatches a command of the account now, with audit entries. Raises what the command bus raises."""
        return self.container.commands.dispatch(command, CommandContext(datetime.now(UTC), account_id), client)

    def record_refusal(
        self, action: str, client: Client, account_id: UUID | None = None, details: Mapping[str, Any] | None = None
    ) -> None:
        """Writes an audit entry of a refusal."""
        self.record_audit(Entry(action, "refused", None, account_id, None, details or {}), client)

    def record_audit(self, entry: Entry, client: Client) -> None:
        """Writes an audit entry that has no event."""
        with self.container.pool.connection() as connection:
            record(connection, entry, client)

    def require_proof(self, person: Principal, proof: Proof, client: Client) -> model.Account:
        """Returns the account after verifying the proof. Raises `Problem` 403 `no_password`, `wrong_password`,
        `code_needed`, `wrong_code`, and 429 after too many attempts of this session; other sessions have their own
        limit.
        """
        account = self.account(person.account_id)
        who = str(person.session_id)
        stored = self.password_hash(account.id)
        if stored is None:
            raise _wrong("no_password", "password", "Your account has no password. Set one by email first.")
        rate_limits.consume(self.container.pool, rate_limits.PER_PROOF, who)
        with rate_limits.attempt(self.container.pool, (rate_limits.PER_PROOF, who)):
            is_valid_code = self.passwords.matches(stored, proof.password, PasswordLane.KNOWN)
        if not is_valid_code:
            self.record_refusal("account.proof", client, account.id, {"reason": "password"})
            raise _wrong("wrong_password", "password", "The password is incorrect.")
        rate_limits.refund(self.container.pool, (rate_limits.PER_PROOF, who))
        self.require_second_factor(account, proof, client, person)
        return account

    def require_second_factor(
        self, account: model.Account, proof: Proof, client: Client, person: Principal | None
    ) -> None:
        """Verifies and consumes the second factor of an account that has one. Raises `Problem` 403."""
        code, recovery_code = proof.code, proof.recovery_code
        if not account.two_factor:
            return
        if not code and not recovery_code:
            raise _wrong("code_needed", "code", "Please enter your 2FA code to continue")
        if not self.is_factor(account.id, code, recovery_code, client, person):
            self.record_refusal("account.proof", client, account.id, {"reason": "code"})
            raise _wrong("wrong_code", "recoveryCode" if recovery_code else "code", "That code is incorrect.")

    def is_factor(
        self,
        account_id: UUID,
        code: str | None,
        recovery_code: str | None,
        client: Client,
        person: Principal | None = None,
    ) -> bool:
        """Verifies and consumes the code. The attempt is consumed first and refunded if the code is correct.

        Authenticator codes are short: unknown devices share another limit. Recovery codes cannot be guessed, so they
        still work from a new address when that limit is exhausted.
        """
        tries = self.code_limits(account_id, client, person, is_guessable=not recovery_code)
        rate_limits.consume_all(self.container.pool, *tries)
        if recovery_code:
            with rate_limits.attempt(self.container.pool, *tries):
                right = self._spend_recovery_code(account_id, recovery_code, client)
        else:
            right = self.factors.is_valid_code(account_id, code or "")
        if right:
            rate_limits.refund(self.container.pool, *tries)
        return right

    def code_limits(
        self, account_id: UUID, client: Client, person: Principal | None, *, is_guessable: bool
    ) -> list[tuple[rate_limits.Limit, str]]:
        """Returns the limits of a code attempt: session, known device, or address and all unknown devices."""
        if person is not None:
            return [(rate_limits.PER_CODE, f"{account_id}@{person.session_id}")]
        device = self.devices.of(account_id, self.password_hash(account_id), client)
        if device is not None:
            return [(rate_limits.PER_CODE, f"{account_id}@{device}")]
        shared = [(rate_limits.UNKNOWN_DEVICE_CODES, str(account_id))] if is_guessable else []
        return [(rate_limits.PER_CODE, f"{account_id}@{client.address}"), *shared]

    def _spend_recovery_code(self, account_id: UUID, text: str, client: Client) -> bool:
        number = self.factors.recovery_code(account_id, text)
        if number is None:
            return False
        try:
            self.send(UseRecoveryCode(number), account_id, client)
        except RecoveryCodeSpent:
            return False
        return True


def _wrong(code: str, field: str, message: str) -> Problem:
    return Problem(403, code, message, errors=[FieldError(field, message)])
