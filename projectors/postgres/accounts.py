"""`read.accounts`: who has an account, with its roles. Personal fields are plain here and blanked on erasure."""

from __future__ import annotations

from typing import Final

from projectors.engine.read_model import ReadModel, Rows
from projectors.postgres.readers import own_account
from schemas.base import ERASED
from schemas.events.accounts import (
    AccountDisabled,
    AccountEnabled,
    AccountErased,
    AccountRegistered,
    AccountRenamed,
    EmailChanged,
    RolesChanged,
)

ACCOUNTS: Final = ReadModel(
    name="accounts",
    version=1,
    columns=(
        "id uuid",
        "email text not null",
        "name text not null",
        "roles text[] not null",
        "created_at timestamptz not null",
        "disabled_at timestamptz",
        "erased_at timestamptz",
    ),
    key=("id",),
    readers=own_account("id"),
    indexes=("created_at",),
)


@ACCOUNTS.on(AccountRegistered)
def registered(rows: Rows, event: AccountRegistered) -> None:
    rows.put(
        id=event.originator_id,
        email=event.email,
        name=event.name,
        roles=[role.value for role in event.roles],
        created_at=event.timestamp,
    )


@ACCOUNTS.on(RolesChanged)
def roles_changed(rows: Rows, event: RolesChanged) -> None:
    rows.update({"id": event.originator_id}, roles=[role.value for role in event.roles])


@ACCOUNTS.on(AccountRenamed)
def renamed(rows: Rows, event: AccountRenamed) -> None:
    rows.update({"id": event.originator_id}, name=event.name)


@ACCOUNTS.on(EmailChanged)
def email_changed(rows: Rows, event: EmailChanged) -> None:
    rows.update({"id": event.originator_id}, email=event.email)


@ACCOUNTS.on(AccountEnabled)
def enabled(rows: Rows, event: AccountEnabled) -> None:
    rows.update({"id": event.originator_id}, disabled_at=None)


@ACCOUNTS.on(AccountDisabled)
def disabled(rows: Rows, event: AccountDisabled) -> None:
    rows.update({"id": event.originator_id}, disabled_at=event.timestamp)


@ACCOUNTS.on(AccountErased)
def erased(rows: Rows, event: AccountErased) -> None:
    rows.update({"id": event.originator_id}, email=ERASED, name=ERASED, erased_at=event.timestamp)
