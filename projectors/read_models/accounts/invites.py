"""`read.invites` and `read.invite_joins`: invites with how often they were used, and who joined by them."""

from __future__ import annotations

from typing import Final

from projectors.engine.read_model import ReadModel, Rows
from projectors.postgres.readers import own_account
from schemas.base import ERASED
from schemas.events.accounts import (
    AccountErased,
    AccountRegistered,
    AccountRenamed,
    InviteCreated,
    InviteRevoked,
    InviteUsed,
)

INVITES: Final = ReadModel(
    name="invites",
    version=1,
    columns=(
        "id uuid",
        "account_id uuid not null",
        "max_uses int not null",
        "current_uses int not null",
        "created_at timestamptz not null",
        "expires_at timestamptz not null",
        "revoked_at timestamptz",
    ),
    key=("id",),
    readers=own_account("account_id"),
    indexes=("account_id, created_at",),
)

INVITE_JOINS: Final = ReadModel(
    name="invite_joins",
    version=1,
    columns=(
        "account_id uuid",
        "invite_id uuid not null",
        "invited_by uuid not null",
        "name text not null",
        "joined_at timestamptz not null",
    ),
    key=("account_id",),
    readers=own_account("invited_by"),
    indexes=("invite_id",),
)


@INVITES.on(InviteCreated)
def created(rows: Rows, event: InviteCreated) -> None:
    rows.put(
        id=event.originator_id,
        account_id=event.account_id,
        max_uses=event.max_uses,
        current_uses=0,
        created_at=event.timestamp,
        expires_at=event.expires_at,
    )


@INVITES.on(InviteUsed)
def used(rows: Rows, event: InviteUsed) -> None:
    rows.add({"id": event.originator_id}, current_uses=1)


@INVITES.on(InviteRevoked)
def revoked(rows: Rows, event: InviteRevoked) -> None:
    rows.update({"id": event.originator_id}, revoked_at=event.timestamp)


@INVITE_JOINS.on(AccountRegistered)
def joined(rows: Rows, event: AccountRegistered) -> None:
    if event.invite_id is not None and event.invited_by is not None:
        rows.put(
            account_id=event.originator_id,
            invite_id=event.invite_id,
            invited_by=event.invited_by,
            name=event.name,
            joined_at=event.timestamp,
        )


@INVITE_JOINS.on(AccountRenamed)
def renamed(rows: Rows, event: AccountRenamed) -> None:
    rows.update({"account_id": event.originator_id}, name=event.name)


@INVITE_JOINS.on(AccountErased)
def erased(rows: Rows, event: AccountErased) -> None:
    rows.update({"account_id": event.originator_id}, name=ERASED)
