"""`read.account_details`: what only an account's owner is shown: company, time zone, and how it signs in."""

from __future__ import annotations

from typing import Final

from infra.kernel.postgres.rows import Rows
from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import own_account
from schemas.base import ERASED
from schemas.events import accounts

ACCOUNT_DETAILS: Final = ReadModel(
    name="account_details",
    version=2,
    columns=(
        "account_id uuid",
        "company text not null default ''",
        "display_name text not null default ''",
        "timezone text not null default 'UTC'",
        "password_changed_at timestamptz",
        "two_factor_since timestamptz",
        "recovery_codes_left int not null default 0",
    ),
    key=("account_id",),
    readers=own_account("account_id"),
    personal=("company", "display_name"),
)


@ACCOUNT_DETAILS.on(accounts.AccountRegistered)
def registered(rows: Rows, event: accounts.AccountRegistered) -> None:
    rows.put(account_id=event.originator_id)


@ACCOUNT_DETAILS.on(accounts.ProfileChanged)
def profile_changed(rows: Rows, event: accounts.ProfileChanged) -> None:
    changes = {"company": event.company, "timezone": event.timezone}
    given = {name: value for name, value in changes.items() if value is not None}
    rows.update({"account_id": event.originator_id}, **given)


ACCOUNT_DETAILS.sets(accounts.DisplayNameChanged, lambda event: {"display_name": event.name if event.chosen else ""})
ACCOUNT_DETAILS.sets(accounts.PasswordChanged, lambda event: {"password_changed_at": event.timestamp})
ACCOUNT_DETAILS.sets(accounts.TwoFactorEnabled, lambda event: {"two_factor_since": event.timestamp})
ACCOUNT_DETAILS.sets(accounts.TwoFactorDisabled, two_factor_since=None, recovery_codes_left=0)
ACCOUNT_DETAILS.sets(accounts.RecoveryCodesMade, lambda event: {"recovery_codes_left": event.count})
ACCOUNT_DETAILS.adds(accounts.RecoveryCodeUsed, recovery_codes_left=-1)
ACCOUNT_DETAILS.sets(
    accounts.AccountErased, company=ERASED, display_name=ERASED, two_factor_since=None, recovery_codes_left=0
)
