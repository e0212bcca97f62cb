"""`read.accounts`: who has an account, with its roles. Personal fields are plain here and blanked on erasure."""

from __future__ import annotations

from typing import Final

from infra.kernel.postgres.rows import Rows
from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import own_account
from schemas.base import ERASED
from schemas.events import accounts

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
    personal=("email", "name"),
)


@ACCOUNTS.on(accounts.AccountRegistered)
def registered(rows: Rows, event: accounts.AccountRegistered) -> None:
    rows.put(
        id=event.originator_id,
        email=event.email,
        name=event.name,
        roles=[role.value for role in event.roles],
        created_at=event.timestamp,
    )


ACCOUNTS.sets(accounts.RolesChanged, lambda event: {"roles": [role.value for role in event.roles]})
ACCOUNTS.sets(accounts.AccountRenamed, lambda event: {"name": event.name})
ACCOUNTS.sets(accounts.EmailChanged, lambda event: {"email": event.email})
ACCOUNTS.sets(accounts.AccountEnabled, disabled_at=None)
ACCOUNTS.sets(accounts.AccountDisabled, lambda event: {"disabled_at": event.timestamp})
ACCOUNTS.sets(accounts.AccountErased, lambda event: {"erased_at": event.timestamp}, email=ERASED, name=ERASED)
