"""Signing in and out, and the very first account: what touches passwords and sessions beside the account's history."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, Final
from uuid import UUID

from psycopg import Cursor

from command_api.accounts import limits, model
from command_api.accounts.passwords import Passwords
from command_api.commands import ATTEMPTS
from command_api.core import Core
from command_api.decision import Asked, Refused, by_system, conflict
from command_api.store import Conflict
from infra.identity import OpenedSession, Principal, open_session, revoke_session
from infra.problems import Problem
from infra.sealing import derived_key, keyed_hash
from schemas.events.accounts import Role
from schemas.identity import email_id
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
        self._passwords = passwords
        self._email_key = derived_key(core.settings, "email")

    def sign_in(self, email: str, password: str, address: str, device: str) -> Entered:
        """Opens a session. Raises `Problem` 401 `invalid_credentials` for any wrong pair alike, 429 after too many."""
        who = self._email_hash(email)
        limits.charge(self._core.pool, limits.PER_ADDRESS, address)
        limits.charge(self._core.pool, limits.PER_ACCOUNT, who)
        account = self._account_of(who)
        stored = self._password_hash(account.id) if account is not None else None
        right = self._passwords.matches(stored, password)
        if account is None or stored is None or not right or not account.may_sign_in:
            raise Problem(401, "invalid_credentials", "Invalid credentials")
        limits.give_back(self._core.pool, limits.PER_ADDRESS, address)
        limits.give_back(self._core.pool, limits.PER_ACCOUNT, who)
        better = self._passwords.hash(password) if self._passwords.is_outdated(stored) else None
        return self._enter(account.id, better, device)

    def sign_out(self, person: Principal) -> int | None:
        """Ends the session; a second time it does nothing."""
        asked = Asked(datetime.now(UTC), person.account_id)

        def revoke(cursor: Cursor[dict[str, Any]], _: int | None) -> None:
            revoke_session(cursor.connection, person.session_id)

        for _ in range(ATTEMPTS):
            account = self._load(person.account_id)
            try:
                return self._core.store.write(
                    model.sign_out(account, session_id=person.session_id, asked=asked), revoke
                )
            except Conflict:
                continue
        with self._core.pool.connection() as connection:
            revoke_session(connection, person.session_id)
        return None

    def set_up(self, token: str, email: str, password: str, name: str, device: str) -> Entered:
        """Makes the first admin, once; for the one-time link of the first start. Raises `Refused` afterwards."""
        if self._is_set_up():
            raise conflict("already_set_up", "This installation is set up already. Please sign in.")
        with self._core.pool.connection() as connection:
            known = connection.execute(
                "SELECT 1 FROM auth.setup_token WHERE token_hash = %s AND expires_at > now()", (_hash(token),)
            ).fetchone()
        if known is None:
            raise Problem(403, "bad_setup_link", "This set-up link is not valid. The start of the server prints one.")
        account_id = self._create_first(email, password, name, "setup")
        return self._enter(account_id, None, device)

    def ensure_first_admin(self) -> str | None:
        """At start: makes the admin that the settings name, or gives the set-up link when there is nobody yet."""
        settings = self._core.settings
        if self._is_set_up():
            return None
        if settings.admin_email is not None and settings.admin_password is not None:
            try:
                self._create_first(settings.admin_email, settings.admin_password, "Administrator", "environment")
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

    def _create_first(self, email: str, password: str, name: str, way: str) -> UUID:
        account_id = uuid7()
        password_hash = self._passwords.hash(password)
        guard = email_id(self._email_hash(email))
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
            cursor.execute(
                "INSERT INTO auth.credential (account_id, password_hash) VALUES (%s, %s)", (account_id, password_hash)
            )
            cursor.execute("DELETE FROM auth.setup_token")

        try:
            self._core.store.write(events, also)
        except Conflict as error:
            raise conflict("already_set_up", "This installation is set up already. Please sign in.") from error
        return account_id

    def _enter(self, account_id: UUID, better_hash: str | None, device: str) -> Entered:
        """Opens a session in the transaction of its event."""
        session_id = uuid7()
        opened: list[OpenedSession] = []
        for _ in range(ATTEMPTS):
            account = self._load(account_id)

            def also(cursor: Cursor[dict[str, Any]], _: int | None, account: model.Account = account) -> None:
                opened[:] = [
                    open_session(
                        cursor.connection,
                        account_id=account.id,
                        session_id=session_id,
                        email=account.email,
                        name=account.name,
                        roles=[role.value for role in account.roles],
                        user_agent_family=device,
                    )
                ]
                if better_hash is not None:
                    cursor.execute(
                        "UPDATE auth.credential SET password_hash = %s, updated_at = now() WHERE account_id = %s",
                        (better_hash, account.id),
                    )

            asked = Asked(datetime.now(UTC), account_id)
            events = model.sign_in(account, session_id=session_id, method="password", asked=asked)
            try:
                position = self._core.store.write(events, also)
            except Conflict:
                continue
            return Entered(replace(account, version=account.version + 1), opened[0], position)
        raise Problem(409, "busy", "Too many sign-ins to this account at once. Please try again.")

    def _account_of(self, email_hash: str) -> model.Account | None:
        claim = self._core.store.load(email_id(email_hash), model.evolve_email)
        if claim is None or claim.account_id is None:
            return None
        return self._core.store.load(claim.account_id, model.evolve)

    def _load(self, account_id: UUID) -> model.Account:
        account = self._core.store.load(account_id, model.evolve)
        if account is None:
            raise Problem(401, "not_signed_in", "Please sign in.")
        return account

    def _password_hash(self, account_id: UUID) -> str | None:
        with self._core.pool.connection() as connection:
            row = connection.execute(
                "SELECT password_hash FROM auth.credential WHERE account_id = %s", (account_id,)
            ).fetchone()
        return row[0] if row else None

    def _is_set_up(self) -> bool:
        with self._core.pool.connection() as connection:
            return connection.execute("SELECT 1 FROM auth.first_account").fetchone() is not None

    def _email_hash(self, email: str) -> str:
        return keyed_hash(self._email_key, email.strip().casefold())


def _hash(token: str) -> bytes:
    return sha256(token.encode()).digest()
