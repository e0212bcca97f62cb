"""A member of the forum: an account with a handle, which may be suspended. Pure, but for the handles' alphabet."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final
from uuid import UUID

from command_api.decision import AnotherKind, Asked, Refused, begun, conflict, invalid, step
from schemas.base import DomainEvent
from schemas.events.forum import ForumMemberJoined, ForumMemberReinstated, ForumMemberSuspended
from schemas.identity import forum_member_id

HANDLE: Final = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,28}[a-z0-9])?")
LONGEST_STEM: Final = 24
RESERVED: Final = frozenset(
    {"admin", "admins", "administrator", "moderator", "moderators", "mod", "staff", "support", "system", "official"}
    | {"security", "escrow", "althing", "cybsectools"}
)
"""Words that would make others believe that the house speaks. [DS] reserved_usernames, and ours."""
_EVERYBODY: Final = frozenset({"everyone", "all", "here"})
_FOLDED: Final = str.maketrans({"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ð": "d", "þ": "th", "ł": "l", "đ": "d"})


@dataclass(frozen=True, slots=True)
class Member:
    account_id: UUID
    version: int
    suspended: bool = False
    until: datetime | None = None

    def is_suspended(self, at: datetime) -> bool:
        return self.suspended and (self.until is None or at < self.until)


def handles(name: str, *, of_staff: bool = False) -> Iterator[str]:
    """Handles that fit a name, the best one first, without end: `ada-byron`, `ada-byron-2`, …

    A member whose name reads like an office of the house gets one of no name.
    """
    folded = unicodedata.normalize("NFKD", name.casefold().translate(_FOLDED))
    words = re.sub(r"[^a-z0-9]+", "-", folded.encode("ascii", "ignore").decode()).strip("-")
    stem = words[:LONGEST_STEM].strip("-") or "member"
    if stem in _EVERYBODY or (not of_staff and not RESERVED.isdisjoint(stem.split("-"))):
        stem = "member"
    yield stem
    number = 2
    while True:
        yield f"{stem}-{number}"
        number += 1


def join(account_id: UUID, handle: str, asked: Asked) -> ForumMemberJoined:
    return ForumMemberJoined(**step(forum_member_id(account_id), 0, asked), account_id=account_id, handle=handle)


def suspend(member: Member | None, until: datetime | None, reason: str, asked: Asked) -> list[DomainEvent]:
    """A second suspension replaces the first."""
    member = there(member)
    if member.account_id == asked.account_id:
        raise conflict("yourself", "You cannot suspend yourself.")
    if until is not None and until <= asked.at:
        raise invalid("until_past", "Please choose a time in the future", "until")
    values = {"account_id": member.account_id, "until": until, "reason": reason}
    return [ForumMemberSuspended(**step(forum_member_id(member.account_id), member.version, asked), **values)]


def reinstate(member: Member | None, asked: Asked) -> list[DomainEvent]:
    member = there(member)
    if not member.is_suspended(asked.at):
        return []
    id_ = forum_member_id(member.account_id)
    return [ForumMemberReinstated(**step(id_, member.version, asked), account_id=member.account_id)]


def require_unsuspended(member: Member | None, asked: Asked) -> None:
    """Raises `Refused`."""
    if member is None or not member.is_suspended(asked.at):
        return
    end = f"until {member.until:%B %-d, %Y, %H:%M} UTC" if member.until is not None else "until further notice"
    raise Refused("forbidden", "suspended", f"You are suspended from writing in the forum {end}.")


def there(member: Member | None) -> Member:
    if member is None:
        raise Refused("missing", "not_found", "There is no such member.")
    return member


def evolve(member: Member | None, event: DomainEvent) -> Member:
    if isinstance(event, ForumMemberJoined):
        return Member(event.account_id, 1)
    member = replace(begun(member, event), version=event.originator_version)
    match event:
        case ForumMemberSuspended():
            return replace(member, suspended=True, until=event.until)
        case ForumMemberReinstated():
            return replace(member, suspended=False, until=None)
        case _:
            raise AnotherKind(f"{event.NAME} does not happen to members of the forum")
