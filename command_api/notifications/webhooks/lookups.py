"""Inline projection `webhook_targets`: what each webhook gets."""

from __future__ import annotations

from typing import Any, Final

from command_api.kernel.decision import conflict
from command_api.kernel.inline_projection import InlineProjection, Table, Tables
from command_api.kernel.unit_of_work import Appended
from command_api.notifications.webhooks.model import MAX_WEBHOOKS
from schemas.events.accounts import AccountErased
from schemas.events.notifications import (
    WebhookAdded,
    WebhookChanged,
    WebhookRemoved,
    WebhookSwitchedOff,
)

WEBHOOK_TABLE: Final = Table(
    "webhook",
    columns=(
        "webhook_id uuid not null",
        "account_id uuid not null",
        "format text not null",
        # Empty: all.
        "website_ids uuid[] not null",
        "kinds text[] not null",
        "resolved boolean not null",
        "is_active boolean not null",
    ),
    key=("webhook_id",),
    indexes=("account_id",),
)


WEBHOOK_TARGETS: Final = InlineProjection("webhook_targets", version=1, tables=(WEBHOOK_TABLE,))


@WEBHOOK_TARGETS.on(WebhookAdded)
def _added(tables: Tables, event: WebhookAdded) -> None:
    tables["webhook"].insert(
        webhook_id=event.originator_id, account_id=event.account_id, is_active=True, **_content(event)
    )


@WEBHOOK_TARGETS.on(WebhookChanged)
def _changed(tables: Tables, event: WebhookChanged) -> None:
    tables["webhook"].update({"webhook_id": event.originator_id}, is_active=event.is_active, **_content(event))


WEBHOOK_TABLE.follows(WebhookSwitchedOff, but="account_id", is_active=False)


WEBHOOK_TABLE.ends(WebhookRemoved)


WEBHOOK_TABLE.ends(AccountErased, by="account_id")


def require_webhook_limit(uow: Appended) -> None:
    """Raises `CommandRejected` when the sender has too many webhooks."""
    if len(uow.select("SELECT FROM lookup.webhook WHERE account_id = %s", uow.context.account_id)) > MAX_WEBHOOKS:
        raise conflict("too_many_webhooks", f"You can have at most {MAX_WEBHOOKS} webhooks. Delete one first.")


def _content(event: WebhookAdded | WebhookChanged) -> dict[str, Any]:
    return {
        "format": str(event.format),
        "website_ids": list(event.website_ids),
        "kinds": [str(kind) for kind in event.kinds],
        "resolved": event.resolved,
    }
