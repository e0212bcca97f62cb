"""What members want to be told, and how. The notifications themselves are made from what happened, not decided."""

from __future__ import annotations

from typing import ClassVar, Literal
from uuid import UUID

from pydantic import Field

from schemas.base import DomainEvent

DigestMail = Literal["off", "daily", "weekly"]


class NotificationPreferenceSet(DomainEvent):
    """A member chose how to be told of one kind of thing."""

    NAME: ClassVar[str] = "notifications.preference_set"
    account_id: UUID
    kind: str
    in_app: bool
    mail: DigestMail


class NotificationMailStopped(DomainEvent):
    """No digest of any kind is mailed to the account, until it chooses one again."""

    NAME: ClassVar[str] = "notifications.mail_stopped"
    account_id: UUID
    way: Literal["page", "one_click"] = Field(description="The page of a mail's link, or a mail program's button")
