"""Inline projection `roles`: accounts that hold a role besides `member` and may sign in, and the admins among them.

Rights are read here and not from a read model, which any record in the log could change: a role that is taken away is
gone at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from command_api.accounts.model import Account
from command_api.kernel.decision import conflict
from command_api.kernel.inline_projection import InlineProjection, Table, Tables
from command_api.kernel.unit_of_work import Appended
from schemas.base import DomainEvent
from schemas.events import accounts
from schemas.events.accounts import Role

ACCOUNT_ROLES_TABLE: Final = Table(
    "account_roles",
    columns=("account_id uuid not null", "roles text[] not null", "is_disabled boolean not null"),
    key=("account_id",),
)
ROLE_HOLDER_TABLE: Final = Table(
    "role_holder",
    columns=("account_id uuid not null", "roles text[] not null"),
    key=("account_id",),
    readers=("query_reader",),
)
ADMIN_TABLE: Final = Table("admin", columns=("account_id uuid not null",), key=("account_id",))
ROLES: Final = InlineProjection(
    "roles",
    version=1,
    tables=(
        ACCOUNT_ROLES_TABLE,
        ROLE_HOLDER_TABLE,
        ADMIN_TABLE,
    ),
)
"""`account_roles` has every account, also disabled ones; the other two follow from it."""


@ROLES.on(accounts.AccountRegistered)
def _registered(tables: Tables, event: accounts.AccountRegistered) -> None:
    roles = _besides_member(event.roles)
    tables["account_roles"].insert(account_id=event.originator_id, roles=roles, is_disabled=False)
    _grant(tables, event.originator_id, roles)


@ROLES.on(accounts.RolesChanged)
def _roles_changed(tables: Tables, event: accounts.RolesChanged) -> None:
    row = tables["account_roles"].get(account_id=event.originator_id)
    if row is not None:
        _replace(tables, event.originator_id, _besides_member(event.roles), is_disabled=row["is_disabled"])


@ROLES.on(accounts.AccountDisabled, accounts.AccountEnabled)
def _set_disabled(tables: Tables, event: DomainEvent) -> None:
    row = tables["account_roles"].get(account_id=event.originator_id)
    if row is not None:
        is_disabled = isinstance(event, accounts.AccountDisabled)
        _replace(tables, event.originator_id, row["roles"], is_disabled=is_disabled)


ACCOUNT_ROLES_TABLE.ends(accounts.AccountErased)
ROLE_HOLDER_TABLE.ends(accounts.AccountErased)
ADMIN_TABLE.ends(accounts.AccountErased)


def require_remaining_admin(uow: Appended, account: Account) -> None:
    """Raises `CommandRejected` if `account` was the last admin."""
    if account.is_admin and not uow.select("SELECT 1 FROM lookup.admin LIMIT 1"):
        raise conflict("last_admin", "This is the last admin. Make another account an admin first.")


def _replace(tables: Tables, account_id: UUID, roles: list[str], *, is_disabled: bool) -> None:
    tables["account_roles"].put(account_id=account_id, roles=roles, is_disabled=is_disabled)
    tables["role_holder"].delete(account_id=account_id)
    tables["admin"].delete(account_id=account_id)
    if not is_disabled:
        _grant(tables, account_id, roles)


def _grant(tables: Tables, account_id: UUID, roles: list[str]) -> None:
    if roles:
        tables["role_holder"].put(account_id=account_id, roles=roles)
    if Role.ADMIN in roles:
        tables["admin"].put(account_id=account_id)


def _besides_member(roles: Sequence[Role]) -> list[str]:
    return sorted(role.value for role in roles if role is not Role.MEMBER)
