"""Account aggregate, its sessions, and the reservation that makes email addresses unique. Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from command_api.kernel.aggregates import first_event, next_event
from command_api.kernel.decision import CommandContext, CommandRejected, conflict, event_metadata, invalid, not_found
from infra.domain.official_names import has_badge, suggests_staff
from schemas.base import DomainEvent
from schemas.events import accounts
from schemas.evolution import Evolution, UnexpectedEvent


@dataclass(frozen=True, slots=True)
class Account:
    """State of an account. Erasure is final."""

    id: UUID
    version: int
    email: str
    name: str
    roles: tuple[accounts.Role, ...]
    company: str = ""
    timezone: str = "UTC"
    two_factor: bool = False
    display_name: str = ""
    """Empty: others see the account's name."""
    linked: frozenset[str] = frozenset()
    """Linked identities, by keyed hash."""
    disabled: bool = False
    erased: bool = False

    @property
    def may_sign_in(self) -> bool:
        return not (self.disabled or self.erased)

    @property
    def public_name(self) -> str:
        """The name that others see."""
        return self.display_name or self.name

    @property
    def is_admin(self) -> bool:
        return accounts.Role.ADMIN in self.roles and self.may_sign_in


@dataclass(frozen=True, slots=True)
class SessionAggregate:
    """A session of an account or of its login to a website. Revocation decides whether it is valid (`accounts.session`,
    `accounts.website_session`); the events say when a person signed in and out."""

    version: int
    ended: bool


@dataclass(frozen=True, slots=True)
class Email:
    """Reservation of an address; its id is derived from the address's keyed hash."""

    version: int
    account_id: UUID | None


def register(
    reservation: Email | None,
    *,
    account_id: UUID,
    email_id: UUID,
    email: str,
    name: str,
    roles: Sequence[accounts.Role],
    way: str,
    context: CommandContext,
    company: str = "",
    invite_id: UUID | None = None,
    invited_by: UUID | None = None,
) -> list[DomainEvent]:
    """Returns the account's events first. Raises `CommandRejected` if the address is in use, or the name suggests
    staff."""
    require_allowed_name(name, roles, "name")
    reserved = _reserve_email(reservation, email_id, account_id, context)
    registered: list[DomainEvent] = [
        accounts.AccountRegistered(
            **first_event(account_id, context),
            email=email,
            name=name,
            roles=tuple(roles),
            way=way,
            invite_id=invite_id,
            invited_by=invited_by,
        )
    ]
    if company:
        registered.append(accounts.ProfileChanged(**event_metadata(account_id, 1, context), company=company))
    return [*registered, reserved]


def sign_in(account: Account, *, session_id: UUID, method: str, context: CommandContext) -> list[DomainEvent]:
    if not account.may_sign_in:
        raise not_found("account")
    common = first_event(session_id, context)
    return [accounts.SignedIn(**common, session_id=session_id, account_id=account.id, method=method)]


def sign_out(
    session: SessionAggregate | None, *, session_id: UUID, account_id: UUID, context: CommandContext
) -> list[DomainEvent]:
    """Ends a session; idempotent. A session that began in its account's stream has none of its own yet."""
    if session is not None and session.ended:
        return []
    common = event_metadata(session_id, session.version if session is not None else 0, context)
    return [accounts.SignedOut(**common, session_id=session_id, account_id=account_id)]


def use_recovery_code(account: Account, context: CommandContext) -> list[DomainEvent]:
    return [accounts.RecoveryCodeUsed(**next_event(account, context))]


def enable_two_factor(account: Account, codes: int, context: CommandContext) -> list[DomainEvent]:
    """Enables or replaces the second factor."""
    enabled = accounts.TwoFactorEnabled(**next_event(account, context))
    made = accounts.RecoveryCodesMade(**next_event(account, context, after=1), count=codes)
    return [enabled, made]


def disable_two_factor(account: Account, context: CommandContext) -> list[DomainEvent]:
    if not account.two_factor:
        raise conflict("no_second_factor", "Two-factor authentication is not set up.")
    return [accounts.TwoFactorDisabled(**next_event(account, context))]


