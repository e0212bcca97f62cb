"""An inquiry: what a visitor wrote to us, and what admins did about it. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from command_api.kernel.aggregates import first_event, next_event
from command_api.kernel.decision import CommandContext, conflict, not_found
from schemas.base import DomainEvent
from schemas.events import leads
from schemas.events.leads import InquiryStatus
from schemas.evolution import Evolution

MAX_STEPS: Final = 500
"""Answers and notes of one inquiry; further ones belong into another."""


@dataclass(frozen=True, slots=True)
class InquiryAggregate:
    """State of one inquiry. `assigned_to`: the admin who takes care of it."""

    id: UUID
    version: int
    email: str
    message: str
    status: InquiryStatus = "new"
    assigned_to: UUID | None = None
    erased: bool = False


def receive(inquiry_id: UUID, context: CommandContext, **fields: str | None) -> leads.InquiryReceived:
    """Records an inquiry. `fields`: those of the event."""
    return leads.InquiryReceived.model_validate({**first_event(inquiry_id, context), **fields})


def answer(inquiry: InquiryAggregate | None, text: str, context: CommandContext) -> list[DomainEvent]:
    """Answers the inquiry by mail; it then waits for nothing more from us."""
    inquiry = _require_below_limit(inquiry)
    answered = leads.InquiryAnswered(**next_event(inquiry, context), text=text)
    return [answered, *_moved(inquiry, "answered", context, after=1)]


def note(inquiry: InquiryAggregate | None, text: str, context: CommandContext) -> list[DomainEvent]:
    inquiry = _require_below_limit(inquiry)
    return [leads.InquiryNoted(**next_event(inquiry, context), text=text)]


def move(inquiry: InquiryAggregate | None, status: InquiryStatus, context: CommandContext) -> list[DomainEvent]:
    inquiry = require_active(inquiry)
    return _moved(inquiry, status, context)


def assign(inquiry: InquiryAggregate | None, account_id: UUID | None, context: CommandContext) -> list[DomainEvent]:
    inquiry = require_active(inquiry)
    if inquiry.assigned_to == account_id:
        return []
    return [leads.InquiryAssigned(**next_event(inquiry, context), account_id=account_id)]


def erase(inquiry: InquiryAggregate | None, context: CommandContext) -> list[DomainEvent]:
    inquiry = require_active(inquiry)
    return [leads.InquiryErased(**next_event(inquiry, context))]


evolve: Final = (
    Evolution(InquiryAggregate)
    .begins(leads.InquiryReceived)
    .follows(leads.InquiryMoved)
    .follows(leads.InquiryAssigned, takes={"assigned_to": "account_id"})
    .follows(leads.InquiryErased, erased=True)
    .ignores(leads.InquiryAnswered, leads.InquiryNoted)
)


def require_active(inquiry: InquiryAggregate | None) -> InquiryAggregate:
    if inquiry is None or inquiry.erased:
        raise not_found("inquiry")
    return inquiry


def _require_below_limit(inquiry: InquiryAggregate | None) -> InquiryAggregate:
    inquiry = require_active(inquiry)
    if inquiry.version >= MAX_STEPS:
        raise conflict("too_long", f"An inquiry has at most {MAX_STEPS} entries.")
    return inquiry


def _moved(
    inquiry: InquiryAggregate, status: InquiryStatus, context: CommandContext, after: int = 0
) -> list[DomainEvent]:
    if inquiry.status == status:
        return []
    return [leads.InquiryMoved(**next_event(inquiry, context, after=after), status=status)]
