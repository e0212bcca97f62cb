"""Events of accounts: the people who sign in."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import ClassVar
from uuid import UUID

from pydantic import Field

from schemas.base import DomainEvent, Personal


class Role(StrEnum):
    """What an account may do. A role is a right, not a rank: an admin who queries as an analyst holds both."""

    MEMBER = "member"
    ANALYST = "analyst"
    MODERATOR = "moderator"
    ADMIN = "admin"


class AccountRegistered(DomainEvent):
    """An account was created. The password's hash is not part of the history; it is stored in `accounts.credential`."""

    NAME: ClassVar[str] = "account.registered"
    email: Personal[str]
    name: Personal[str]
    roles: tuple[Role, ...] = (Role.MEMBER,)
    way: str = Field(pattern="^(environment|setup|invite)$", description="How the account was created")
    invite_id: UUID | None = Field(default=None, description="The invite that was used, if any")
    invited_by: UUID | None = Field(default=None, description="Account that created that invite")


class RolesChanged(DomainEvent):
    """An admin set the account's roles; they replace the previous ones."""

    NAME: ClassVar[str] = "account.roles_changed"
    roles: tuple[Role, ...]


class AccountRenamed(DomainEvent):
    """The account's owner changed the account's name. Others see it unless there is a display name."""

    NAME: ClassVar[str] = "account.renamed"
    name: Personal[str]


class DisplayNameChanged(DomainEvent):
    """From now on others see this name. `chosen`: it is a display name; else the account's own name is shown again."""

    NAME: ClassVar[str] = "account.display_name_changed"
    name: Personal[str]
    chosen: bool = Field(description="Whether the owner chose a name other than the account's")


class ProfileChanged(DomainEvent):
    """The account's owner changed company or time zone; a field that is None did not change."""

    NAME: ClassVar[str] = "account.profile_changed"
    company: Personal[str | None] = None
    timezone: str | None = Field(default=None, description="IANA name")


class EmailChanged(DomainEvent):
    """The account signs in with another address, which its owner confirmed; its other sessions ended."""

    NAME: ClassVar[str] = "account.email_changed"
    email: Personal[str]


class PasswordChanged(DomainEvent):
    """The password was replaced; every other session of the account ended."""

    NAME: ClassVar[str] = "account.password_changed"
    way: str = Field(
        default="change", pattern="^(change|reset)$", description="With the old password, or with an emailed link"
    )


class TwoFactorEnabled(DomainEvent):
    """The first right code of an authenticator was entered: sign-in now requires a code; the other sessions ended."""

    NAME: ClassVar[str] = "account.two_factor_enabled"


class TwoFactorDisabled(DomainEvent):
    """Sign-in requires the password alone again; the account's other sessions ended."""

    NAME: ClassVar[str] = "account.two_factor_disabled"


class RecoveryCodesMade(DomainEvent):
    """New recovery codes were shown; earlier ones are invalid. Only hashes are stored, in `accounts.recovery_code`."""

    NAME: ClassVar[str] = "account.recovery_codes_made"
    count: int = Field(ge=1)


class RecoveryCodeUsed(DomainEvent):
    """A recovery code replaced the second factor; it is now invalid."""

    NAME: ClassVar[str] = "account.recovery_code_used"


class SignedIn(DomainEvent):
    """A session was opened. The session is the aggregate; in older events the account is."""

    NAME: ClassVar[str] = "account.signed_in"
    session_id: UUID
    account_id: UUID | None = Field(default=None, description="Whose session; none in older events")
    method: str = Field(description="password, or the name of an identity provider")


class SignedOut(DomainEvent):
    """A session was ended by its owner. The session is the aggregate; in older events the account is."""

    NAME: ClassVar[str] = "account.signed_out"
    session_id: UUID
    account_id: UUID | None = Field(default=None, description="Whose session; none in older events")


class SessionsEnded(DomainEvent):
    """The account's sessions ended, except the requesting one if it was the owner's."""

    NAME: ClassVar[str] = "account.sessions_ended"


class SignInLinked(DomainEvent):
    """An identity of a provider may sign in to the account. The event contains only the identity's keyed hash."""

    NAME: ClassVar[str] = "account.sign_in_linked"
    provider: str = Field(description="google, github, microsoft or linkedin")
    subject_hash: str = Field(pattern="^[0-9a-f]{64}$", description="Keyed hash of issuer and subject")


class SignInUnlinked(DomainEvent):
    """That identity may no longer sign in to the account; its other sessions ended."""

    NAME: ClassVar[str] = "account.sign_in_unlinked"
    provider: str
    subject_hash: str = Field(pattern="^[0-9a-f]{64}$")


class AccountDisabled(DomainEvent):
    """The account can no longer sign in; its sessions ended."""

    NAME: ClassVar[str] = "account.disabled"
    reason: Personal[str]


class AccountEnabled(DomainEvent):
    """A disabled account may sign in again."""

    NAME: ClassVar[str] = "account.enabled"


class AccountErased(DomainEvent):
    """The person requested erasure: their key was deleted, so their personal fields read `[erased]` everywhere."""

    NAME: ClassVar[str] = "account.erased"


class EmailClaimed(DomainEvent):
    """An email address (by keyed hash) belongs to one account. Its aggregate's id is derived from the hash."""

    NAME: ClassVar[str] = "email.claimed"
    account_id: UUID


class EmailReleased(DomainEvent):
    """The address may be reserved again."""

    NAME: ClassVar[str] = "email.released"


class InviteCreated(DomainEvent):
    """A member created an invite. The code is not part of the history; it is stored in `accounts.invite_code`."""

    NAME: ClassVar[str] = "invite.created"
    account_id: UUID
    max_uses: int = Field(ge=1)
    expires_at: datetime


class InviteUsed(DomainEvent):
    """A person registered with the invite; stored in the transaction of their account."""

    NAME: ClassVar[str] = "invite.used"
    account_id: UUID = Field(description="Who joined")


class InviteRevoked(DomainEvent):
    """The invite can no longer be used to register."""

    NAME: ClassVar[str] = "invite.revoked"