def make_recovery_codes(account: Account, codes: int, context: CommandContext) -> list[DomainEvent]:
    if not account.two_factor:
        raise conflict("no_second_factor", "Two-factor authentication is not set up.")
    return [accounts.RecoveryCodesMade(**next_event(account, context), count=codes)]


def link_sign_in(
    account_id: UUID, version: int, provider: str, subject_hash: str, context: CommandContext
) -> list[DomainEvent]:
    """Links a sign-in. `accounts.linked_sign_in` makes the identity unique."""
    metadata = event_metadata(account_id, version, context)
    return [accounts.SignInLinked(**metadata, provider=provider, subject_hash=subject_hash)]


def unlink_sign_in(
    account: Account, provider: str, subject_hash: str, *, other_way_in: bool, context: CommandContext
) -> list[DomainEvent]:
    """Unlinks a sign-in. Raises `CommandRejected` for the only way to sign in."""
    if subject_hash not in account.linked:
        raise not_found("linked sign-in")
    if not other_way_in:
        raise conflict("last_sign_in", "This is your only way to sign in. Set a password first.")
    return [accounts.SignInUnlinked(**next_event(account, context), provider=provider, subject_hash=subject_hash)]


def change_password(account: Account, way: str, context: CommandContext) -> list[DomainEvent]:
    return [accounts.PasswordChanged(**next_event(account, context), way=way)]


def change_profile(
    account: Account,
    *,
    name: str | None,
    display_name: str | None,
    company: str | None,
    timezone: str | None,
    context: CommandContext,
) -> list[DomainEvent]:
    """Changes names, company and time zone; `None` leaves a field as it is. An empty `display_name` shows the account's
    name again. Raises `CommandRejected` for a new name that suggests staff."""
    events: list[DomainEvent] = []
    if name is not None and name != account.name:
        require_allowed_name(name, account.roles, "name")
        events.append(accounts.AccountRenamed(**next_event(account, context), name=name))
    if display_name is not None and display_name != account.display_name:
        require_allowed_name(display_name, account.roles, "displayName")
        place = next_event(account, context, after=len(events))
        new_name = display_name or (account.name if name is None else name)
        events.append(accounts.DisplayNameChanged(**place, name=new_name, chosen=display_name != ""))
    company = company if company != account.company else None
    timezone = timezone if timezone != account.timezone else None
    if company is not None or timezone is not None:
        place = next_event(account, context, after=len(events))
        events.append(accounts.ProfileChanged(**place, company=company, timezone=timezone))
    return events


def change_email(
    account: Account,
    *,
    old: Email | None,
    old_id: UUID,
    new: Email | None,
    new_id: UUID,
    email: str,
    context: CommandContext,
) -> list[DomainEvent]:
    """Changes the address. Raises `CommandRejected` if it is in use."""
    changed = accounts.EmailChanged(**next_event(account, context), email=email)
    if old_id == new_id:  # the same address, written otherwise
        return [changed]
    reserved = _reserve_email(new, new_id, account.id, context)
    return [changed, *release_email(account, old, old_id, context), reserved]


def _reserve_email(reservation: Email | None, email_id: UUID, account_id: UUID, context: CommandContext) -> DomainEvent:
    if reservation is not None and reservation.account_id is not None:
        raise conflict("email_taken", "This email address already has an account.", "email")
    metadata = event_metadata(email_id, reservation.version if reservation else 0, context)
    return accounts.EmailClaimed(**metadata, account_id=account_id)


def release_email(account: Account, email: Email | None, email_id: UUID, context: CommandContext) -> list[DomainEvent]:
    if email is None or email.account_id != account.id:
        return []
    return [accounts.EmailReleased(**event_metadata(email_id, email.version, context))]


def end_sessions(account: Account, context: CommandContext) -> list[DomainEvent]:
    return [accounts.SessionsEnded(**next_event(account, context))]


