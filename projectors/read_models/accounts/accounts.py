"""`read.accounts`: who has an account, with its roles. Personal fields are plain here and blanked on erasure."""

from __future__ import annotations

from typing import Final

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


ACCOUNTS.begins(accounts.AccountRegistered, at="created_at")
ACCOUNTS.follows(accounts.RolesChanged)
ACCOUNTS.follows(accounts.AccountRenamed)
ACCOUNTS.follows(accounts.EmailChanged)
ACCOUNTS.follows(accounts.AccountEnabled, disabled_at=None)
ACCOUNTS.follows(accounts.AccountDisabled, at="disabled_at")
ACCOUNTS.follows(accounts.AccountErased, at="erased_at", email=ERASED, name=ERASED)
