"""A person's webhook: where alerts of which websites and kinds are sent. Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from ipaddress import ip_address
from typing import Any, Final, Literal
from urllib.parse import urlsplit
from uuid import UUID

from command_api.kernel.aggregates import first_event, next_event
from command_api.kernel.decision import CommandContext, conflict, invalid, not_found
from infra.kernel.config.settings import Network
from infra.kernel.net.outbound_http import may_call
from infra.kernel.text.hidden_characters import HIDDEN
from schemas.events import notifications
from schemas.events.notifications import AlertKind, WebhookFormat
from schemas.evolution import Evolution

MAX_WEBHOOKS: Final = 10
"""The largest number of webhooks of one person."""
MAX_WEBSITES: Final = 50
MAX_URL: Final = 2_000


@dataclass(frozen=True, slots=True)
class Target:
    """The address of a webhook, and the alerts that it gets. No websites, no kinds: all."""

    url: str
    format: WebhookFormat
    website_ids: tuple[UUID, ...]
    kinds: tuple[AlertKind, ...]
    resolved: bool


@dataclass(frozen=True, slots=True)
class WebhookAggregate:
    """State of one webhook."""

    id: UUID
    version: int
    account_id: UUID
    target: Target
    is_active: bool = True
    removed: bool = False


@dataclass(frozen=True, slots=True)
class DeliveryAttempt:
    """The result of one attempt; `dropped`: nothing was sent, and nothing will be."""

    at: datetime
    status: int | None = None
    error: str = ""
    dropped: bool = False

    @property
    def is_delivered(self) -> bool:
        return self.status is not None and 200 <= self.status < 300


def add(webhook_id: UUID, target: Target, context: CommandContext) -> notifications.WebhookAdded:
    return notifications.WebhookAdded(
        **first_event(webhook_id, context), account_id=context.require_account(), **_fields(target)
    )


def change(
    webhook: WebhookAggregate, target: Target, is_active: bool, context: CommandContext
) -> list[notifications.WebhookChanged]:
    """Changes the webhook; returns no events if nothing is different."""
    if (target, is_active) == (webhook.target, webhook.is_active):
        return []
    return [
        notifications.WebhookChanged(
            **next_event(webhook, context), account_id=webhook.account_id, **_fields(target), is_active=is_active
        )
    ]


def rotate_secret(webhook: WebhookAggregate, context: CommandContext) -> notifications.WebhookSecretRotated:
    return notifications.WebhookSecretRotated(**next_event(webhook, context), account_id=webhook.account_id)


def switch_off(
    webhook: WebhookAggregate, reason: Literal["failures", "gone"], context: CommandContext
) -> list[notifications.WebhookSwitchedOff]:
    if not webhook.is_active or webhook.removed:
        return []
    return [
        notifications.WebhookSwitchedOff(**next_event(webhook, context), account_id=webhook.account_id, reason=reason)
    ]


def remove(webhook: WebhookAggregate, context: CommandContext) -> notifications.WebhookRemoved:
    return notifications.WebhookRemoved(**next_event(webhook, context), account_id=webhook.account_id)


def require_own(webhook: WebhookAggregate | None, context: CommandContext) -> WebhookAggregate:
    """Returns the webhook. Raises `CommandRejected` (missing) for everybody but its person, admins included."""
    if webhook is None or webhook.removed or webhook.account_id != context.account_id:
        raise not_found("webhook")
    return webhook


def require_active(webhook: WebhookAggregate) -> WebhookAggregate:
    """Returns the webhook. Raises `CommandRejected` while nothing is sent to it."""
    if not webhook.is_active:
        raise conflict("webhook_off", "This webhook is off. Turn it on first.")
    return webhook


def checked_target(target: Target, own: Collection[UUID], also: Sequence[Network]) -> Target:
    """The target in its stored form. `own`: the person's websites; `also`: networks that may be called besides public
    ones. Raises `CommandRejected`."""
    websites, kinds = tuple(dict.fromkeys(target.website_ids)), tuple(dict.fromkeys(target.kinds))
    if len(websites) > MAX_WEBSITES:
        raise invalid("too_many_websites", f"Choose at most {MAX_WEBSITES} websites, or all.", "websiteIds")
    if any(website not in own for website in websites):
        raise not_found("website")
    return replace(target, url=checked_url(target.url, also), website_ids=websites, kinds=kinds)


def checked_url(text: str, also: Sequence[Network]) -> str:
    """An address on the open internet, as far as its text tells; the name is resolved when it is called."""
    text = text.strip()
    refusal = invalid("bad_url", "Enter a public https:// address without user name, port or #fragment.", "url")
    if len(text) > MAX_URL or not text.isascii() or not text.isprintable() or " " in text or HIDDEN.search(text):
        raise refusal
    try:
        parts = urlsplit(text)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise refusal from error
    if parts.scheme != "https" or not host or port not in (None, 443) or "@" in parts.netloc or parts.fragment:
        raise refusal
    try:
        is_refused = not may_call(ip_address(host), also)
    except ValueError:  # a name
        is_refused = "." not in host or host.endswith((".localhost", ".local", ".internal"))
    if is_refused:
        raise refusal
    return text


evolve: Final = (
    Evolution(WebhookAggregate)
    .follows(notifications.WebhookSwitchedOff, is_active=False)
    .follows(notifications.WebhookRemoved, is_active=False, removed=True)
    .ignores(notifications.WebhookSecretRotated)
)


@evolve.begun(notifications.WebhookAdded)
def _added(event: notifications.WebhookAdded) -> dict[str, Any]:
    return {"account_id": event.account_id, "target": _target(event)}


@evolve.on(notifications.WebhookChanged)
def _changed(_: WebhookAggregate, event: notifications.WebhookChanged) -> dict[str, Any]:
    return {"target": _target(event), "is_active": event.is_active}


def _fields(target: Target) -> dict[str, Any]:
    return {name: getattr(target, name) for name in Target.__slots__}


def _target(event: notifications.WebhookAdded | notifications.WebhookChanged) -> Target:
    return Target(event.url, event.format, event.website_ids, event.kinds, event.resolved)
