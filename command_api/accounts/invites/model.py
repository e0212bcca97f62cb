"""Invites: a member brings others in, so many and so long. Pure, but for making codes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from command_api.accounts.codes import random_digits
from command_api.kernel.aggregates import first_event, next_event
from command_api.kernel.decision import CommandContext, invalid, not_found
from schemas.base import DomainEvent
from schemas.events.accounts import InviteCreated, InviteRevoked, InviteUsed
from schemas.evolution import Evolution

DEFAULT_USES: Final = 1
DEFAULT_DAYS: Final = 30
MAX_USES: Final = 1_000
MAX_DAYS: Final = 365
_DIGITS: Final = 20
"""100 random bits."""


@dataclass(frozen=True, slots=True)
class Invite:
    """State of one invite. Each registration uses it once."""

    id: UUID
    version: int
    account_id: UUID
    max_uses: int
    expires_at: datetime
    uses: int = 0
    revoked: bool = False

    @property
    def has_one_use(self) -> bool:
        """Returns whether the next use is the last."""
        return self.uses == self.max_uses - 1


def new_code() -> str:
    """Returns a new code: five groups of four characters, without letters that look like digits."""
    digits = random_digits(_DIGITS)
    return "-".join(digits[start : start + 4] for start in range(0, _DIGITS, 4))


def create(invite_id: UUID, *, max_uses: int, days: int, context: CommandContext) -> InviteCreated:
    owner, expires_at = context.require_account(), context.at + timedelta(days=days)
    return InviteCreated(**first_event(invite_id, context), account_id=owner, max_uses=max_uses, expires_at=expires_at)


def use(invite: Invite | None, *, account_id: UUID, context: CommandContext) -> list[DomainEvent]:
    """Uses the invite for a new account. Raises `CommandRejected` if it cannot be used."""
    if invite is None:
        raise invalid("invite_invalid", "This invite code is not valid.", "inviteCode")
    if invite.revoked:
        raise invalid("invite_revoked", "This invite code was revoked.", "inviteCode")
    if context.at >= invite.expires_at:
        raise invalid("invite_expired", "This invite code has expired.", "inviteCode")
    if invite.uses >= invite.max_uses:
        raise invalid("invite_used_up", "This invite code has been used up.", "inviteCode")
    return [InviteUsed(**next_event(invite, context), account_id=account_id)]


def revoke(invite: Invite | None, context: CommandContext) -> list[DomainEvent]:
    """Revokes the invite; only its owner may do so. A revoked invite stays so."""
    if invite is None or not context.may_act_for(invite.account_id):
        raise not_found("invite code")
    return [] if invite.revoked else [InviteRevoked(**next_event(invite, context))]


evolve: Final = Evolution(Invite).begins(InviteCreated).follows(InviteRevoked, revoked=True)


@evolve.on(InviteUsed)
def _used(invite: Invite, _: InviteUsed) -> dict[str, Any]:
    return {"uses": invite.uses + 1}
