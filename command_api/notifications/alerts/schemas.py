"""Request and response models of alerts."""

from __future__ import annotations

from datetime import time
from typing import Annotated
from uuid import UUID

from pydantic import Field

from command_api.kernel.http import RequestModel
from schemas.events.notifications import AlertKind

Id = Annotated[UUID, Field(strict=False)]
Kind = Annotated[AlertKind, Field(strict=False)]
Number = Annotated[int, Field(ge=0, le=2**31 - 1)]
Clock = Annotated[str, Field(pattern=r"^([01]\d|2[0-3]):[0-5]\d$", description="HH:MM, in your time zone")]


class SetAlertRule(RequestModel):
    """The rule of a website's alerts of one kind. Numbers that are not given have their defaults."""

    website_id: Id
    kind: Kind
    enabled: bool = True
    threshold: Number | None = None
    minimum: Number | None = None


class ChangeAlertRule(RequestModel):
    """Omitted fields stay unchanged; null: the default."""

    enabled: bool | None = None
    threshold: Number | None = None
    minimum: Number | None = None


class AlertDelivery(RequestModel):
    """How you get alerts outside the app. During quiet hours, emails and webhooks are held back."""

    mail: bool
    mail_resolved: bool = False
    quiet_from: Clock | None = None
    quiet_until: Clock | None = None


def to_time(clock: str | None) -> time | None:
    """The time of a checked `HH:MM`."""
    return time.fromisoformat(clock) if clock is not None else None
