"""What the read models of newsletter, early access and inquiries must hold after an event (see `folding`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from infra.auditing.forum_folds import BLANKED
from schemas.base import DomainEvent
from schemas.events import leads

Key = tuple[Any, ...]
Rows = dict[Key, dict[str, Any]]

PERSONAL: Final = {"inquiries": ("first_name", "last_name", "email", "message"), "inquiry_steps": ("text",)}


def subscriptions(rows: Rows, event: DomainEvent, _: int) -> None:
    key = (event.originator_id,)
    match event:
        case leads.SubscriptionRequested():
            rows[key] = {
                "id": event.originator_id,
                "state": "pending",
                "source": event.source,
                "requested_at": event.timestamp,
                "confirmed_at": None,
                "ended_at": None,
            }
        case leads.SubscriptionConfirmed() if key in rows:
            rows[key].update(state="confirmed", confirmed_at=event.timestamp)
        case leads.SubscriptionEnded() if key in rows:
            rows[key].update(state="ended", ended_at=event.timestamp)


def early_access(rows: Rows, event: DomainEvent, _: int) -> None:
    key = (event.originator_id,)
    match event:
        case leads.EarlyAccessJoined():
            rows[key] = {
                "id": event.originator_id,
                "place": event.place,
                "joined_at": event.timestamp,
                "invited_at": None,
                "invite_id": None,
                "left_at": None,
                "held_until": event.held_until,
            }
        case leads.EarlyAccessPromoted() if key in rows:
            rows[key].update(place=event.place, held_until=event.held_until)
        case leads.EarlyAccessConfirmed() if key in rows:
            rows[key]["held_until"] = None
        case leads.EarlyAccessInvited() if key in rows:
            rows[key].update(invited_at=event.timestamp, invite_id=event.invite_id)
        case leads.EarlyAccessLeft() if key in rows:
            rows[key].update(place=None, left_at=event.timestamp)


def inquiries(rows: Rows, event: DomainEvent, _: int) -> None:
    key = (event.originator_id,)
    if isinstance(event, leads.InquiryReceived):
        rows[key] = {
            "id": event.originator_id,
            "first_name": event.first_name,
            "last_name": event.last_name,
            "email": event.email,
            "message": event.message,
            "service_interest": event.service_interest,
            "status": "new",
            "assigned_to": None,
            "received_at": event.timestamp,
            "answered_at": None,
            "updated_at": event.timestamp,
            "erased": False,
        }
    row = rows.get(key)
    if row is None:
        return
    row["updated_at"] = event.timestamp
    match event:
        case leads.InquiryAnswered():
            row["answered_at"] = event.timestamp
        case leads.InquiryMoved():
            row["status"] = event.status
        case leads.InquiryAssigned():
            row["assigned_to"] = event.account_id
        case leads.InquiryErased():
            row.update(dict.fromkeys(PERSONAL["inquiries"], BLANKED), erased=True)


def inquiry_steps(rows: Rows, event: DomainEvent, _: int) -> None:
    match event:
        case leads.InquiryAnswered():
            kind, text = "answer", event.text
        case leads.InquiryNoted():
            kind, text = "note", event.text
        case leads.InquiryMoved():
            kind, text = "status", event.status
        case leads.InquiryAssigned():
            kind, text = "assigned", "" if event.account_id is None else str(event.account_id)
        case leads.InquiryErased():
            kind, text = "erased", ""
            for row in rows.values():
                if row["inquiry_id"] == event.originator_id:
                    row["text"] = BLANKED
        case _:
            return
    rows[event.originator_id, event.originator_version] = {
        "inquiry_id": event.originator_id,
        "number": event.originator_version,
        "kind": kind,
        "text": text,
        "actor_id": event.actor_id,
        "at": event.timestamp,
    }


FOLDS: Final[Mapping[str, Callable[[Rows, DomainEvent, int], None]]] = {
    "subscriptions": subscriptions,
    "early_access": early_access,
    "inquiries": inquiries,
    "inquiry_steps": inquiry_steps,
}
KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys(FOLDS, ("id",)),
    "inquiry_steps": ("inquiry_id", "number"),
}
