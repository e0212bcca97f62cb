"""What admins do with accounts: roles, disabling, ending sessions. One admin who may sign in always remains.

`auth.admin` holds who that is. It is changed in the transaction of the events, by one writer at a time, and a change
that would leave it empty is rolled back whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from psycopg import Cursor

from command_api.accounts import mails, model, second_factor
from command_api.accounts.sessions import end_all
from command_api.commands import Decided
from command_api.core import Core
from command_api.decision import Asked, conflict, missing
from command_api.http import Answer
from infra.identity import end_streams
from infra.mail import queue
from schemas.events.accounts import Role


class AdminedAccount(Answer):
    id: str
    roles: list[str]
    disabled: bool


def set_roles(core: Core, account_id: UUID, roles: Sequence[Role], asked: Asked) -> Decided[AdminedAccount]:
    """The roles hold for the account's sessions at once."""
    account = _load(core, account_id)
    events = model.set_roles(account, roles, asked)
    for event in events:
        account = model.evolve(account, event)

    def also(cursor: Cursor[dict[str, Any]], _: int | None) -> None:
        cursor.execute(
            "UPDATE auth.session SET roles = %s WHERE account_id = %s",
            (sorted(role.value for role in account.roles), account_id),
        )
        keep_an_admin(cursor, account)
        end_streams(cursor.connection, account_id)

    return Decided(events, _shown(account), also if events else None)


def disable(core: Core, account_id: UUID, reason: str, asked: Asked) -> Decided[AdminedAccount]:
    """The account's sessions end."""
    account = _load(core, account_id)
    events = model.disable(account, reason, asked)
    for event in events:
        account = model.evolve(account, event)

    def also(cursor: Cursor[dict[str, Any]], _: int | None) -> None:
        end_all(cursor, account_id)
        keep_an_admin(cursor, account)

    return Decided(events, _shown(account), also if events else None)


def enable(core: Core, account_id: UUID, asked: Asked) -> Decided[AdminedAccount]:
    account = _load(core, account_id)
    events = model.enable(account, asked)
    for event in events:
        account = model.evolve(account, event)
    return Decided(events, _shown(account), lambda cursor, _: keep_an_admin(cursor, account))


def end_sessions(core: Core, account_id: UUID, asked: Asked) -> Decided[AdminedAccount]:
    account = _load(core, account_id)
    return Decided(model.end_sessions(account, asked), _shown(account), lambda cursor, _: end_all(cursor, account_id))


def reset_factor(core: Core, account_id: UUID, asked: Asked) -> Decided[AdminedAccount]:
    """For whoever lost authenticator and recovery codes. Sessions end, and the account's owner gets a mail."""
    account = _load(core, account_id)
    events = model.disable_two_factor(account, asked)

    def also(cursor: Cursor[dict[str, Any]], _: int | None) -> None:
        second_factor.disable(cursor, account_id)
        end_all(cursor, account_id)
        url = core.settings.app_url
        queue(cursor, core.settings, mails.two_factor_changed(account.email, account_id, url, enabled=False))

    return Decided(events, _shown(account), also)


def keep_an_admin(cursor: Cursor[Any], account: model.Account) -> None:
    """Notes the account's roles, and whether it is an admin. Raises `Refused` when no admin would be left."""
    note_roles(cursor, account)
    cursor.execute("LOCK TABLE auth.admin IN EXCLUSIVE MODE")
    if Role.ADMIN in account.roles and account.may_sign_in:
        cursor.execute("INSERT INTO auth.admin (account_id) VALUES (%s) ON CONFLICT DO NOTHING", (account.id,))
        return
    was_one = cursor.execute("DELETE FROM auth.admin WHERE account_id = %s RETURNING 1", (account.id,)).fetchone()
    if was_one is not None and cursor.execute("SELECT 1 FROM auth.admin LIMIT 1").fetchone() is None:
        raise conflict("last_admin", "This is the last admin. Make somebody else one first.")


def note_roles(cursor: Cursor[Any], account: model.Account) -> None:
    """Keeps `auth.role_holder`, from which roles are read that are not a session's."""
    roles = sorted(role.value for role in account.roles if role is not Role.MEMBER)
    if roles and account.may_sign_in:
        cursor.execute(
            "INSERT INTO auth.role_holder (account_id, roles) VALUES (%s, %s)"
            " ON CONFLICT (account_id) DO UPDATE SET roles = excluded.roles",
            (account.id, roles),
        )
    else:
        cursor.execute("DELETE FROM auth.role_holder WHERE account_id = %s", (account.id,))


def _load(core: Core, account_id: UUID) -> model.Account:
    account = core.store.load(account_id, model.evolve)
    if account is None or account.erased:
        raise missing("account")
    return account


def _shown(account: model.Account) -> AdminedAccount:
    return AdminedAccount(id=str(account.id), roles=[role.value for role in account.roles], disabled=account.disabled)
