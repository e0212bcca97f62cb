"""What the read models of accounts and invites must hold after an event (see `folding`)."""

from __future__ import annotations

from typing import Any

from schemas.base import ERASED, DomainEvent
from schemas.events import accounts

Key = tuple[Any, ...]
Rows = dict[Key, dict[str, Any]]


def account_details(rows: Rows, event: DomainEvent, _: int) -> None:
    key = (event.originator_id,)
    if isinstance(event, accounts.AccountRegistered):
        rows[key] = {
            "account_id": event.originator_id,
            "company": "",
            "timezone": "UTC",
            "password_changed_at": None,
            "two_factor_since": None,
            "recovery_codes_left": 0,
        }
    row = rows.get(key)
    if row is None:
        return
    match event:
        case accounts.ProfileChanged():
            row["company"] = row["company"] if event.company is None else event.company
            row["timezone"] = event.timezone or row["timezone"]
        case accounts.PasswordChanged():
            row["password_changed_at"] = event.timestamp
        case accounts.TwoFactorEnabled():
            row["two_factor_since"] = event.timestamp
        case accounts.TwoFactorDisabled():
            row.update(two_factor_since=None, recovery_codes_left=0)
        case accounts.RecoveryCodesMade():
            row["recovery_codes_left"] = event.count
        case accounts.RecoveryCodeUsed():
            row["recovery_codes_left"] -= 1
        case accounts.AccountErased():
            row.update(company=ERASED, two_factor_since=None, recovery_codes_left=0)


def invites(rows: Rows, event: DomainEvent, _: int) -> None:
    key = (event.originator_id,)
    match event:
        case accounts.InviteCreated():
            rows[key] = {
                "id": event.originator_id,
                "account_id": event.account_id,
                "max_uses": event.max_uses,
                "current_uses": 0,
                "created_at": event.timestamp,
                "expires_at": event.expires_at,
                "revoked_at": None,
            }
        case accounts.InviteUsed() if key in rows:
            rows[key]["current_uses"] += 1
        case accounts.InviteRevoked() if key in rows:
            rows[key]["revoked_at"] = event.timestamp


def invite_joins(rows: Rows, event: DomainEvent, _: int) -> None:
    key = (event.originator_id,)
    match event:
        case accounts.AccountRegistered() if event.invite_id is not None and event.invited_by is not None:
            rows[key] = {
                "account_id": event.originator_id,
                "invite_id": event.invite_id,
                "invited_by": event.invited_by,
                "name": event.name,
                "joined_at": event.timestamp,
            }
        case accounts.AccountRenamed() if key in rows:
            rows[key]["name"] = event.name
        case accounts.AccountErased() if key in rows:
            rows[key]["name"] = ERASED
