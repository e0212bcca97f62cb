"""A member of the forum: an account with a handle, which may be suspended. Pure, but for the handles' alphabet."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from command_api.kernel.aggregates import first_event, next_event, require_found
from command_api.kernel.decision import CommandContext, CommandRejected, conflict, invalid
from infra.domain.official_names import FOLDED, RESERVED
from schemas.base import DomainEvent
from schemas.events.forum import ForumMemberJoined, ForumMemberReinstated, ForumMemberSuspended
from schemas.evolution import Evolution
from schemas.identity import forum_member_id

HANDLE: Final = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,28}[a-z0-9])?")
MAX_STEM_LENGTH: Final = 24
_GROUP_HANDLES: Final = frozenset({"everyone", "all", "here"})


@dataclass(frozen=True, slots=True)
class MemberAggregate:
    """State of one member. `until` is null for a suspension without an end."""

    account_id: UUID
    version: int
    suspended: bool = False
    until: datetime | None = None

    @property
    def id(self) -> UUID:
        return forum_member_id(self.account_id)

    def is_suspended(self, at: datetime) -> bool:
        return self.suspended and (self.until is None or at < self.until)


def handles(name: str, *, of_staff: bool = False) -> Iterator[str]:
    """Handles that fit a name, the best one first, without end: `ada-byron`, `ada-byron-2`, …

    A member whose name suggests an official role gets a neutral handle.
    """
    folded = unicodedata.normalize("NFKD", name.casefold().translate(FOLDED))
    words = re.sub(r"[^a-z0-9]+", "-", folded.encode("ascii", "ignore").decode()).strip("-")
    stem = words[:MAX_STEM_LENGTH].strip("-") or "member"
    if stem in _GROUP_HANDLES or (not of_staff and not RESERVED.isdisjoint(stem.split("-"))):
        stem = "member"
    yield stem
    number = 2
    while True:
        yield f"{stem}-{number}"
        number += 1


def join(account_id: UUID, handle: str, context: CommandContext) -> ForumMemberJoined:
    return ForumMemberJoined(**first_event(forum_member_id(account_id), context), account_id=account_id, handle=handle)


def suspend(
    member: MemberAggregate | None, until: datetime | None, reason: str, context: CommandContext
) -> list[DomainEvent]:
    """Suspends a member; a second suspension replaces the first."""
    member = require_found(member, "member")
    if member.account_id == context.account_id:
        raise conflict("yourself", "You cannot suspend yourself.")
    if until is not None and until <= context.at:
        raise invalid("until_past", "Please choose a time in the future", "until")
    head, account_id = next_event(member, context), member.account_id
    return [ForumMemberSuspended(**head, account_id=account_id, until=until, reason=reason)]


def reinstate(member: MemberAggregate | None, context: CommandContext) -> list[DomainEvent]:
    member = require_found(member, "member")
    if not member.is_suspended(context.at):
        return []
    return [ForumMemberReinstated(**next_event(member, context), account_id=member.account_id)]


def require_unsuspended(member: MemberAggregate | None, context: CommandContext) -> None:
    """Raises `CommandRejected`."""
    if member is None or not member.is_suspended(context.at):
        return
    end = f"until {member.until:%b %-d, %Y, %H:%M} UTC" if member.until is not None else "until further notice"
    raise CommandRejected("forbidden", "suspended", f"You are suspended from posting in the forum {end}.")


evolve: Final = (
    Evolution(MemberAggregate)
    .begins(ForumMemberJoined)
    .follows(ForumMemberSuspended, but="account_id", suspended=True)
    .follows(ForumMemberReinstated, but="account_id", suspended=False, until=None)
)
