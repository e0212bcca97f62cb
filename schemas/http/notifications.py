"""Alerts, webhooks and preferences as both APIs answer them."""

from __future__ import annotations

from uuid import UUID

from pydantic import Field

from schemas.alerts import ALERTS, AlertParameter
from schemas.events.notifications import AlertKind, DigestMail, WebhookFormat
from schemas.http.responses import ResponseModel


class NotificationPreference(ResponseModel):
    """How the member receives notifications of one kind."""

    kind: str
    title: str
    in_app: bool
    mail: DigestMail
    at_once: bool = Field(description="Always emailed right away, and never part of a digest")


class AlertNumber(ResponseModel):
    """A number of a rule, with its default and bounds."""

    value: int
    unit: str
    default: int
    least: int
    most: int


class AlertRule(ResponseModel):
    """The rule of a website's alerts of one kind."""

    id: UUID | None = Field(description="Null: nothing is set, the defaults hold")
    website_id: UUID
    kind: AlertKind
    title: str
    enabled: bool
    threshold: AlertNumber | None = Field(description="From where on the alert opens")
    minimum: AlertNumber | None = Field(description="Clicks below which nothing is compared")


class AlertDeliveryState(ResponseModel):
    """How you get alerts outside the app."""

    mail: bool
    mail_resolved: bool
    quiet_from: str | None
    quiet_until: str | None


class Webhook(ResponseModel):
    """A webhook. Its secret was shown when it was made."""

    id: UUID
    url: str
    format: WebhookFormat
    website_ids: list[UUID] = Field(description="Empty: all")
    kinds: list[AlertKind] = Field(description="Empty: all")
    resolved: bool
    active: bool


def alert_rule(
    website_id: UUID,
    kind: AlertKind,
    id: UUID | None = None,
    enabled: bool = True,
    threshold: int | None = None,
    minimum: int | None = None,
) -> AlertRule:
    """The rule with the defaults of numbers that are not set."""
    alert = ALERTS[kind]
    return AlertRule(
        id=id,
        website_id=website_id,
        kind=kind,
        title=alert.title,
        enabled=enabled,
        threshold=_number(alert.threshold, threshold),
        minimum=_number(alert.minimum, minimum),
    )


def _number(bounds: AlertParameter | None, value: int | None) -> AlertNumber | None:
    return None if bounds is None else AlertNumber.of(bounds, value=bounds.default if value is None else value)
