"""Commands of notifications and alerts."""

from __future__ import annotations

from datetime import datetime
from typing import Literal
from uuid import UUID

from command_api.kernel.command_handlers import Command
from command_api.notifications import alert_schemas, schemas, webhook_schemas
from command_api.notifications.alerts import Finding
from command_api.notifications.webhook_schemas import WebhookSecret, WebhookTest, WebhookWithSecret
from command_api.notifications.webhooks import Attempt
from schemas.events.notifications import AlertKind
from schemas.http.notifications import AlertDeliveryState, AlertRule, NotificationPreference, Webhook


class SetPreference(Command[NotificationPreference]):
    """Chooses where the sender's notifications of one kind appear."""

    kind: str
    fields: schemas.Choice


class StopDigests(Command[None]):
    """Ends the digests of an account, by the page or the one-click button of a mail."""

    account_id: UUID
    way: Literal["page", "one_click"]


class SetAlertRule(Command[AlertRule]):
    """Turns a website's alerts of one kind on or off and sets their thresholds."""

    fields: alert_schemas.SetAlertRule


class ChangeAlertRule(Command[AlertRule]):
    """Changes what is set."""

    rule_id: UUID
    fields: alert_schemas.ChangeAlertRule


class ResetAlertRule(Command[None]):
    """Restores the defaults."""

    rule_id: UUID


class ChooseAlertDelivery(Command[AlertDeliveryState]):
    """Chooses how the sender gets alerts outside the app."""

    fields: alert_schemas.AlertDelivery


class StopAlertMail(Command[None]):
    """Ends the alert emails of an account, by the button of a mail program."""

    account_id: UUID


class RecordAlerts(Command[int]):
    """Opens and ends a website's alerts by what a check found; returns how many changed. `kinds`: what it looked for;
    `next_at`: when the check is due again."""

    website_id: UUID
    check: str
    kinds: frozenset[AlertKind]
    found: tuple[Finding, ...]
    next_at: datetime


class SendAlertMail(Command[None]):
    """Mails an account the alerts that wait for it, unless its quiet hours last."""

    account_id: UUID


class AddWebhook(Command[WebhookWithSecret]):
    """Sends the sender's alerts to an address, signed with `secret`."""

    webhook_id: UUID
    secret: str
    fields: webhook_schemas.AddWebhook


class ChangeWebhook(Command[Webhook]):
    """Changes address or content, or turns a webhook off or on."""

    webhook_id: UUID
    fields: webhook_schemas.ChangeWebhook


class RotateWebhookSecret(Command[WebhookSecret]):
    """Signs messages with another secret; for a day with the old one, too."""

    webhook_id: UUID
    secret: str


class SendWebhookTest(Command[WebhookTest]):
    """Sends a test message."""

    webhook_id: UUID


class RemoveWebhook(Command[None]):
    """Deletes a webhook, its secret and its messages."""

    webhook_id: UUID


class RecordWebhookAttempt(Command[None]):
    """Stores what came of an attempt to send a message, and plans the next one."""

    delivery_id: UUID
    attempt: Attempt
