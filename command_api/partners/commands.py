"""Commands of partners."""

from __future__ import annotations

from uuid import UUID

from command_api.kernel.command_handlers import Command
from command_api.partners import schemas
from command_api.partners.schemas import MadeRequest
from schemas.http.partners import Partner


class AddPartner(Command[Partner]):
    """Adds an affiliate program to the directory. Without a slug, one is derived from its name."""

    partner_id: UUID
    fields: schemas.AddPartner


class UpdatePartner(Command[Partner]):
    """Updates the given fields of any partner. New terms hold for clicks from now on, or from `effective_from` on."""

    partner_id: UUID
    fields: schemas.UpdatePartner


class RemovePartner(Command[None]):
    """Removes a partner permanently: its links stop, old clicks still count."""

    partner_id: UUID


class AddPrivatePartner(Command[Partner]):
    """Adds a partner that only the sender sees and uses."""

    partner_id: UUID
    fields: schemas.AddPrivatePartner


class UpdatePrivatePartner(Command[Partner]):
    """As `UpdatePartner`, for a private partner of the sender."""

    partner_id: UUID
    fields: schemas.UpdatePartner


class RemovePrivatePartner(Command[None]):
    """As `RemovePartner`, for a private partner of the sender."""

    partner_id: UUID


class RequestPartner(Command[MadeRequest]):
    """Requests that the directory gets a program. One that it has is the answer instead."""

    request_id: UUID
    fields: schemas.RequestPartner


class WithdrawPartnerRequest(Command[None]):
    """Withdraws an open request."""

    request_id: UUID


class AcceptPartnerRequest(Command[Partner]):
    """Adds the requested program to the directory; the member is notified."""

    request_id: UUID
    partner_id: UUID
    fields: schemas.AddPartner


class DeclinePartnerRequest(Command[None]):
    """Declines a request; the member is notified."""

    request_id: UUID
    reason: str
