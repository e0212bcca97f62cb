"""Alerts of a website, their rules and who gets them (see `decisions`)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import time
from uuid import UUID, uuid5

from schemas.alerts import alert_delivery_id, alert_id, alert_rule_id
from schemas.base import DomainEvent
from schemas.events import notifications
from schemas.events.notifications import AlertKind

Encrypt = Callable[[UUID, str, str], str]
InOrder = Callable[..., list[DomainEvent]]


def alert_history(encrypt: Encrypt, in_order: InOrder, website: UUID, account: UUID) -> list[DomainEvent]:
    rule = {"website_id": website, "kind": AlertKind.NO_EVENTS}
    rates = {"website_id": website, "kind": AlertKind.EPC_FELL}
    shown = {"domain": "shop.example", "title": "Gone", "text": "It is gone.", "path": f"/links?website={website}"}
    broken, pending = (
        {"website_id": website, "account_id": account, "kind": kind, "cause": cause}
        for kind, cause in ((AlertKind.LINK_BROKEN, "gone.example"), (AlertKind.PENDING_CONVERSIONS, ""))
    )
    delivery = {"account_id": account, "mail": True, "mail_resolved": True}
    hook = {
        "account_id": account,
        "url": encrypt(account, "url", "https://hooks.example/x"),
        "format": "slack",
        "website_ids": [website],
        "kinds": [AlertKind.LINK_BROKEN],
        "resolved": True,
    }
    own = {"account_id": account}
    return [
        *in_order(
            alert_rule_id(website, AlertKind.NO_EVENTS),
            (notifications.AlertRuleSet, {**rule, "enabled": True, "threshold": 12, "minimum": None}),
            (notifications.AlertRuleReset, rule),
        ),
        *in_order(
            alert_rule_id(website, AlertKind.EPC_FELL),
            (notifications.AlertRuleSet, {**rates, "enabled": False, "threshold": 40, "minimum": 500}),
        ),
        *in_order(
            alert_id(website, AlertKind.LINK_BROKEN, "gone.example"),
            (notifications.AlertOpened, {**broken, **shown}),
            (notifications.AlertResolved, broken),
            (notifications.AlertOpened, {**broken, **shown}),
        ),
        *in_order(
            alert_id(website, AlertKind.PENDING_CONVERSIONS, ""),
            (notifications.AlertOpened, {**pending, **shown}),
            (notifications.AlertResolved, pending),
        ),
        *in_order(
            uuid5(account, "webhook"),
            (notifications.WebhookAdded, hook),
            (notifications.WebhookSecretRotated, own),
            (notifications.WebhookSwitchedOff, {**own, "reason": "failures"}),
            (notifications.WebhookChanged, {**hook, "is_active": True}),
        ),
        *in_order(
            uuid5(account, "webhook that is removed"),
            (notifications.WebhookAdded, hook),
            (notifications.WebhookRemoved, own),
        ),
        *in_order(
            alert_delivery_id(account),
            (notifications.AlertDeliverySet, {**delivery, "quiet_from": None, "quiet_until": None}),
            (notifications.AlertDeliverySet, {**delivery, "quiet_from": time(22), "quiet_until": time(7)}),
        ),
    ]
