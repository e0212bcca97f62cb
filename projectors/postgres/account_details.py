"""`read.account_details`: what only an account's owner is shown: company, time zone, and how it signs in."""

from __future__ import annotations

from typing import Final

from projectors.engine.read_model import ReadModel, Rows
from projectors.postgres.readers import own_account
from schemas.base import ERASED
from schemas.events.accounts import (
    AccountErased,
    AccountRegistered,
    PasswordChanged,
    ProfileChanged,
    RecoveryCodesMade,
    RecoveryCodeUsed,
    TwoFactorDisabled,
    TwoFactorEnabled,
)

ACCOUNT_DETAILS: Final = ReadModel(
    name="account_details",
    version=1,
    columns=(
        "account_id uuid",
        "company text not null default ''",
        "timezone text not null default 'UTC'",
        "password_changed_at timestamptz",
        "two_factor_since timestamptz",
        "recovery_codes_left int not null default 0",
    ),
    key=("account_id",),
    readers=own_account("account_id"),
)


@ACCOUNT_DETAILS.on(AccountRegistered)
def registered(rows: Rows, event: AccountRegistered) -> None:
    rows.put(account_id=event.originator_id)


@ACCOUNT_DETAILS.on(ProfileChanged)
def profile_changed(rows: Rows, event: ProfileChanged) -> None:
    changes = {"company": event.company, "timezone": event.timezone}
    given = {name: value for name, value in changes.items() if value is not None}
    rows.update({"account_id": event.originator_id}, **given)


@ACCOUNT_DETAILS.on(PasswordChanged)
def password_changed(rows: Rows, event: PasswordChanged) -> None:
    rows.update({"account_id": event.originator_id}, password_changed_at=event.timestamp)


@ACCOUNT_DETAILS.on(TwoFactorEnabled)
def two_factor_enabled(rows: Rows, event: TwoFactorEnabled) -> None:
    rows.update({"account_id": event.originator_id}, two_factor_since=event.timestamp)


@ACCOUNT_DETAILS.on(TwoFactorDisabled)
def two_factor_disabled(rows: Rows, event: TwoFactorDisabled) -> None:
    rows.update({"account_id": event.originator_id}, two_factor_since=None, recovery_codes_left=0)


@ACCOUNT_DETAILS.on(RecoveryCodesMade)
def recovery_codes_made(rows: Rows, event: RecoveryCodesMade) -> None:
    rows.update({"account_id": event.originator_id}, recovery_codes_left=event.count)


@ACCOUNT_DETAILS.on(RecoveryCodeUsed)
def recovery_code_used(rows: Rows, event: RecoveryCodeUsed) -> None:
    rows.add({"account_id": event.originator_id}, recovery_codes_left=-1)


@ACCOUNT_DETAILS.on(AccountErased)
def erased(rows: Rows, event: AccountErased) -> None:
    rows.update({"account_id": event.originator_id}, company=ERASED, two_factor_since=None, recovery_codes_left=0)
