"""An inquiry: what a visitor wrote to us, and what admins did about it. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from command_api.decision import AnotherKind, Asked, begun, conflict, missing, step
from schemas.base import DomainEvent
from schemas.events.leads import (
    InquiryAnswered,
    InquiryAssigned,
    InquiryErased,
    InquiryMoved,
    InquiryNoted,
    InquiryReceived,
    InquiryStatus,
    Service,
)

MOST_STEPS: Final = 500
"""Answers and notes of one inquiry; further ones belong into another."""


@dataclass(frozen=True, slots=True)
class Inquiry:
    id: UUID
    version: int
    email: str
    message: str
    status: InquiryStatus = "new"
    assigned_to: UUID | None = None
    erased: bool = False


def receive(
    inquiry_id: UUID,
    *,
    first_name: str,
    last_name: str,
    email: str,
    message: str,
    service: Service | None,
    asked: Asked,
) -> InquiryReceived:
    return InquiryReceived(
        **step(inquiry_id, 0, asked),
        first_name=first_name,
        last_name=last_name,
        email=email,
        message=message,
        service_interest=service,
    )


def answer(inquiry: Inquiry | None, text: str, asked: Asked) -> list[DomainEvent]:
    """The answer goes out by mail; the inquiry then waits for nothing more from us."""
    inquiry = _open(inquiry)
    answered = InquiryAnswered(**step(inquiry.id, inquiry.version, asked), text=text)
    return [answered, *_moved(inquiry, "answered", asked, after=1)]


def note(inquiry: Inquiry | None, text: str, asked: Asked) -> list[DomainEvent]:
    inquiry = _open(inquiry)
    return [InquiryNoted(**step(inquiry.id, inquiry.version, asked), text=text)]


def move(inquiry: Inquiry | None, status: InquiryStatus, asked: Asked) -> list[DomainEvent]:
    inquiry = _there(inquiry)
    return _moved(inquiry, status, asked)


def assign(inquiry: Inquiry | None, account_id: UUID | None, asked: Asked) -> list[DomainEvent]:
    inquiry = _there(inquiry)
    if inquiry.assigned_to == account_id:
        return []
    return [InquiryAssigned(**step(inquiry.id, inquiry.version, asked), account_id=account_id)]


def erase(inquiry: Inquiry | None, asked: Asked) -> list[DomainEvent]:
    inquiry = _there(inquiry)
    return [InquiryErased(**step(inquiry.id, inquiry.version, asked))]


def evolve(inquiry: Inquiry | None, event: DomainEvent) -> Inquiry:
    if isinstance(event, InquiryReceived):
        return Inquiry(event.originator_id, 1, event.email, event.message)
    inquiry = replace(begun(inquiry, event), version=event.originator_version)
    match event:
        case InquiryAnswered() | InquiryNoted():
            return inquiry
        case InquiryMoved():
            return replace(inquiry, status=event.status)
        case InquiryAssigned():
            return replace(inquiry, assigned_to=event.account_id)
        case InquiryErased():
            return replace(inquiry, erased=True)
        case _:
            raise AnotherKind(f"{event.NAME} does not happen to inquiries")


def _there(inquiry: Inquiry | None) -> Inquiry:
    if inquiry is None or inquiry.erased:
        raise missing("inquiry")
    return inquiry


def _open(inquiry: Inquiry | None) -> Inquiry:
    inquiry = _there(inquiry)
    if inquiry.version >= MOST_STEPS:
        raise conflict("too_long", f"This inquiry has {MOST_STEPS} entries, which is the most that one can have.")
    return inquiry


def _moved(inquiry: Inquiry, status: InquiryStatus, asked: Asked, after: int = 0) -> list[DomainEvent]:
    if inquiry.status == status:
        return []
    return [InquiryMoved(**step(inquiry.id, inquiry.version + after, asked), status=status)]
