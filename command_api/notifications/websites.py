"""Notifications of owners and admins about websites, and of people about their webhooks."""

from __future__ import annotations

from typing import Final

from command_api.notifications.notification import ADMINS, Notifications, OutgoingNotification, on
from schemas.events.notifications import AlertOpened, WebhookSwitchedOff
from schemas.events.websites import ClaimsUnusual, ReportsUnread


@on(ClaimsUnusual)
def claims_unusual(event: ClaimsUnusual) -> Notifications:
    title = f"Unusually many sales of {{website}} were reported with your public site key: {event.claims:,} in an hour"
    path = f"/dashboard/conversions?website={event.website_id}&keyKind=site"
    yield OutgoingNotification(
        "claims", str(event.originator_id), event.account_id, title=title, path=path, website_id=event.website_id
    )
    admins = "Unusually many sales of {website} were reported with its public site key"
    yield OutgoingNotification(
        "claims",
        str(event.originator_id),
        None,
        title=admins,
        but=(event.account_id,),
        roles=ADMINS,
        website_id=event.website_id,
    )


@on(ReportsUnread)
def reports_unread(event: ReportsUnread) -> Notifications:
    name = READABLE.get(event.field, event.field)
    title = f"Sales of {{website}} were reported with {name} that cannot be read"
    if event.is_placeholder:
        title = f"The postback URL of {{website}} has an unfilled placeholder: sales came without {name}"
    path = f"/dashboard/conversions?website={event.website_id}&unread=yes"
    yield OutgoingNotification(
        "unread", str(event.originator_id), event.account_id, title=title, path=path, website_id=event.website_id
    )


READABLE: Final = {
    "txid": "a transaction ID",
    "click_id": "a click ID",
    "amount": "an amount",
    "payout": "a payout",
    "currency": "a currency",
    "status": "a status",
    "event": "an event name",
    "occurred_at": "a time",
    "coupon": "a coupon",
    "customer_id": "a customer ID",
    "visitor_id": "a visitor ID",
    "props": "properties",
}
"""Fields of a report as the app names them."""


@on(AlertOpened)
def alert_opened(event: AlertOpened) -> Notifications:
    about, title = f"{event.originator_id} {event.originator_version}", f"{event.domain}: {event.title}"
    yield OutgoingNotification("alert", about, event.account_id, title=title, path=event.path)


@on(WebhookSwitchedOff)
def webhook_switched_off(event: WebhookSwitchedOff) -> Notifications:
    why = "its address is gone (410)" if event.reason == "gone" else "several messages in a row could not be delivered"
    about, title = f"{event.originator_id} {event.originator_version}", f"A webhook was turned off: {why}"
    yield OutgoingNotification("webhook", about, event.account_id, title=title, path="/account-settings?tab=alerts")
