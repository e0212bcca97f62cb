"""What happens before somebody is a member: newsletter, early access, inquiries.

Addresses of subscribers and early testers are not in the events at all: they lie sealed beside them (`ops.contact`,
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
    """Somebody, perhaps the owner of the address, asked for the newsletter; the owner has yet to confirm it."""

    NAME: ClassVar[str] = "newsletter.requested"
    source: str = Field(max_length=50, description="Where the form stood")


class SubscriptionConfirmed(DomainEvent):
    """The owner of the address confirmed it by the mailed link: mails may be sent."""

    NAME: ClassVar[str] = "newsletter.confirmed"


class SubscriptionEnded(DomainEvent):
    """No more mails; the address is forgotten."""

    NAME: ClassVar[str] = "newsletter.ended"
    way: Literal["page", "one_click", "admin"]


class EarlyAccessJoined(DomainEvent):
    """An address asked for early access: it has a place, or waits for one."""

    NAME: ClassVar[str] = "early_access.joined"
    place: int | None = Field(description="1 to 10; none: on the waiting list")
    held_until: datetime | None = Field(
        default=None, description="Given up then unless the address is confirmed; none: from before that was asked for"
    )


class EarlyAccessConfirmed(DomainEvent):
    """The owner of the address confirmed it by the mailed link: place or place in line are theirs."""

    NAME: ClassVar[str] = "early_access.confirmed"


class EarlyAccessPromoted(DomainEvent):
    """Somebody who waited got a place that became free."""

    NAME: ClassVar[str] = "early_access.promoted"
    place: int
    held_until: datetime | None = Field(default=None, description="As in `early_access.joined`; none: confirmed")


class EarlyAccessInvited(DomainEvent):
    """Whoever has the place was sent an invite to register with."""

    NAME: ClassVar[str] = "early_access.invited"
    invite_id: UUID


class EarlyAccessLeft(DomainEvent):
    """Place or place in line were given up, and the address is forgotten."""

    NAME: ClassVar[str] = "early_access.left"


class EarlyAccessPlaceTaken(DomainEvent):
    """One of the places is somebody's. Happens to the places as a whole: there are never more than there are."""

    NAME: ClassVar[str] = "early_access.place_taken"
    place: int
    signup_id: UUID


class EarlyAccessPlaceFreed(DomainEvent):
    """The place can be given to another."""

    NAME: ClassVar[str] = "early_access.place_freed"
    place: int


class InquiryReceived(DomainEvent):
    """A visitor wrote to us."""

    NAME: ClassVar[str] = "inquiry.received"
    first_name: Personal[str]
    last_name: Personal[str]
    email: Personal[str]
    message: Personal[str]
    service_interest: Service | None = None


class InquiryAnswered(DomainEvent):
    """An admin answered by mail."""

    NAME: ClassVar[str] = "inquiry.answered"
    text: Personal[str]


class InquiryNoted(DomainEvent):
    """An admin wrote something down for other admins."""

    NAME: ClassVar[str] = "inquiry.noted"
    text: Personal[str]


class InquiryMoved(DomainEvent):
    """It is being worked on, done with, or was none."""

    NAME: ClassVar[str] = "inquiry.moved"
    status: InquiryStatus


class InquiryAssigned(DomainEvent):
    """An admin looks after it, or nobody any more."""

    NAME: ClassVar[str] = "inquiry.assigned"
    account_id: UUID | None


class InquiryErased(DomainEvent):
    """Its texts and address are gone, everywhere."""

    NAME: ClassVar[str] = "inquiry.erased"
