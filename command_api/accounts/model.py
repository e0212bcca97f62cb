"""Accounts: who may sign in, and that an e-mail address belongs to one of them. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from command_api.decision import AnotherKind, Asked, begun, conflict, missing, step
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
    SignInLinked,
    SignInUnlinked,
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
    linked: frozenset[str] = frozenset()
    """Identities at providers that may sign in, by keyed hash."""
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
    company: str = "",
    invite_id: UUID | None = None,
    invited_by: UUID | None = None,
) -> list[DomainEvent]:
    """The account's own events come first. Raises `Refused` when the address belongs to an account."""
    if claim is not None and claim.account_id is not None:
        raise conflict("email_taken", "This e-mail address already has an account.", "email")
    registered: list[DomainEvent] = [
        AccountRegistered(
            **step(account_id, 0, asked),
            email=email,
            name=name,
            roles=tuple(roles),
            way=way,
            invite_id=invite_id,
            invited_by=invited_by,
        )
    ]
    if company:
        registered.append(ProfileChanged(**step(account_id, 1, asked), company=company))
    claimed = EmailClaimed(**step(email_id, claim.version if claim else 0, asked), account_id=account_id)
    return [*registered, claimed]


def sign_in(account: Account, *, session_id: UUID, method: str, asked: Asked) -> list[DomainEvent]:
    if not account.may_sign_in:
        raise missing("account")
    return [SignedIn(**step(account.id, account.version, asked), session_id=session_id, method=method)]


def sign_out(account: Account, *, session_id: UUID, asked: Asked) -> list[DomainEvent]:
    return [SignedOut(**step(account.id, account.version, asked), session_id=session_id)]


def use_recovery_code(account: Account, asked: Asked) -> list[DomainEvent]:
    return [RecoveryCodeUsed(**step(account.id, account.version, asked))]


def enable_two_factor(account: Account, codes: int, asked: Asked) -> list[DomainEvent]:
    """The first factor, or another in its place."""
    enabled = TwoFactorEnabled(**step(account.id, account.version, asked))
    return [enabled, RecoveryCodesMade(**step(account.id, account.version + 1, asked), count=codes)]


def disable_two_factor(account: Account, asked: Asked) -> list[DomainEvent]:
    if not account.two_factor:
        raise conflict("no_second_factor", "Two-factor authentication is not set up.")
    return [TwoFactorDisabled(**step(account.id, account.version, asked))]


def make_recovery_codes(account: Account, codes: int, asked: Asked) -> list[DomainEvent]:
    if not account.two_factor:
        raise conflict("no_second_factor", "Two-factor authentication is not set up.")
    return [RecoveryCodesMade(**step(account.id, account.version, asked), count=codes)]


def link_sign_in(account_id: UUID, version: int, provider: str, subject_hash: str, asked: Asked) -> list[DomainEvent]:
    """That no other account has the identity is held where all of them are known (`auth.linked_sign_in`)."""
    return [SignInLinked(**step(account_id, version, asked), provider=provider, subject_hash=subject_hash)]


def unlink_sign_in(
    account: Account, provider: str, subject_hash: str, *, other_way_in: bool, asked: Asked
) -> list[DomainEvent]:
    """Raises `Refused` for the last way in."""
    if subject_hash not in account.linked:
        raise missing("linked sign-in")
    if not other_way_in:
        raise conflict("last_sign_in", "This is your only way to sign in. Set a password first.")
    return [SignInUnlinked(**step(account.id, account.version, asked), provider=provider, subject_hash=subject_hash)]


def change_password(account: Account, way: str, asked: Asked) -> list[DomainEvent]:
    return [PasswordChanged(**step(account.id, account.version, asked), way=way)]


def change_profile(
    account: Account, *, name: str | None, company: str | None, timezone: str | None, asked: Asked
) -> list[DomainEvent]:
    events: list[DomainEvent] = []
    if name is not None and name != account.name:
        events.append(AccountRenamed(**step(account.id, account.version, asked), name=name))
    company = company if company != account.company else None
    timezone = timezone if timezone != account.timezone else None
    if company is not None or timezone is not None:
        place = step(account.id, account.version + len(events), asked)
        events.append(ProfileChanged(**place, company=company, timezone=timezone))
    return events


def change_email(
    account: Account, *, old: Email | None, old_id: UUID, new: Email | None, new_id: UUID, email: str, asked: Asked
) -> list[DomainEvent]:
    """Moves the account to another address. Raises `Refused` when that belongs to an account."""
    changed = EmailChanged(**step(account.id, account.version, asked), email=email)
    if old_id == new_id:  # the same address, written otherwise
        return [changed]
    if new is not None and new.account_id is not None:
        raise conflict("email_taken", "This e-mail address already has an account.", "email")
    claimed = EmailClaimed(**step(new_id, new.version if new else 0, asked), account_id=account.id)
    return [changed, *release_email(account, old, old_id, asked), claimed]


def release_email(account: Account, claim: Email | None, email_id: UUID, asked: Asked) -> list[DomainEvent]:
    if claim is None or claim.account_id != account.id:
        return []
    return [EmailReleased(**step(email_id, claim.version, asked))]


def end_sessions(account: Account, asked: Asked) -> list[DomainEvent]:
    return [SessionsEnded(**step(account.id, account.version, asked))]


def set_roles(account: Account | None, roles: Sequence[Role], asked: Asked) -> list[DomainEvent]:
    """Everybody is a member. The last admin stays one: that is held where all admins are known (`administration`)."""
    account = _existing(account)
    wanted = tuple(role for role in Role if role in {Role.MEMBER, *roles})
    if set(wanted) == set(account.roles):
        return []
    return [RolesChanged(**step(account.id, account.version, asked), roles=wanted)]


def disable(account: Account | None, reason: str, asked: Asked) -> list[DomainEvent]:
    account = _existing(account)
    return [] if account.disabled else [AccountDisabled(**step(account.id, account.version, asked), reason=reason)]


def enable(account: Account | None, asked: Asked) -> list[DomainEvent]:
    account = _existing(account)
    return [AccountEnabled(**step(account.id, account.version, asked))] if account.disabled else []


def erase(account: Account, asked: Asked) -> list[DomainEvent]:
    return [AccountErased(**step(account.id, account.version, asked))]


def _existing(account: Account | None) -> Account:
    if account is None or account.erased:
        raise missing("account")
    return account


def evolve(account: Account | None, event: DomainEvent) -> Account:
    if isinstance(event, AccountRegistered):
        return Account(event.originator_id, 1, event.email, event.name, event.roles)
    account = replace(begun(account, event), version=event.originator_version)
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
        case SignInLinked(subject_hash=subject):
            return replace(account, linked=account.linked | {subject})
        case SignInUnlinked(subject_hash=subject):
            return replace(account, linked=account.linked - {subject})
        case AccountDisabled():
            return replace(account, disabled=True)
        case AccountEnabled():
            return replace(account, disabled=False)
        case AccountErased():
            return replace(account, erased=True)
        case PasswordChanged() | RecoveryCodesMade() | RecoveryCodeUsed() | SignedIn() | SignedOut() | SessionsEnded():
            return account
        case _:
            raise AnotherKind(f"{event.NAME} does not happen to accounts")


def evolve_email(email: Email | None, event: DomainEvent) -> Email:
    match event:
        case EmailClaimed(account_id=account_id):
            return Email(event.originator_version, account_id)
        case EmailReleased():
            return Email(event.originator_version, None)
        case _:
            raise AnotherKind(f"{event.NAME} does not happen to e-mail addresses")
