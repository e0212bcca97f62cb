"""Accounts: who may sign in, and that an e-mail address belongs to one of them. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from command_api.decision import Asked, conflict, missing, step
from schemas.base import DomainEvent
from schemas.events.accounts import (
    AccountDisabled,
    AccountEnabled,
    AccountErased,
    AccountRegistered,
    AccountRenamed,
    EmailChanged,
    EmailClaimed,
    EmailReleased,
    PasswordChanged,
    ProfileChanged,
    RecoveryCodesMade,
    RecoveryCodeUsed,
    Role,
    RolesChanged,
    SessionsEnded,
    SignedIn,
    SignedOut,
    TwoFactorDisabled,
    TwoFactorEnabled,
)


@dataclass(frozen=True, slots=True)
class Account:
    id: UUID
    version: int
    email: str
    name: str
    roles: tuple[Role, ...]
    company: str = ""
    timezone: str = "UTC"
    two_factor: bool = False
    disabled: bool = False
    erased: bool = False

    @property
    def may_sign_in(self) -> bool:
        return not (self.disabled or self.erased)


@dataclass(frozen=True, slots=True)
class Email:
    """The guard of one address: its id is derived from the address's keyed hash."""

    version: int
    account_id: UUID | None


def register(
    claim: Email | None,
    *,
    account_id: UUID,
    email_id: UUID,
    email: str,
    name: str,
    roles: Sequence[Role],
    way: str,
    asked: Asked,
) -> list[DomainEvent]:
    if claim is not None and claim.account_id is not None:
        raise conflict("email_taken", "This e-mail address already has an account.", "email")
    registered = AccountRegistered(**step(account_id, 0, asked), email=email, name=name, roles=tuple(roles), way=way)
    claimed = EmailClaimed(**step(email_id, claim.version if claim else 0, asked), account_id=account_id)
    return [registered, claimed]


def sign_in(account: Account, *, session_id: UUID, method: str, asked: Asked) -> list[DomainEvent]:
    if not account.may_sign_in:
        raise missing("account")
    return [SignedIn(**step(account.id, account.version, asked), session_id=session_id, method=method)]


def sign_out(account: Account, *, session_id: UUID, asked: Asked) -> list[DomainEvent]:
    return [SignedOut(**step(account.id, account.version, asked), session_id=session_id)]


def evolve(account: Account | None, event: DomainEvent) -> Account:
    if isinstance(event, AccountRegistered):
        return Account(event.originator_id, 1, event.email, event.name, event.roles)
    assert account is not None  # noqa: S101 - a history begins with its first event
    account = replace(account, version=event.originator_version)
    match event:
        case RolesChanged(roles=roles):
            return replace(account, roles=roles)
        case AccountRenamed(name=name):
            return replace(account, name=name)
        case ProfileChanged(company=company, timezone=timezone):
            company = account.company if company is None else company
            return replace(account, company=company, timezone=timezone or account.timezone)
        case EmailChanged(email=email):
            return replace(account, email=email)
        case TwoFactorEnabled():
            return replace(account, two_factor=True)
        case TwoFactorDisabled():
            return replace(account, two_factor=False)
        case AccountDisabled():
            return replace(account, disabled=True)
        case AccountEnabled():
            return replace(account, disabled=False)
        case AccountErased():
            return replace(account, erased=True)
        case PasswordChanged() | RecoveryCodesMade() | RecoveryCodeUsed() | SignedIn() | SignedOut() | SessionsEnded():
            return account
        case _:
            raise TypeError(f"{event.NAME} does not happen to accounts")


def evolve_email(email: Email | None, event: DomainEvent) -> Email:
    match event:
        case EmailClaimed(account_id=account_id):
            return Email(event.originator_version, account_id)
        case EmailReleased():
            return Email(event.originator_version, None)
        case _:
            raise TypeError(f"{event.NAME} does not happen to e-mail addresses")
