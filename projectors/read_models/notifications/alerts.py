"""`read.alert_rules`: the settings of the alerts of websites. `read.alerts`: every cause, with its last opening.
`read.alert_deliveries`: how accounts get alerts outside the app. No row: the default."""

from __future__ import annotations

from typing import Final

from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import OWN_WEBSITES, own_account
from schemas.events.notifications import AlertDeliverySet, AlertOpened, AlertResolved, AlertRuleReset, AlertRuleSet
from schemas.events.websites import WebsiteDisconnected, WebsiteTransferred

ALERT_RULES: Final = ReadModel(
    name="alert_rules",
    version=1,
    columns=(
        "id uuid",
        "website_id uuid not null",
        "kind text not null",
        "enabled boolean not null",
        # Null: the default.
        "threshold int",
        "minimum int",
    ),
    key=("id",),
    readers=OWN_WEBSITES,
    indexes=("website_id",),
)

ALERTS: Final = ReadModel(
    name="alerts",
    version=1,
    columns=(
        "id uuid",
        "website_id uuid not null",
        "account_id uuid not null",
        "kind text not null",
        "cause text not null",
        "title text not null",
        "text text not null",
        "path text not null",
        "opened_at timestamptz not null",
        # Null: open.
        "resolved_at timestamptz",
    ),
    key=("id",),
    fixed=(
        "website_id",
        "account_id",
        "kind",
        "cause",
    ),
    readers=OWN_WEBSITES,
    indexes=("website_id, opened_at desc", "account_id, opened_at desc"),
)

ALERT_DELIVERIES: Final = ReadModel(
    name="alert_deliveries",
    version=1,
    columns=(
        "account_id uuid",
        "mail boolean not null",
        "mail_resolved boolean not null",
        "quiet_from time",
        "quiet_until time",
    ),
    key=("account_id",),
    readers=own_account("account_id"),
)


ALERT_RULES.begins(AlertRuleSet)
ALERT_RULES.ends(AlertRuleReset)
ALERT_RULES.ends(WebsiteDisconnected, by="website_id")


ALERTS.begins(AlertOpened, at="opened_at", resolved_at=None)
ALERTS.follows(AlertResolved, at="resolved_at")
ALERTS.ends(WebsiteDisconnected, WebsiteTransferred, by="website_id")
"""They were the seller's."""


ALERT_DELIVERIES.begins(AlertDeliverySet)
