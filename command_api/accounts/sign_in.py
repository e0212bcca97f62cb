"""Signing in and out, and the very first account: what touches passwords and sessions beside the account's history.

A right password, or an identity that a provider has proven, opens a session, or a ticket where a second factor must
follow (`half_signed_in`). A client may also send address, password and code at once: both are looked at, both count.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, Final
from uuid import UUID

from psycopg import Cursor

from command_api.accounts import model
from command_api.accounts.common_passwords import refuse_common
from command_api.accounts.desk import Decision, Desk
from command_api.accounts.fields import checked_email, checked_password
from command_api.accounts.half_signed_in import (
    ByIdentity,
    ByPassword,
    FirstFactor,
    InviteNeeded,
    ProvenIdentity,
    SecondFactorNeeded,
    Ticket,
    ended,
    must_count,
    use,
)
from command_api.accounts.noticing import Noticing
from command_api.accounts.passwords import Passwords
from command_api.accounts.tries import Taken, Tries
from command_api.accounts.turns import Turns
from command_api.core import Core
from command_api.decision import Asked, Refused, by_system, conflict
from command_api.store import Conflict
from command_api.trail import record_events
from infra.client import Client
from infra.identity import OpenedSession, Principal, open_session, revoke_session
from infra.problems import Problem
from infra.settings import SettingsError
from schemas.events.accounts import Role
from schemas.uuid7 import uuid7

SETUP_TOKEN_LIFE: Final = "24 hours"  # noqa: S105 - a duration


@dataclass(frozen=True, slots=True)
class Entered:
    """A person who just signed in."""

    account: model.Account
    session: OpenedSession
    position: int | None


class Accounts:
    """What the routes of this context call. Thread-safe."""

    def __init__(self, core: Core, passwords: Passwords) -> None:
        self._core = core
        self.desk = Desk(core, passwords)
        self._turns = Turns()
        self._tries = Tries(core.pool, core.settings)
        self._noticing = Noticing(self.desk)

    def sign_in(
        self,
        email: str,
        password: str,
        client: Client,
        *,
        code: str | None = None,
        recovery_code: str | None = None,
        ticket: str | None = None,
    ) -> Entered | SecondFactorNeeded:
        """Opens a session, or asks for the second factor; with a code it takes both steps at once.

        Raises `Problem` 401 `invalid_credentials` for any wrong pair alike, 429 after too many, and what
        `second_factor` raises.
        """
        account, first = self.with_password(email, password, client)
        if not account.two_factor:
            return self.enter(account.id, "password", client, first=first)
        tickets = self.desk.tickets
        if not code and not recovery_code:
            return SecondFactorNeeded(tickets.for_second_factor(account.id, "password", client, first))
        found = tickets.second_factor(ticket) if ticket else tickets.newest(account.id, "password", client)
        if found is None:
            found = tickets.second_factor(tickets.for_second_factor(account.id, "password", client, first))
        if found.account_id != account.id:
            raise Problem(401, "invalid_credentials", "Invalid credentials")
        self.try_code(found, code, recovery_code, client)
        return self.enter(account.id, found.method, client, found, first=first)

    def second_factor(self, ticket: str, code: str | None, recovery_code: str | None, client: Client) -> Entered:
        """Finishes a sign-in. Raises `Problem` 401 `wrong_code`, `ticket_ended` (also after five wrong codes), 429."""
        found = self.desk.tickets.second_factor(ticket)
        self.try_code(found, code, recovery_code, client)
        return self.enter(found.account_id, found.method, client, found)

    def sign_in_proven(
        self, identity: ProvenIdentity, account_id: UUID | None, client: Client, *, subject_hash: str
    ) -> Entered | SecondFactorNeeded | InviteNeeded:
        """Signs in whom a provider has proven. `account_id`: whose account the identity is linked to, if anybody's;
        `subject_hash`: as what it is linked.

        Raises `Problem` 401 `invalid_credentials` for an account that may not sign in, or is not linked any more.
        """
        if account_id is None:
            return InviteNeeded(self.desk.tickets.for_registration(identity, client))
        account = self.desk.account(account_id)
        if not account.may_sign_in:
            self.desk.refuse("account.sign_in", client, account_id, {"reason": "disabled", "method": identity.method})
            raise Problem(401, "invalid_credentials", "Invalid credentials")
        first = ByIdentity(subject_hash)
        if account.two_factor:
            return SecondFactorNeeded(self.desk.tickets.for_second_factor(account_id, identity.method, client, first))
        return self.enter(account_id, identity.method, client, first=first)

    def with_password(self, email: str, password: str, client: Client) -> tuple[model.Account, ByPassword]:
        """The account of a right pair. Raises `Problem` 401 `invalid_credentials` for any other alike, 429.

        The account is loaded for a right password alone: a long history must not tell that there is one.
        """
        taken = self._taken(email, client)
        owner = self.desk.owner(email)
        stored = self.desk.password_hash(owner or uuid7())
        try:
            right = self.desk.passwords.matches(stored, password, taken.lane)
        except Problem:
            taken.give_back()
            raise
        account = self.desk.account(owner) if owner is not None and right else None
        if account is None or stored is None or not account.may_sign_in:
            self.desk.refuse("account.sign_in", client, owner, {"reason": "credentials"})
            if taken.is_guessing:
                self._noticing.guesses(self.desk.email_hash(email), owner, client)
            raise Problem(401, "invalid_credentials", "Invalid credentials")
        taken.give_back()
        if self.desk.passwords.is_outdated(stored):
            stored = self._rehash(account.id, stored, password)
        return account, ByPassword(stored)

    def _taken(self, email: str, client: Client) -> Taken:
        """One try, counted apart for a known device of the account. Without a device's cookie nothing is looked up
        before the try is free. Raises `Problem` 429."""
        device = None
        if self.desk.devices.has_any(client):
            owner = self.desk.owner(email)
            device = self.desk.devices.of(owner, self.desk.password_hash(owner or uuid7()), client)
        return self._tries.take(self.desk.email_hash(email), client, device)

    def enter(
        self,
        account_id: UUID,
        method: str,
        client: Client,
        ticket: Ticket | None = None,
        *,
        first: FirstFactor | None = None,
    ) -> Entered:
        """Opens a session in the transaction of its event; the ticket that led here ends with it. At that moment the
        first factor must still count, and without a ticket there must be no second one.

        Raises `Problem` 401 `invalid_credentials`, `ticket_ended`.
        """
        session_id = uuid7()
        entered: list[tuple[model.Account, OpenedSession]] = []

        def decide() -> Decision:
            account = self.desk.account(account_id)
            if not account.may_sign_in:
                raise Problem(401, "invalid_credentials", "Invalid credentials")
            if account.two_factor and ticket is None:
                raise ended()
            asked = Asked(datetime.now(UTC), account_id)
            events = model.sign_in(account, session_id=session_id, method=method, asked=asked)

            def also(cursor: Cursor[dict[str, Any]], _: int | None) -> None:
                if first is not None:
                    must_count(cursor, account_id, first)
                if ticket is not None:
                    use(cursor, ticket.hash)
                session = open_for(cursor, account, session_id, client)
                entered[:] = [(replace(account, version=account.version + 1), session)]

            return events, also

        with self._turns.of(account_id):
            position = self.desk.write(decide, account_id, client)
        account, session = entered[0]
        return Entered(account, session, position)

    def sign_out(self, person: Principal, client: Client) -> int | None:
        """Ends the session; a second time it does nothing."""

        def also(cursor: Cursor[dict[str, Any]], _: int | None) -> None:
            revoke_session(cursor.connection, person.session_id)

        def decide() -> Decision:
            asked = Asked(datetime.now(UTC), person.account_id)
            account = self.desk.account(person.account_id)
            return model.sign_out(account, session_id=person.session_id, asked=asked), also

        return self.desk.write(decide, person.account_id, client)

    def set_up(self, token: str, email: str, password: str, name: str, client: Client) -> Entered:
        """Makes the first admin, once; for the one-time link of the first start. Raises `Refused` afterwards."""
        if self._is_set_up():
            raise conflict("already_set_up", "This installation is set up already. Please sign in.")
        with self._core.pool.connection() as connection:
            known = connection.execute(
                "SELECT 1 FROM auth.setup_token WHERE token_hash = %s AND expires_at > now()", (_hash(token),)
            ).fetchone()
        if known is None:
            raise Problem(403, "bad_setup_link", "This set-up link is not valid. The start of the server prints one.")
        refuse_common(password, email, name)
        account_id = self._create_first(email, password, name, "setup", client)
        return self.enter(account_id, "password", client)

    def ensure_first_admin(self) -> str | None:
        """At start: makes the admin that the settings name, or gives the set-up link when there is nobody yet.

        Raises `SettingsError` for an address or a password with which nobody could sign in.
        """
        settings = self._core.settings
        if self._is_set_up():
            return None
        if settings.admin_email is not None and settings.admin_password is not None:
            try:
                email, password = _fit(settings.admin_email, settings.admin_password)
                self._create_first(email, password, "Administrator", "environment", Client())
            except Refused as refused:
                if refused.code != "already_set_up":
                    raise
            return None
        token = secrets.token_urlsafe(32)
        with self._core.pool.connection() as connection:
            connection.execute("DELETE FROM auth.setup_token WHERE expires_at < now()")
            connection.execute(
                "INSERT INTO auth.setup_token (token_hash, expires_at) VALUES (%s, now() + %s::interval)",
                (_hash(token), SETUP_TOKEN_LIFE),
            )
        return f"{settings.app_url}/setup?token={token}"

    def try_code(self, ticket: Ticket, code: str | None, recovery_code: str | None, client: Client) -> None:
        """Takes one of the ticket's tries. Raises `Problem` 401 `wrong_code`, `ticket_ended`, 429."""
        self.desk.tickets.count_try(ticket)
        if not self.desk.is_factor(ticket.account_id, code, recovery_code, client):
            self.desk.refuse("account.sign_in", client, ticket.account_id, {"reason": "code", "method": ticket.method})
            raise Problem(401, "wrong_code", "That code is not right.")

    def _create_first(self, email: str, password: str, name: str, way: str, client: Client) -> UUID:
        account_id = uuid7()
        password_hash = self.desk.passwords.hash(password)
        guard = self.desk.guard(email)
        events = model.register(
            self._core.store.load(guard, model.evolve_email),
            account_id=account_id,
            email_id=guard,
            email=email.strip(),
            name=name.strip(),
            roles=(Role.MEMBER, Role.ANALYST, Role.ADMIN),
            way=way,
            asked=by_system(),
        )

        def also(cursor: Cursor[dict[str, Any]], _: int | None) -> None:
            cursor.execute("INSERT INTO auth.first_account (account_id) VALUES (%s)", (account_id,))
            cursor.execute("INSERT INTO auth.admin (account_id) VALUES (%s)", (account_id,))
            cursor.execute(
                "INSERT INTO auth.role_holder (account_id, roles) VALUES (%s, %s)",
                (account_id, [Role.ADMIN.value, Role.ANALYST.value]),
            )
            cursor.execute(
                "INSERT INTO auth.credential (account_id, password_hash) VALUES (%s, %s)", (account_id, password_hash)
            )
            cursor.execute("DELETE FROM auth.setup_token")
            record_events(cursor, events, account_id, client)

        try:
            self._core.store.write(events, also)
        except Conflict as error:
            raise conflict("already_set_up", "This installation is set up already. Please sign in.") from error
        return account_id

    def _rehash(self, account_id: UUID, stored: str, password: str) -> str:
        """The hash that counts from now on; of two who do this at the same moment, one's."""
        better = self.desk.passwords.hash(password)
        with self._core.pool.connection() as connection:
            changed = connection.execute(
                "UPDATE auth.credential SET password_hash = %s, updated_at = now()"
                " WHERE account_id = %s AND password_hash = %s",
                (better, account_id, stored),
            ).rowcount
        if changed:
            return better
        current = self.desk.password_hash(account_id)
        if current is None or not self.desk.passwords.matches(current, password):
            raise Problem(401, "invalid_credentials", "Invalid credentials")
        return current

    def _is_set_up(self) -> bool:
        with self._core.pool.connection() as connection:
            return connection.execute("SELECT 1 FROM auth.first_account").fetchone() is not None


def _fit(email: str, password: str) -> tuple[str, str]:
    try:
        email = checked_email(email)
    except ValueError as error:
        raise SettingsError(f"ALTHING_ADMIN_EMAIL: {error}.") from error
    try:
        refuse_common(checked_password(password), email)
    except (ValueError, Problem) as error:
        raise SettingsError(f"ALTHING_ADMIN_PASSWORD: {error}") from error
    return email, password


def open_for(cursor: Cursor[Any], account: model.Account, session_id: UUID, client: Client) -> OpenedSession:
    """A session of the account in the caller's transaction."""
    return open_session(
        cursor.connection,
        account_id=account.id,
        session_id=session_id,
        email=account.email,
        name=account.name,
        roles=[role.value for role in account.roles],
        user_agent_family=client.device,
        country=client.country,
        browser=client.is_browser,
    )


def _hash(token: str) -> bytes:
    return sha256(token.encode()).digest()
