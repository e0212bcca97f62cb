"""Requests of members for programs that the directory lacks. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal
from urllib.parse import urlsplit
from uuid import UUID

from command_api.kernel.aggregates import first_event, next_event
from command_api.kernel.decision import CommandContext, conflict, invalid, not_found
from command_api.partners.model import checked_name, site_address
from schemas.events.partners import (
    PartnerRequestAccepted,
    PartnerRequestDeclined,
    PartnerRequested,
    PartnerRequestWithdrawn,
)
from schemas.evolution import Evolution

MAX_OPEN: Final = 20
"""Open requests of an account."""
MAX_NOTE: Final = 1_000
MAX_REASON: Final = 500


@dataclass(frozen=True, slots=True)
class PartnerRequestAggregate:
    """State of a request."""

    id: UUID
    version: int
    account_id: UUID
    name: str
    website: str
    note: str
    partner_id: UUID | None
    """The private partner that is proposed."""
    state: Literal["open", "accepted", "declined", "withdrawn"] = "open"


def make(
    request_id: UUID, *, name: str, website: str, note: str, partner_id: UUID | None, context: CommandContext
) -> PartnerRequested:
    """A request of the actor. Raises `CommandRejected`."""
    if len(note.strip()) > MAX_NOTE:
        raise invalid("bad_note", f"A note has at most {MAX_NOTE:,} characters.", "note")
    return PartnerRequested(
        **first_event(request_id, context),
        account_id=context.require_account(),
        name=checked_name(name),
        website=site_address(website, "website"),
        note=note.strip(),
        partner_id=partner_id,
    )


def accept(request: PartnerRequestAggregate, partner_id: UUID, context: CommandContext) -> PartnerRequestAccepted:
    return PartnerRequestAccepted(**next_event(require_open(request), context), partner_id=partner_id)


def decline(request: PartnerRequestAggregate | None, reason: str, context: CommandContext) -> PartnerRequestDeclined:
    request, reason = require_open(request), reason.strip()
    if not 1 <= len(reason) <= MAX_REASON:
        raise invalid("bad_reason", f"Enter a reason of at most {MAX_REASON} characters.", "reason")
    return PartnerRequestDeclined(**next_event(request, context), reason=reason)


def withdraw(request: PartnerRequestAggregate | None, context: CommandContext) -> PartnerRequestWithdrawn:
    if request is None or not context.may_act_for(request.account_id):
        raise not_found("request")
    return PartnerRequestWithdrawn(**next_event(require_open(request), context))


def require_open(request: PartnerRequestAggregate | None) -> PartnerRequestAggregate:
    """Returns the request. Raises `CommandRejected` for one that does not exist or is decided."""
    if request is None:
        raise not_found("request")
    if request.state != "open":
        raise conflict("not_open", f"This request was {request.state}.")
    return request


def host_of(address: str) -> str:
    """The host by which the site of a program is found, without `www.`."""
    return (urlsplit(address).hostname or "").removeprefix("www.")


evolve: Final = (
    Evolution(PartnerRequestAggregate)
    .begins(PartnerRequested)
    .follows(PartnerRequestAccepted, but="partner_id", state="accepted")
    .follows(PartnerRequestDeclined, state="declined")
    .follows(PartnerRequestWithdrawn, state="withdrawn")
)
