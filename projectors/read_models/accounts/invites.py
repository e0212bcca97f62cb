"""`read.invites` and `read.invite_joins`: invites with how often they were used, and who joined by them."""

from __future__ import annotations

from typing import Final

from infra.kernel.postgres.rows import Rows
from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import own_account
from schemas.base import ERASED
from schemas.events import accounts

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
    personal=("name",),
)


INVITES.begins(accounts.InviteCreated, at="created_at", current_uses=0)
INVITES.adds(accounts.InviteUsed, current_uses=1)
INVITES.follows(accounts.InviteRevoked, at="revoked_at")


@INVITE_JOINS.on(accounts.AccountRegistered)
def joined(rows: Rows, event: accounts.AccountRegistered) -> None:
    if event.invite_id is not None and event.invited_by is not None:
        rows.put(
            account_id=event.originator_id,
            invite_id=event.invite_id,
            invited_by=event.invited_by,
            name=event.name,
            joined_at=event.timestamp,
        )


INVITE_JOINS.follows(accounts.AccountRenamed)
INVITE_JOINS.follows(accounts.AccountErased, name=ERASED)
