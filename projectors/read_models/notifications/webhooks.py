"""`read.webhooks`: where people's alerts are sent."""

from __future__ import annotations

from typing import Any, Final

from infra.kernel.postgres.rows import Rows
from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import own_account
from schemas.events.accounts import AccountErased
from schemas.events.notifications import WebhookAdded, WebhookChanged, WebhookRemoved, WebhookSwitchedOff

WEBHOOKS: Final = ReadModel(
    name="webhooks",
    version=1,
    columns=(
        "id uuid",
        "account_id uuid not null",
        "url text not null",
        "format text not null",
        # Empty: all.
        "website_ids uuid[] not null",
        "kinds text[] not null",
        "resolved boolean not null",
        "active boolean not null",
        # Why the product turned it off: failures or gone; empty: it did not.
        "switched_off text not null default ''",
        "added_at timestamptz not null",
    ),
    key=("id",),
    readers=own_account("account_id"),
    indexes=("account_id, added_at",),
    personal=("url",),
)


@WEBHOOKS.on(WebhookAdded)
def added(rows: Rows, event: WebhookAdded) -> None:
    rows.put(
        id=event.originator_id,
        account_id=event.account_id,
        active=True,
        added_at=event.timestamp,
        **_content(event),
    )


@WEBHOOKS.on(WebhookChanged)
def changed(rows: Rows, event: WebhookChanged) -> None:
    rows.update({"id": event.originator_id}, active=event.is_active, switched_off="", **_content(event))


WEBHOOKS.sets(WebhookSwitchedOff, lambda event: {"switched_off": event.reason}, active=False)


@WEBHOOKS.on(WebhookRemoved)
def removed(rows: Rows, event: WebhookRemoved) -> None:
    rows.delete(id=event.originator_id)


@WEBHOOKS.on(AccountErased)
def account_erased(rows: Rows, event: AccountErased) -> None:
    rows.delete(account_id=event.originator_id)


def _content(event: WebhookAdded | WebhookChanged) -> dict[str, Any]:
    return {
        "url": event.url,
        "format": str(event.format),
        "website_ids": list(event.website_ids),
        "kinds": [str(kind) for kind in event.kinds],
        "resolved": event.resolved,
    }
