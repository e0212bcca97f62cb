"""Which notifications members want, and how. The notifications themselves follow from events and are no events."""

from __future__ import annotations

from typing import ClassVar, Literal
from uuid import UUID

from pydantic import Field

from schemas.base import DomainEvent

DigestMail = Literal["off", "daily", "weekly"]


class NotificationPreferenceSet(DomainEvent):
    """A member chose the channel for one kind of notification."""

    NAME: ClassVar[str] = "notifications.preference_set"
    account_id: UUID
    kind: str
    in_app: bool
    mail: DigestMail


class NotificationMailStopped(DomainEvent):
    """The account gets no email digest of any kind until it chooses one again."""

    NAME: ClassVar[str] = "notifications.mail_stopped"
    account_id: UUID
    way: Literal["page", "one_click"] = Field(description="The page of a mail's link, or a mail program's button")
