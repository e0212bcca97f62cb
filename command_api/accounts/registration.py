"""Registering by invite. A failed registration burns no use: invite, account and address are one transaction.

Whether an address has an account already is told to nobody without a usable invite, since the invite is looked at
first. Whoever has one could not be kept from learning it (a registration that succeeds signs in), so such tries are few
for each invite, each is in the audit trail, and the address's owner gets a mail.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from psycopg import Cursor

from command_api.accounts import invites, limits, mails, model, open_invites
from command_api.accounts.common_passwords import refuse_common
from command_api.accounts.desk import Decision, Desk
from command_api.accounts.half_signed_in import use
from command_api.accounts.second_factor import SetUp
from command_api.accounts.sign_in import Entered, open_for
from command_api.decision import Asked, Refused
from command_api.store import Also
from infra.client import Client
from infra.identity import OpenedSession
from infra.mail import queue
from infra.problems import Problem
from infra.sealing import derived_key, keyed_hash
from schemas.base import DomainEvent
from schemas.events.accounts import Role
from schemas.uuid7 import uuid7

Link = Callable[[UUID, int, Asked], Decision]
"""Links an identity to the new account: from its id and version the events, and rows to write beside them."""


@dataclass(frozen=True, slots=True)
class Registered:
    """Signed in, with a second factor that waits for its first code."""

    entered: Entered
    second_factor: SetUp


@dataclass(frozen=True, slots=True)
class _Person:
    email: str
    name: str
    company: str


class Registration:
    """Thread-safe."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._invite_key = derived_key(desk.core.settings, "invite")

    def register(
        self, *, email: str, password: str, name: str, company: str, invite_code: str, client: Client
    ) -> Registered:
        """Makes an account with a password. Raises `Problem` 400 (`weak_password`, `not_registered`), `Refused` for an
        invite that cannot be used, 429."""
        limits.charge(self._desk.core.pool, limits.PER_ADDRESS, client.address)
        refuse_common(password, email, name, company)
        invite_id = self._usable(invite_code, client)
        password_hash = self._desk.passwords.hash(password)

        def credential(account_id: UUID, _: int, __: Asked) -> Decision:
            def also(cursor: Cursor[dict[str, Any]], _: int | None) -> None:
                cursor.execute(
                    "INSERT INTO auth.credential (account_id, password_hash) VALUES (%s, %s)",
                    (account_id, password_hash),
                )

            return [], also

        return self._register(_Person(email, name, company), invite_id, "password", credential, client)

    def register_proven(
        self, ticket: str, *, invite_code: str, email: str, name: str, company: str, client: Client, link: Link
    ) -> Registered:
        """Makes an account for the proven identity of the ticket, which ends with it. Raises as `register` does, and
        `Problem` 401 `ticket_ended`."""
        identity = self._desk.tickets.identity(ticket)
        limits.charge(self._desk.core.pool, limits.PER_ADDRESS, client.address)
        invite_id = self._usable(invite_code, client)

        def linked(account_id: UUID, version: int, asked: Asked) -> Decision:
            events, rows = link(account_id, version, asked)

            def also(cursor: Cursor[dict[str, Any]], position: int | None) -> None:
                use(cursor, ticket)
                if rows is not None:
                    rows(cursor, position)

            return events, also

        return self._register(_Person(email, name, company), invite_id, identity.method, linked, client)

    def _usable(self, code: str, client: Client) -> UUID:
        """The invite's id. Raises `Refused` when nobody can register with it, whoever it is."""
        try:
            invite = self._invite(code)
            invites.use(invite, account_id=uuid7(), asked=Asked(datetime.now(UTC)))
        except Refused as refused:
            self._desk.refuse("account.register", client, None, {"reason": refused.code})
            raise
        assert invite is not None  # noqa: S101 - using none is refused
        return invite.id

    def _invite(self, code: str) -> invites.Invite | None:
        with self._desk.core.pool.connection() as connection:
            row = connection.execute(
                "SELECT invite_id FROM auth.invite_code WHERE code_hash = %s", (self.code_hash(code),)
            ).fetchone()
        return self._load(row[0]) if row else None

    def _load(self, invite_id: UUID) -> invites.Invite | None:
        """None also for the invite of somebody who may not sign in any more."""
        invite = self._desk.core.store.load(invite_id, invites.evolve)
        owner = self._desk.core.store.load(invite.account_id, model.evolve) if invite is not None else None
        return invite if owner is None or owner.may_sign_in else None

    def code_hash(self, code: str) -> bytes:
        return bytes.fromhex(keyed_hash(self._invite_key, invites.normal(code)))

    def _register(self, person: _Person, invite_id: UUID, method: str, more: Link, client: Client) -> Registered:
        account_id, session_id, guard = uuid7(), uuid7(), self._desk.guard(person.email)
        done: list[tuple[model.Account, OpenedSession, SetUp]] = []

        def decide() -> Decision:
            asked = Asked(datetime.now(UTC), account_id)
            invite = self._load(invite_id)
            used = invites.use(invite, account_id=account_id, asked=asked)
            assert invite is not None  # noqa: S101 - using none is refused
            *own, claimed = model.register(
                self._desk.core.store.load(guard, model.evolve_email),
                account_id=account_id,
                email_id=guard,
                email=person.email,
                name=person.name,
                company=person.company,
                roles=(Role.MEMBER,),
                way="invite",
                invite_id=invite.id,
                invited_by=invite.account_id,
                asked=asked,
            )
            account = _folded(own)
            linked, rows = more(account_id, account.version, asked)
            for event in linked:
                if event.originator_id == account_id:
                    account = model.evolve(account, event)
            signed_in = model.sign_in(account, session_id=session_id, method=method, asked=asked)
            also = self._also(account, session_id, invite.id if invite.has_one_use else None, rows, client, done)
            return [*used, *own, claimed, *linked, *signed_in], also

        try:
            position = self._desk.write(decide, account_id, client)
        except Refused as refused:
            if refused.code == "email_taken":
                self._refuse_address(person.email, invite_id, client)
            self._desk.refuse("account.register", client, None, {"reason": refused.code})
            raise
        account, session, set_up = done[0]
        return Registered(Entered(replace(account, version=account.version + 1), session, position), set_up)

    def _also(
        self,
        account: model.Account,
        session_id: UUID,
        used_up: UUID | None,
        rows: Also | None,
        client: Client,
        done: list[tuple[model.Account, OpenedSession, SetUp]],
    ) -> Also:
        """`used_up`: the invite, if this was its last use."""

        def also(cursor: Cursor[dict[str, Any]], position: int | None) -> None:
            if used_up is not None:
                open_invites.close(cursor, used_up)
            if rows is not None:
                rows(cursor, position)
            session = open_for(cursor, account, session_id, client)
            done[:] = [(account, session, self._desk.factors.begin(cursor, account.id, account.email))]

        return also

    def _refuse_address(self, email: str, invite_id: UUID, client: Client) -> None:
        """Tells the address's owner, and whoever asks as little as can be. Raises `Problem` 400 or 429."""
        owner = self._desk.by_email(email)
        self._desk.refuse("account.register", client, owner.id if owner else None, {"reason": "not_registered"})
        limits.charge(self._desk.core.pool, limits.PER_INVITE, str(invite_id))
        if owner is not None and limits.may_mail(self._desk.core.pool, self._desk.email_hash(email)):
            settings = self._desk.core.settings
            with self._desk.core.pool.connection() as connection:
                queue(connection, settings, mails.address_in_use(owner.email, owner.id, settings.app_url))
        raise Problem(400, "not_registered", "Failed to create account")


def _folded(events: list[DomainEvent]) -> model.Account:
    account: model.Account | None = None
    for event in events:
        account = model.evolve(account, event)
    assert account is not None  # noqa: S101 - registering always begins an account
    return account
