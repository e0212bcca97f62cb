"""One of every decided event of newsletter, early access and inquiries, as a small history that hangs together."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid5

from schemas.base import DomainEvent
from schemas.events import leads
from schemas.identity import early_access_places_id

HELD = datetime(2026, 5, 17, 11, 5, tzinfo=UTC)
Encrypt = Callable[[UUID, str, str], str]


def lead_history(
    encrypt: Encrypt, in_order: Callable[..., list[DomainEvent]], root: UUID, admin: UUID
) -> list[DomainEvent]:
    """A subscriber who came back, a tester who got a place that was released, two inquiries, of which one is
    erased. `in_order` makes the events of one aggregate."""

    def key(name: str) -> UUID:
        return uuid5(root, f"lead {name}")

    inquiry, erased, subscriber, first, second = map(key, ("inquiry", "erased", "subscriber", "first", "second"))

    def received(of: UUID, message: str) -> tuple[type[DomainEvent], dict[str, Any]]:
        texts = {"first_name": "Embla", "last_name": "J", "email": "e@f.example", "message": message}
        sealed = {name: encrypt(of, name, text) for name, text in texts.items()}
        return leads.InquiryReceived, {**sealed, "service_interest": "Growth Acceleration"}

    return [
        *in_order(
            subscriber,
            (leads.SubscriptionRequested, {"source": "home_page"}),
            (leads.SubscriptionConfirmed, {}),
            (leads.SubscriptionEnded, {"way": "one_click"}),
            (leads.SubscriptionRequested, {"source": "blog"}),
            (leads.SubscriptionConfirmed, {}),
        ),
        *in_order(
            early_access_places_id(),
            (leads.EarlyAccessPlaceTaken, {"place": 1, "signup_id": first}),
            (leads.EarlyAccessPlaceFreed, {"place": 1}),
            (leads.EarlyAccessPlaceTaken, {"place": 1, "signup_id": second}),
        ),
        *in_order(first, (leads.EarlyAccessJoined, {"place": 1}), (leads.EarlyAccessLeft, {})),
        *in_order(
            second,
            (leads.EarlyAccessJoined, {"place": None, "held_until": HELD}),
            (leads.EarlyAccessPromoted, {"place": 1, "held_until": HELD}),
            (leads.EarlyAccessConfirmed, {}),
            (leads.EarlyAccessInvited, {"invite_id": key("invite")}),
        ),
        *in_order(
            inquiry,
            received(inquiry, "We sell wool."),
            (leads.InquiryAssigned, {"account_id": admin}),
            (leads.InquiryNoted, {"text": encrypt(inquiry, "text", "Big shop.")}),
            (leads.InquiryAnswered, {"text": encrypt(inquiry, "text", "On Monday.")}),
            (leads.InquiryMoved, {"status": "answered"}),
            (leads.InquiryAssigned, {"account_id": None}),
        ),
        *in_order(
            erased,
            received(erased, "Forget me."),
            (leads.InquiryNoted, {"text": encrypt(erased, "text", "As asked.")}),
            (leads.InquiryErased, {}),
        ),
    ]
