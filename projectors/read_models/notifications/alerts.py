"""`read.alert_rules`: what is set for the alerts of websites. `read.alerts`: every cause, with its last opening.
`read.alert_deliveries`: how accounts get alerts outside the app. No row: the default."""

from __future__ import annotations

from typing import Final

from infra.kernel.postgres.rows import Rows
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


@ALERT_RULES.on(AlertRuleSet)
def rule_set(rows: Rows, event: AlertRuleSet) -> None:
    rows.put(
        id=event.originator_id,
        website_id=event.website_id,
        kind=str(event.kind),
        enabled=event.enabled,
        threshold=event.threshold,
        minimum=event.minimum,
    )


@ALERT_RULES.on(AlertRuleReset)
def rule_reset(rows: Rows, event: AlertRuleReset) -> None:
    rows.delete(id=event.originator_id)


@ALERT_RULES.on(WebsiteDisconnected)
def rules_of_disconnected(rows: Rows, event: WebsiteDisconnected) -> None:
    rows.delete(website_id=event.originator_id)


@ALERTS.on(AlertOpened)
def opened(rows: Rows, event: AlertOpened) -> None:
    rows.put(
        id=event.originator_id,
        website_id=event.website_id,
        account_id=event.account_id,
        kind=str(event.kind),
        cause=event.cause,
        title=event.title,
        text=event.text,
        path=event.path,
        opened_at=event.timestamp,
        resolved_at=None,
    )


ALERTS.sets(AlertResolved, lambda event: {"resolved_at": event.timestamp})


@ALERTS.on(WebsiteDisconnected)
def alerts_of_disconnected(rows: Rows, event: WebsiteDisconnected) -> None:
    rows.delete(website_id=event.originator_id)


@ALERTS.on(WebsiteTransferred)
def alerts_of_transferred(rows: Rows, event: WebsiteTransferred) -> None:
    """They were the seller's."""
    rows.delete(website_id=event.originator_id)


@ALERT_DELIVERIES.on(AlertDeliverySet)
def delivery_set(rows: Rows, event: AlertDeliverySet) -> None:
    rows.put(
        account_id=event.account_id,
        mail=event.mail,
        mail_resolved=event.mail_resolved,
        quiet_from=event.quiet_from,
        quiet_until=event.quiet_until,
    )
