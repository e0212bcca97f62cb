"""Notifications of owners when an admin acts on their things. The texts name no admin."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from uuid import UUID

from command_api.kernel.decision import CommandContext, OnBehalf, event_metadata
from command_api.notifications.notification import Notifications, OutgoingNotification, on
from schemas.base import DomainEvent
from schemas.events.domains import DomainRemoved
from schemas.events.links import LinkDeleted, LinkUpdated
from schemas.events.notifications import AdminAct, AdminActed
from schemas.events.websites import WebsiteDisconnected
from schemas.evolution import UnexpectedEvent


def of(event: DomainEvent, on_behalf: OnBehalf, act_id: UUID, context: CommandContext) -> list[AdminActed]:
    """Returns the event that tells the owner of what an admin does; none for the admin's own thing."""
    if on_behalf.owner_id == context.account_id:
        return []
    base = event_metadata(act_id, 0, context)
    owner, thing, reason = on_behalf.owner_id, on_behalf.thing, on_behalf.reason
    return [
        AdminActed(**base, account_id=owner, act=_act(event), thing_id=on_behalf.thing_id, thing=thing, reason=reason)
    ]


@on(AdminActed)
def acted(event: AdminActed) -> Notifications:
    what, path = _TEXTS[event.act]
    title = f"An admin {what} {event.thing}: {event.reason}"
    yield OutgoingNotification("admin_act", str(event.originator_id), event.account_id, title=title, path=path)


def _act(event: DomainEvent) -> AdminAct:
    match event:
        case WebsiteDisconnected():
            return AdminAct.WEBSITE_DISCONNECTED
        case LinkUpdated():
            return AdminAct.LINK_RESUMED if event.is_active else AdminAct.LINK_PAUSED
        case LinkDeleted():
            return AdminAct.LINK_DELETED
        case DomainRemoved():
            return AdminAct.DOMAIN_REMOVED
        case _:
            raise UnexpectedEvent(f"{event.NAME} is no act of an admin on another's thing")


_TEXTS: Final[Mapping[AdminAct, tuple[str, str]]] = {
    AdminAct.WEBSITE_DISCONNECTED: ("disconnected your website", "/account-settings?tab=websites"),
    AdminAct.LINK_PAUSED: ("paused your link", "/links"),
    AdminAct.LINK_RESUMED: ("resumed your link", "/links"),
    AdminAct.LINK_DELETED: ("deleted your link", "/links"),
    AdminAct.DOMAIN_REMOVED: ("removed your domain", "/account-settings?tab=custom-domains"),
}
"""The words before the thing, and where the owner's other things of this kind are."""
