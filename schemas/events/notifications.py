"""Events of notification preferences: which notifications members want, and how; and of alerts of websites. The
notifications themselves follow from events and are no events."""

from __future__ import annotations

from datetime import time
from enum import StrEnum
from typing import ClassVar, Literal
from uuid import UUID

from pydantic import Field

from schemas.base import DomainEvent, Personal

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


class AdminAct(StrEnum):
    """What an admin does to a thing of a member's."""

    WEBSITE_DISCONNECTED = "website_disconnected"
    LINK_PAUSED = "link_paused"
    LINK_RESUMED = "link_resumed"
    LINK_DELETED = "link_deleted"
    DOMAIN_REMOVED = "domain_removed"


class AdminActed(DomainEvent):
    """An admin acted on a member's thing: tells the owner. What happened to the thing is an event of its own."""

    NAME: ClassVar[str] = "admin_act.done"
    SUBJECT: ClassVar[str] = "account_id"
    account_id: UUID = Field(description="Whose thing it is")
    act: AdminAct
    thing_id: UUID
    thing: Personal[str] = Field(description="A domain name, or a link's slug after a slash")
    reason: Personal[str]


class AlertKind(StrEnum):
    """What an alert is about."""

    NO_EVENTS = "no_events"
    POSTBACKS_REJECTED = "postbacks_rejected"
    CONVERSION_RATE_FELL = "conversion_rate_fell"
    EPC_FELL = "epc_fell"
    PENDING_CONVERSIONS = "pending_conversions"
    PARTNER_DEACTIVATED = "partner_deactivated"
    LINK_BROKEN = "link_broken"
    MONTH_CLOSED = "month_closed"
    REPORTS_STOPPED = "reports_stopped"
    IMPORT_FAILED = "import_failed"
    DECLINES_ROSE = "declines_rose"
    PARTNER_OVERDUE = "partner_overdue"


class AlertRuleSet(DomainEvent):
    """A website's alerts of one kind are on or off, with these thresholds; it replaces what was set before."""

    NAME: ClassVar[str] = "alert_rule.set"
    website_id: UUID
    kind: AlertKind
    enabled: bool
    threshold: int | None = Field(description="None: the default, or the kind has none")
    minimum: int | None = Field(description="Clicks below which a rate is not compared; none: the default")


class AlertRuleReset(DomainEvent):
    """The website's alerts of this kind follow the defaults again."""

    NAME: ClassVar[str] = "alert_rule.reset"
    website_id: UUID
    kind: AlertKind


class AlertOpened(DomainEvent):
    """The cause of an alert is there. One stream per website, kind and cause: it opens again only after its end."""

    NAME: ClassVar[str] = "alert.opened"
    website_id: UUID
    account_id: UUID = Field(description="Whose website it is")
    domain: str
    kind: AlertKind
    cause: str = Field(description="What of this kind: a partner, a link, a code, a month; empty: the whole website")
    title: str
    text: str
    path: str = Field(description="Where in the app the cause is shown")


class AlertResolved(DomainEvent):
    """The cause is gone."""

    NAME: ClassVar[str] = "alert.resolved"
    website_id: UUID
    account_id: UUID
    kind: AlertKind
    cause: str


class AlertDeliverySet(DomainEvent):
    """How a person gets alerts outside the app. Quiet hours are in the person's time zone; none: no quiet hours."""

    NAME: ClassVar[str] = "alert_delivery.set"
    account_id: UUID
    mail: bool
    mail_resolved: bool
    quiet_from: time | None
    quiet_until: time | None


class WebhookFormat(StrEnum):
    """What is sent: JSON as Standard Webhooks describe it, or one text as Slack takes it."""

    STANDARD = "standard"
    SLACK = "slack"


class WebhookAdded(DomainEvent):
    """A person wants alerts sent to an address. The webhook's secret is in no event."""

    NAME: ClassVar[str] = "webhook.added"
    SUBJECT: ClassVar[str] = "account_id"
    account_id: UUID
    url: Personal[str] = Field(description="Secret: at some services everybody who knows it may write")
    format: WebhookFormat
    website_ids: tuple[UUID, ...] = Field(description="None: all of the account")
    kinds: tuple[AlertKind, ...] = Field(description="None: all")
    resolved: bool = Field(description="Whether the end of an alert is sent, too")


class WebhookChanged(DomainEvent):
    """The webhook has another address, sends something else, or is turned off or on."""

    NAME: ClassVar[str] = "webhook.changed"
    SUBJECT: ClassVar[str] = "account_id"
    account_id: UUID
    url: Personal[str] = Field(description="Secret: at some services everybody who knows it may write")
    format: WebhookFormat
    website_ids: tuple[UUID, ...] = Field(description="None: all of the account")
    kinds: tuple[AlertKind, ...] = Field(description="None: all")
    resolved: bool = Field(description="Whether the end of an alert is sent, too")
    is_active: bool


class WebhookSecretRotated(DomainEvent):
    """Messages are signed with a new secret, and for some time with the old one, too."""

    NAME: ClassVar[str] = "webhook.secret_rotated"
    account_id: UUID


class WebhookSwitchedOff(DomainEvent):
    """Nothing is sent any more, because the address did not take the last messages."""

    NAME: ClassVar[str] = "webhook.switched_off"
    account_id: UUID
    reason: Literal["failures", "gone"]


class WebhookRemoved(DomainEvent):
    """The webhook is deleted."""

    NAME: ClassVar[str] = "webhook.removed"
    account_id: UUID
