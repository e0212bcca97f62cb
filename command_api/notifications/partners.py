"""Notifications of members about their requests for partners, and of admins about new ones. No name of a program is in
a notification: members wrote it."""

from __future__ import annotations

from command_api.notifications.notification import ADMINS, Notifications, OutgoingNotification, on, on_later
from schemas.events.partners import PartnerRequestAccepted, PartnerRequestDeclined, PartnerRequested
from schemas.notifications import PARTNER_REQUESTED

PATH = "/links/partners"


@on(PartnerRequested)
def requested(event: PartnerRequested) -> Notifications:
    """Notifies admins once of all open requests, until the notification is seen."""
    sender, path, title = event.account_id, "/admin?tab=partners", PARTNER_REQUESTED
    yield OutgoingNotification("partner", "requests", None, sender, title=title, path=path, but=(sender,), roles=ADMINS)


@on_later(PartnerRequestAccepted)
def accepted(event: PartnerRequestAccepted, begin: PartnerRequested) -> Notifications:
    title = "The partner you requested was added: you can create links to it now"
    yield OutgoingNotification("partner", str(event.originator_id), begin.account_id, title=title, path=PATH)


@on_later(PartnerRequestDeclined)
def declined(event: PartnerRequestDeclined, begin: PartnerRequested) -> Notifications:
    title = "Your partner request was declined: see the reason"
    yield OutgoingNotification("partner", str(event.originator_id), begin.account_id, title=title, path=PATH)
