"""Invites: a member brings others in, so many and so long. Pure, but for making codes."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from command_api.decision import AnotherKind, Asked, begun, invalid, missing, step
from schemas.base import DomainEvent
from schemas.events.accounts import InviteCreated, InviteRevoked, InviteUsed

DEFAULT_USES: Final = 1
DEFAULT_DAYS: Final = 30
MOST_USES: Final = 1_000
MOST_DAYS: Final = 365
_ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_READ_AS: Final = str.maketrans("OIL", "011")
_DIGITS: Final = 20
"""100 random bits."""


@dataclass(frozen=True, slots=True)
class Invite:
    id: UUID
    version: int
    account_id: UUID
    max_uses: int
    expires_at: datetime
    uses: int = 0
    revoked: bool = False

    @property
    def has_one_use(self) -> bool:
        """The next use is the last."""
        return self.uses == self.max_uses - 1


def new_code() -> str:
    """Five groups of four, without letters that look like digits."""
    digits = "".join(secrets.choice(_ALPHABET) for _ in range(_DIGITS))
    return "-".join(digits[start : start + 4] for start in range(0, _DIGITS, 4))


def normal(code: str) -> str:
    """A code as it was meant: case, spaces, dashes and look-alikes do not matter."""
    return "".join(code.split()).replace("-", "").upper().translate(_READ_AS)


def create(invite_id: UUID, *, max_uses: int, days: int, asked: Asked) -> InviteCreated:
    if asked.account_id is None:
        raise TypeError("an invite belongs to an account")
    expires_at = asked.at + timedelta(days=days)
    return InviteCreated(
        **step(invite_id, 0, asked), account_id=asked.account_id, max_uses=max_uses, expires_at=expires_at
    )


def use(invite: Invite | None, *, account_id: UUID, asked: Asked) -> list[DomainEvent]:
    """Somebody joins. Raises `Refused` with the sentence for whoever tries."""
    if invite is None:
        raise invalid("invite_invalid", "This invite code is not valid.", "inviteCode")
    if invite.revoked:
        raise invalid("invite_revoked", "This invite code was withdrawn.", "inviteCode")
    if asked.at >= invite.expires_at:
        raise invalid("invite_expired", "This invite code has expired.", "inviteCode")
    if invite.uses >= invite.max_uses:
        raise invalid("invite_used_up", "This invite code has been used up.", "inviteCode")
    return [InviteUsed(**step(invite.id, invite.version, asked), account_id=account_id)]


def revoke(invite: Invite | None, asked: Asked) -> list[DomainEvent]:
    """A revoked invite stays so. Only its owner's, or an admin's to revoke."""
    if invite is None or not asked.may_act_for(invite.account_id):
        raise missing("invite code")
    return [] if invite.revoked else [InviteRevoked(**step(invite.id, invite.version, asked))]


def evolve(invite: Invite | None, event: DomainEvent) -> Invite:
    if isinstance(event, InviteCreated):
        return Invite(event.originator_id, 1, event.account_id, event.max_uses, event.expires_at)
    invite = replace(begun(invite, event), version=event.originator_version)
    match event:
        case InviteUsed():
            return replace(invite, uses=invite.uses + 1)
        case InviteRevoked():
            return replace(invite, revoked=True)
        case _:
            raise AnotherKind(f"{event.NAME} does not happen to invites")
