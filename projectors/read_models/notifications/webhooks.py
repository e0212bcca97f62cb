"""`read.webhooks`: where people's alerts are sent."""

from __future__ import annotations

from typing import Final

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
    fixed=("account_id",),
    readers=own_account("account_id"),
    indexes=("account_id, added_at",),
    personal=("url",),
)


WEBHOOKS.begins(WebhookAdded, at="added_at", active=True)
WEBHOOKS.follows(WebhookChanged, takes={"active": "is_active"}, switched_off="")
WEBHOOKS.follows(WebhookSwitchedOff, takes={"switched_off": "reason"}, active=False)
WEBHOOKS.ends(WebhookRemoved)
WEBHOOKS.ends(AccountErased, by="account_id")
