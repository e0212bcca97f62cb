"""Commands of invites."""

from __future__ import annotations

from dataclasses import field
from uuid import UUID

from command_api.accounts.invites import schemas
from command_api.kernel.command_handlers import Command
from schemas.http.accounts import InviteCode


class CreateInvite(Command[InviteCode]):
    """Creates an invite of the sender."""

    invite_id: UUID
    code: str = field(repr=False)
    fields: schemas.CreateInvite


class RevokeInvite(Command[None]):
    """Revokes an invite; idempotent."""

    invite_id: UUID