def set_roles(account: Account | None, roles: Sequence[accounts.Role], context: CommandContext) -> list[DomainEvent]:
    """Replaces the roles; `member` is always included. `lookups.require_remaining_admin` protects the last admin. Who
    is no longer staff loses a display name that suggests it."""
    account = _existing(account)
    new_roles = tuple(role for role in accounts.Role if role in {accounts.Role.MEMBER, *roles})
    if set(new_roles) == set(account.roles):
        return []
    events: list[DomainEvent] = [accounts.RolesChanged(**next_event(account, context), roles=new_roles)]
    if account.display_name and not _is_allowed_name(account.display_name, new_roles):
        place = next_event(account, context, after=1)
        events.append(accounts.DisplayNameChanged(**place, name=account.name, chosen=False))
    return events


def require_allowed_name(name: str, roles: Collection[accounts.Role], field: str) -> None:
    """Requires a name that the account may have: names are public, and only staff may have one that suggests staff.
    Raises `CommandRejected`."""
    if not _is_allowed_name(name, roles):
        raise invalid("reserved_name", "Please choose a name that does not suggest an official role or a badge", field)


def _is_allowed_name(name: str, roles: Collection[accounts.Role]) -> bool:
    is_staff = not {accounts.Role.ADMIN, accounts.Role.MODERATOR}.isdisjoint(roles)
    return is_staff or not (suggests_staff(name) or has_badge(name))


def disable(account: Account | None, reason: str, context: CommandContext) -> list[DomainEvent]:
    account = _existing(account)
    if account.disabled:
        return []
    return [accounts.AccountDisabled(**next_event(account, context), reason=reason)]


def enable(account: Account | None, context: CommandContext) -> list[DomainEvent]:
    account = _existing(account)
    return [accounts.AccountEnabled(**next_event(account, context))] if account.disabled else []


def erase(account: Account, context: CommandContext) -> list[DomainEvent]:
    return [accounts.AccountErased(**next_event(account, context))]


def _existing(account: Account | None) -> Account:
    if account is None or account.erased:
        raise not_found("account")
    return account


def already_set_up() -> CommandRejected:
    return conflict("already_set_up", "This installation is set up already. Please sign in.")


evolve: Final = (
    Evolution(Account)
    .begins(accounts.AccountRegistered)
    .follows(accounts.RolesChanged)
    .follows(accounts.AccountRenamed)
    .follows(accounts.ProfileChanged, keeps=True)
    .follows(accounts.EmailChanged)
    .follows(accounts.TwoFactorEnabled, two_factor=True)
    .follows(accounts.TwoFactorDisabled, two_factor=False)
    .follows(accounts.AccountDisabled, disabled=True)
    .follows(accounts.AccountEnabled, disabled=False)
    .follows(accounts.AccountErased, erased=True)
    .ignores(accounts.PasswordChanged, accounts.RecoveryCodesMade, accounts.RecoveryCodeUsed)
    .ignores(accounts.SignedIn, accounts.SignedOut, accounts.SessionsEnded)
)


@evolve.on(accounts.DisplayNameChanged)
def _display_name(_: Account, event: accounts.DisplayNameChanged) -> dict[str, Any]:
    return {"display_name": event.name if event.chosen else ""}


@evolve.on(accounts.SignInLinked)
def _linked(account: Account, event: accounts.SignInLinked) -> dict[str, Any]:
    return {"linked": account.linked | {event.subject_hash}}


@evolve.on(accounts.SignInUnlinked)
def _unlinked(account: Account, event: accounts.SignInUnlinked) -> dict[str, Any]:
    return {"linked": account.linked - {event.subject_hash}}


def evolve_session(_session: SessionAggregate | None, event: DomainEvent) -> SessionAggregate:
    match event:
        case accounts.SignedIn() | accounts.SignedOut() if event.session_id == event.originator_id:
            return SessionAggregate(event.originator_version, isinstance(event, accounts.SignedOut))
        case _:
            raise UnexpectedEvent(f"{event.NAME} does not happen to sessions")


evolve_email: Final = Evolution(Email).begins(accounts.EmailClaimed).begins(accounts.EmailReleased, account_id=None)
