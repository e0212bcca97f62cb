"""What all parts of this context work with: finding accounts, proving again who somebody is, writing what was decided.

`Desk.write` is how a decision about an account is stored: loaded, decided, written with its rows and its audit entries
in one transaction, and decided anew when somebody else was first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

from psycopg import Cursor

from command_api.accounts import limits, model
from command_api.accounts.devices import Devices
from command_api.accounts.half_signed_in import Tickets
from command_api.accounts.passwords import Lane, Passwords
from command_api.accounts.second_factor import SecondFactors, spend
from command_api.core import Core
from command_api.decision import Asked
from command_api.store import Also, Conflict
from command_api.trail import record_events
from infra.audit_trail import Entry, record
from infra.client import Client
from infra.identity import Principal
from infra.problems import FieldError, Problem
from infra.sealing import derived_key, keyed_hash
from schemas.base import DomainEvent
from schemas.identity import email_id

ATTEMPTS: Final = 40
"""Writers of one aggregate take turns; each loses at most once to each other that runs at the same time."""

Decision = tuple[Sequence[DomainEvent], Also | None]


@dataclass(frozen=True, slots=True)
class Proof:
    """What a person gives to prove again that it is they: the password, and a code if the account has a factor."""

    password: str
    code: str | None = None
    recovery_code: str | None = None


class Desk:
    """Thread-safe."""

    def __init__(self, core: Core, passwords: Passwords) -> None:
        self.core = core
        self.passwords = passwords
        self.tickets = Tickets(core.pool, core.settings)
        self.factors = SecondFactors(core.pool, core.settings, passwords)
        self.devices = Devices(core.settings)
        self._email_key = derived_key(core.settings, "email")

    def account(self, account_id: UUID) -> model.Account:
        """Raises `Problem` 401 when there is none."""
        account = self.core.store.load(account_id, model.evolve)
        if account is None:
            raise Problem(401, "not_signed_in", "Please sign in.")
        return account

    def by_email(self, email: str) -> model.Account | None:
        account_id = self.owner(email)
        return self.core.store.load(account_id, model.evolve) if account_id is not None else None

    def owner(self, email: str) -> UUID | None:
        """Whose the address is. As quick for an account with a long history as for nobody."""
        claim = self.core.store.load(self.guard(email), model.evolve_email)
        return claim.account_id if claim is not None else None

    def guard(self, email: str) -> UUID:
        """The aggregate that guards the address."""
        return email_id(self.email_hash(email))

    def email_hash(self, email: str) -> str:
        return keyed_hash(self._email_key, email.strip().casefold())

    def password_hash(self, account_id: UUID) -> str | None:
        with self.core.pool.connection() as connection:
            row = connection.execute(
                "SELECT password_hash FROM auth.credential WHERE account_id = %s", (account_id,)
            ).fetchone()
        return row[0] if row else None

    def device_cookie(self, account_id: UUID, client: Client) -> str:
        """The `Set-Cookie` value for a client that just signed in."""
        return self.devices.cookie(account_id, self.password_hash(account_id), client)

    def write(self, decide: Callable[[], Decision], actor_id: UUID | None, client: Client) -> int | None:
        """Stores what `decide` comes to; the position. Raises what `decide` and its rows raise, and `Problem` 409."""
        for _ in range(ATTEMPTS):
            events, also = decide()

            def rows(
                cursor: Cursor[dict[str, Any]],
                position: int | None,
                events: Sequence[DomainEvent] = events,
                also: Also | None = also,
            ) -> None:
                if also is not None:
                    also(cursor, position)
                record_events(cursor, events, actor_id, client)

            try:
                return self.core.store.write(events, rows)
            except Conflict:
                continue
        raise Problem(409, "busy", "This was changed by somebody else at the same moment. Please try again.")

    def refuse(
        self, action: str, client: Client, account_id: UUID | None = None, details: Mapping[str, Any] | None = None
    ) -> None:
        """Notes a refusal in the audit trail."""
        self.note(Entry(action, "refused", None, account_id, None, details or {}), client)

    def note(self, entry: Entry, client: Client) -> None:
        """Notes in the audit trail what no event tells."""
        with self.core.pool.connection() as connection:
            record(connection, entry, client)

    def prove(self, person: Principal, proof: Proof, client: Client) -> model.Account:
        """The account, once the proof was checked. Raises `Problem` 403 `no_password`, `wrong_password`, `code_needed`,
        `wrong_code`, and 429 after too many from this session: guesses in another one do not count here."""
        account = self.account(person.account_id)
        who = str(person.session_id)
        stored = self.password_hash(account.id)
        if stored is None:
            raise _wrong("no_password", "password", "Your account has no password yet. Please set one by mail first.")
        limits.charge(self.core.pool, limits.PER_PROOF, who)
        with limits.looked_at(self.core.pool, (limits.PER_PROOF, who)):
            is_right = self.passwords.matches(stored, proof.password, Lane.KNOWN)
        if not is_right:
            self.refuse("account.proof", client, account.id, {"reason": "password"})
            raise _wrong("wrong_password", "password", "The password is not right.")
        limits.give_back(self.core.pool, limits.PER_PROOF, who)
        self.prove_factor(account, proof, client, person)
        return account

    def prove_factor(self, account: model.Account, proof: Proof, client: Client, person: Principal | None) -> None:
        """Checks the second factor of an account that has one; the code is used with it. Raises `Problem` 403."""
        code, recovery_code = proof.code, proof.recovery_code
        if not account.two_factor:
            return
        if not code and not recovery_code:
            raise _wrong("code_needed", "code", "Please enter your 2FA code to continue")
        if not self.is_factor(account.id, code, recovery_code, client, person):
            self.refuse("account.proof", client, account.id, {"reason": "code"})
            raise _wrong("wrong_code", "recoveryCode" if recovery_code else "code", "That code is not right.")

    def is_factor(
        self,
        account_id: UUID,
        code: str | None,
        recovery_code: str | None,
        client: Client,
        person: Principal | None = None,
    ) -> bool:
        """Whether the code is right; then it is used. Takes a try of where it comes from, given back if it was right.

        Codes of an authenticator are few digits: strangers share a bucket of them besides. Recovery codes cannot be
        guessed, so one still lets the owner in at a new address when somebody with the password has used that up.
        """
        tries = self.code_tries(account_id, client, person, is_guessable=not recovery_code)
        limits.charge_all(self.core.pool, *tries)
        if recovery_code:
            with limits.looked_at(self.core.pool, *tries):
                right = self._spend_recovery_code(account_id, recovery_code, client)
        else:
            right = self.factors.is_right(account_id, code or "")
        if right:
            for limit, who in tries:
                limits.give_back(self.core.pool, limit, who)
        return right

    def code_tries(
        self, account_id: UUID, client: Client, person: Principal | None, *, is_guessable: bool
    ) -> list[tuple[limits.Limit, str]]:
        """What a try of a code is charged to: the session, the known device, or the address and all strangers."""
        if person is not None:
            return [(limits.PER_CODE, f"{account_id}@{person.session_id}")]
        device = self.devices.of(account_id, self.password_hash(account_id), client)
        if device is not None:
            return [(limits.PER_CODE, f"{account_id}@{device}")]
        shared = [(limits.STRANGE_CODES, str(account_id))] if is_guessable else []
        return [(limits.PER_CODE, f"{account_id}@{client.address}"), *shared]

    def _spend_recovery_code(self, account_id: UUID, text: str, client: Client) -> bool:
        number = self.factors.recovery_code(account_id, text)
        if number is None:
            return False

        def also(cursor: Cursor[dict[str, Any]], _: int | None) -> None:
            if not spend(cursor, account_id, number):
                raise _Spent

        asked = Asked(datetime.now(UTC), account_id)
        try:
            self.write(lambda: (model.use_recovery_code(self.account(account_id), asked), also), account_id, client)
        except _Spent:
            return False
        return True


class _Spent(Exception):
    """Another used the recovery code first."""


def _wrong(code: str, field: str, message: str) -> Problem:
    return Problem(403, code, message, errors=[FieldError(field, message)])
