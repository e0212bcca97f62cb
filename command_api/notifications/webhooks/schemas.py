"""Request and response models of webhooks."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from pydantic import Field

from command_api.kernel.http import RequestModel
from command_api.notifications.alerts.schemas import Id, Kind
from command_api.notifications.webhooks.model import MAX_URL, MAX_WEBSITES
from schemas.events.notifications import AlertKind, WebhookFormat
from schemas.http.notifications import Webhook
from schemas.http.responses import ResponseModel

Url = Annotated[str, Field(max_length=MAX_URL, description="A public https:// address")]
Format = Annotated[WebhookFormat, Field(strict=False, description="slack: one text, as Slack and its like take it")]
Websites = Annotated[list[Id], Field(max_length=MAX_WEBSITES, description="Empty: all your websites")]
Kinds = Annotated[list[Kind], Field(max_length=len(AlertKind), description="Empty: all")]


class AddWebhook(RequestModel):
    """Where alerts are sent, and which."""

    url: Url
    format: Format = WebhookFormat.STANDARD
    website_ids: Websites = Field(default_factory=list)
    kinds: Kinds = Field(default_factory=list)
    resolved: bool = Field(default=False, description="Send the end of an alert, too")


class ChangeWebhook(RequestModel):
    """Omitted fields stay unchanged."""

    url: Url | None = None
    format: Format | None = None
    website_ids: Websites | None = None
    kinds: Kinds | None = None
    resolved: bool | None = None
    active: bool | None = None


class WebhookWithSecret(Webhook):
    """A new webhook. The secret is shown only here."""

    secret: str


class WebhookSecret(ResponseModel):
    """The new secret, shown only here. For a day, messages are signed with the old one, too."""

    secret: str


class WebhookTest(ResponseModel):
    """The message that is sent; its outcome is in the list of deliveries."""

    delivery_id: UUID
