"""Commands of webhooks."""

from __future__ import annotations

from uuid import UUID

from command_api.kernel.command_handlers import Command
from command_api.notifications.webhooks import schemas
from command_api.notifications.webhooks.model import DeliveryAttempt
from command_api.notifications.webhooks.schemas import WebhookSecret, WebhookTest, WebhookWithSecret
from schemas.http.notifications import Webhook


class AddWebhook(Command[WebhookWithSecret]):
    """Sends the sender's alerts to an address, signed with `secret`."""

    webhook_id: UUID
    secret: str
    fields: schemas.AddWebhook


class ChangeWebhook(Command[Webhook]):
    """Changes address or content, or turns a webhook off or on."""

    webhook_id: UUID
    fields: schemas.ChangeWebhook


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
    attempt: DeliveryAttempt
