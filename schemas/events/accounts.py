"""What happens to accounts: the people who sign in."""

from __future__ import annotations

from enum import StrEnum
from typing import ClassVar
from uuid import UUID

from pydantic import Field

from schemas.base import DomainEvent, Personal


class Role(StrEnum):
    """What an account may do. A role is a right, not a rank: an admin who queries as an analyst holds both."""

    MEMBER = "member"
    ANALYST = "analyst"
    ADMIN = "admin"


class AccountRegistered(DomainEvent):
    """A person got an account. The password's hash is not part of history; it is kept in `auth.credential`."""

    NAME: ClassVar[str] = "account.registered"
    email: Personal[str]
    name: Personal[str]
    roles: tuple[Role, ...] = (Role.MEMBER,)
    way: str = Field(pattern="^(environment|setup|invite)$", description="How the account came to be")


class RolesChanged(DomainEvent):
    """An admin gave the account these roles; they replace the ones before."""

    NAME: ClassVar[str] = "account.roles_changed"
    roles: tuple[Role, ...]


class AccountRenamed(DomainEvent):
    """The account's owner changed the name that others see."""

    NAME: ClassVar[str] = "account.renamed"
    name: Personal[str]


class PasswordChanged(DomainEvent):
    """The password was replaced; every other session of the account ended."""

    NAME: ClassVar[str] = "account.password_changed"


class SignedIn(DomainEvent):
    """A session was opened."""

    NAME: ClassVar[str] = "account.signed_in"
    session_id: UUID
    method: str = Field(description="password, or the name of an identity provider")


class SignedOut(DomainEvent):
    """A session was ended by its owner or an admin."""

    NAME: ClassVar[str] = "account.signed_out"
    session_id: UUID


class AccountDisabled(DomainEvent):
    """The account may not sign in any more; its sessions ended."""

    NAME: ClassVar[str] = "account.disabled"
    reason: str


class AccountErased(DomainEvent):
    """The person asked to be forgotten: their key was deleted, so their personal fields read `[erased]` everywhere."""

    NAME: ClassVar[str] = "account.erased"


class EmailClaimed(DomainEvent):
    """An e-mail address (by keyed hash) belongs to one account. Its aggregate's id is derived from the hash."""

    NAME: ClassVar[str] = "email.claimed"
    account_id: UUID


class EmailReleased(DomainEvent):
    """The address may be claimed again."""

    NAME: ClassVar[str] = "email.released"
