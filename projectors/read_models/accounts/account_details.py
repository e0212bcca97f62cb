"""`read.account_details`: what only an account's owner is shown: company, time zone, and how it signs in."""

from __future__ import annotations

from typing import Final

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


ACCOUNT_DETAILS.begins(accounts.AccountRegistered)


ACCOUNT_DETAILS.follows(accounts.ProfileChanged, keeps=True)
ACCOUNT_DETAILS.follows(accounts.DisplayNameChanged, lambda event: {"display_name": event.name if event.chosen else ""})
ACCOUNT_DETAILS.follows(accounts.PasswordChanged, at="password_changed_at")
ACCOUNT_DETAILS.follows(accounts.TwoFactorEnabled, at="two_factor_since")
ACCOUNT_DETAILS.follows(accounts.TwoFactorDisabled, two_factor_since=None, recovery_codes_left=0)
ACCOUNT_DETAILS.follows(accounts.RecoveryCodesMade, takes={"recovery_codes_left": "count"})
ACCOUNT_DETAILS.adds(accounts.RecoveryCodeUsed, recovery_codes_left=-1)
ACCOUNT_DETAILS.follows(
    accounts.AccountErased, company=ERASED, display_name=ERASED, two_factor_since=None, recovery_codes_left=0
)
