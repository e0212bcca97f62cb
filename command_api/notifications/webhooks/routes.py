"""`/api/platform/webhooks*`: where a person's alerts are sent."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from fastapi import APIRouter, Response

from command_api.kernel import rate_limits
from command_api.kernel.http import Id, Runs
from command_api.notifications.webhooks import commands
from command_api.notifications.webhooks.schemas import (
    AddWebhook,
    ChangeWebhook,
    WebhookSecret,
    WebhookTest,
    WebhookWithSecret,
)
from command_api.notifications.webhooks.signature import new_secret
from schemas.http.notifications import Webhook
from schemas.uuid7 import uuid7

router = APIRouter(prefix="/api/platform/webhooks", tags=["notifications"])
TESTS: Final = rate_limits.Limit("webhook_test", timedelta(seconds=6), 10)


@router.post("", status_code=201, response_model=WebhookWithSecret)
def add_webhook(body: AddWebhook, run: Runs) -> Response:
    """Sends alerts to an address. The response has the secret that signs them; it is shown only here."""
    command = commands.AddWebhook(uuid7(), new_secret(), body)
    return run(command, body, status=201, is_consistent=True)


@router.patch("/{id}", response_model=Webhook)
def change_webhook(webhook_id: Id, body: ChangeWebhook, run: Runs) -> Response:
    """Changes address or content, or turns the webhook off or on."""
    return run(commands.ChangeWebhook(webhook_id, body), body, is_consistent=True)


@router.delete("/{id}", status_code=204)
def remove_webhook(webhook_id: Id, run: Runs) -> Response:
    """Deletes the webhook and its messages."""
    return run(commands.RemoveWebhook(webhook_id), status=204, is_consistent=True)


@router.post("/{id}/secret", response_model=WebhookSecret)
def rotate_webhook_secret(webhook_id: Id, run: Runs) -> Response:
    """Creates a new secret. For a day, messages are signed with the old one, too."""
    return run(commands.RotateWebhookSecret(webhook_id, new_secret()))


@router.post("/{id}/test", status_code=202, response_model=WebhookTest)
def send_webhook_test(webhook_id: Id, run: Runs) -> Response:
    """Sends a test message."""
    rate_limits.consume(run.container.pool, TESTS, str(run.person.account_id))
    return run(commands.SendWebhookTest(webhook_id), status=202)
