"""Events of people who have no account: newsletter, early access, inquiries.

Addresses of subscribers and early testers are not in the events at all: they lie sealed beside them (`leads.contact`,
under the aggregate's id) and go with the person. An inquiry is a text to us, kept with a key of its own.
"""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Literal
from uuid import UUID

from pydantic import Field

from schemas.base import DomainEvent, Personal

Service = Literal["Strategy Optimization", "Growth Acceleration", "Enterprise Solution"]
InquiryStatus = Literal["new", "in_progress", "answered", "closed", "spam"]


class SubscriptionRequested(DomainEvent):
    """A person, perhaps the owner of the address, requested the newsletter; the owner must still confirm it."""

    NAME: ClassVar[str] = "newsletter.requested"
    source: str = Field(max_length=50, description="Page of the form")


class SubscriptionConfirmed(DomainEvent):
    """The owner of the address confirmed it by the emailed link: emails may be sent."""

    NAME: ClassVar[str] = "newsletter.confirmed"


class SubscriptionEnded(DomainEvent):
    """The subscription ended; the address is deleted."""

    NAME: ClassVar[str] = "newsletter.ended"
    way: Literal["page", "one_click", "admin"]


class EarlyAccessJoined(DomainEvent):
    """An address requested early access: it gets a place, or a place in line, once it is confirmed."""

    NAME: ClassVar[str] = "early_access.joined"
    place: int | None = Field(description="Held until the confirmation, as it was before places waited for it; or none")
    held_until: datetime | None = Field(
        default=None, description="Forgotten then unless the address is confirmed; none: from before that rule"
    )


class EarlyAccessConfirmed(DomainEvent):
    """The owner of the address confirmed it by the emailed link: a place that it held is kept; else it is in line."""

    NAME: ClassVar[str] = "early_access.confirmed"


class EarlyAccessPromoted(DomainEvent):
    """A person in line, or who just confirmed the address, got a free place."""

    NAME: ClassVar[str] = "early_access.promoted"
    place: int
    held_until: datetime | None = Field(default=None, description="As in `early_access.joined`; none: confirmed")


class EarlyAccessInvited(DomainEvent):
    """The owner of the place received an invite to register."""

    NAME: ClassVar[str] = "early_access.invited"
    invite_id: UUID


class EarlyAccessLeft(DomainEvent):
    """The place or the place in line was released, and the address is deleted."""

    NAME: ClassVar[str] = "early_access.left"


class EarlyAccessPlaceTaken(DomainEvent):
    """A place was assigned. An aggregate of all places, so their number is never exceeded."""

    NAME: ClassVar[str] = "early_access.place_taken"
    place: int
    signup_id: UUID


class EarlyAccessPlaceFreed(DomainEvent):
    """The place is available again."""

    NAME: ClassVar[str] = "early_access.place_freed"
    place: int


class InquiryReceived(DomainEvent):
    """A visitor sent an inquiry."""

    NAME: ClassVar[str] = "inquiry.received"
    first_name: Personal[str]
    last_name: Personal[str]
    email: Personal[str]
    message: Personal[str]
    service_interest: Service | None = None


class InquiryAnswered(DomainEvent):
    """An admin replied by email."""

    NAME: ClassVar[str] = "inquiry.answered"
    text: Personal[str]


class InquiryNoted(DomainEvent):
    """An admin added a note for other admins."""

    NAME: ClassVar[str] = "inquiry.noted"
    text: Personal[str]


class InquiryMoved(DomainEvent):
    """The inquiry's status changed: in progress, closed or spam."""

    NAME: ClassVar[str] = "inquiry.moved"
    status: InquiryStatus


class InquiryAssigned(DomainEvent):
    """The inquiry was assigned to an admin, or unassigned."""

    NAME: ClassVar[str] = "inquiry.assigned"
    account_id: UUID | None


class InquiryErased(DomainEvent):
    """Its texts and address were erased everywhere."""

    NAME: ClassVar[str] = "inquiry.erased"
