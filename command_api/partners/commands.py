"""Commands of partners."""

from __future__ import annotations

from uuid import UUID

from command_api.kernel.command_handlers import Command
from command_api.partners import schemas
from command_api.partners.schemas import Partner


class AddPartner(Command[Partner]):
    """Adds an affiliate program. Without a slug it gets the one of its name."""

    partner_id: UUID
    fields: schemas.AddPartner


class UpdatePartner(Command[Partner]):
    """Updates the given fields. New terms hold for clicks from now on, or from `effective_from` on."""

    partner_id: UUID
    fields: schemas.UpdatePartner


class RemovePartner(Command[None]):
    """Removes a partner permanently: its links stop, old clicks still count."""

    partner_id: UUID
