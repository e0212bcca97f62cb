"""Writers: members who may write, and accounts that become members by what they write first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final
from urllib.parse import urlsplit
from uuid import UUID

from command_api.forum import members, rules
from command_api.forum.rate_limits import MemberStats, member_stats
from command_api.forum.rules import MAX_LINKS_NEW_MEMBER, MAX_MENTIONS, MAX_MENTIONS_NEW_MEMBER
from command_api.forum.text import mentioned_handles
from command_api.kernel.aggregates import require_found
from command_api.kernel.decision import invalid
from command_api.kernel.unit_of_work import Appended, UnitOfWork
from infra.kernel.security.encryption import derived_key, keyed_hash
from infra.kernel.text import markdown
from schemas.base import DomainEvent
from schemas.events.forum import ForumMemberJoined
from schemas.identity import forum_member_id
from schemas.uuid7 import uuid7

_MAX_HANDLES_TRIED: Final = 50


@dataclass(frozen=True, slots=True)
class Writer:
    """The sender as a member. `version`: of the member, 0 for one who joins by this command with `joined`."""

    id: UUID
    stats: MemberStats
    version: int
    joined: ForumMemberJoined | None = None
    handle_hash: bytes = b""


def load_writer(uow: UnitOfWork, name: str) -> Writer:
    """The sender as a member who may write; a new one gets a handle that fits `name`. Raises `CommandRejected` for one
    who is suspended."""
    account_id, context = uow.context.require_account(), uow.context
    stats = member_stats(uow, account_id)
    if stats is not None:
        member = require_found(uow.load(forum_member_id(account_id), members.evolve), "member")
        members.require_unsuspended(member, context)
        return Writer(account_id, stats, member.version)
    handle, hashed = _free_handle(uow, name)
    joined = members.join(account_id, handle, context)
    return Writer(account_id, MemberStats(context.at, 0), 0, joined, hashed)


def append(uow: UnitOfWork, writer: Writer, *events: DomainEvent) -> Appended:
    """Appends the events, after the one of joining. Raises `ConcurrencyConflict` if the handle was taken or the member
    was suspended concurrently."""
    if writer.joined is not None:
        appended = uow.append(writer.joined, *events)
        uow.cursor.execute(
            "INSERT INTO forum.member (account_id, handle, handle_hash) VALUES (%s, %s, %s)",
            (writer.id, writer.joined.handle, writer.handle_hash),
        )
        return appended
    appended = uow.append(*events)
    if events:
        uow.require_version(forum_member_id(writer.id), writer.version)
    return appended


def moderate(uow: UnitOfWork, writer: Writer, text: str, author_id: UUID) -> tuple[list[UUID], bool]:
    """The mentioned accounts, and whether the text needs a review. Raises `CommandRejected` for too many mentions or
    links."""
    names = mentioned_handles(text)
    host = urlsplit(uow.settings.app_url).hostname or ""
    foreign = [] if uow.context.is_admin else markdown.foreign_links(text, host)
    is_new = not uow.context.is_admin and writer.stats.is_new(uow.context.at, rules.RATE_LIMITS)
    most = MAX_MENTIONS_NEW_MEMBER if is_new else MAX_MENTIONS
    if len(names) > most:
        raise invalid("too_many_mentions", f"Please mention at most {most} members in one post", "text")
    if is_new and len(foreign) > MAX_LINKS_NEW_MEMBER:
        raise invalid("too_many_links", f"New members can put at most {MAX_LINKS_NEW_MEMBER} links into a post", "text")
    return _account_ids(uow, names, author_id), is_new and bool(foreign)


def _account_ids(uow: UnitOfWork, handles: Sequence[str], but: UUID) -> list[UUID]:
    if not handles:
        return []
    ids_by_handle = dict(
        uow.select("SELECT handle, account_id FROM forum.member WHERE handle = ANY(%s)", list(handles))
    )
    return [ids_by_handle[handle] for handle in handles if handle in ids_by_handle and ids_by_handle[handle] != but]


def _free_handle(uow: UnitOfWork, name: str) -> tuple[str, bytes]:
    """The best handle that nobody has or had, and its hash."""
    key = derived_key(uow.settings, "forum-handle")
    handles = islice(members.handles(name, of_staff=uow.context.is_admin), _MAX_HANDLES_TRIED)
    hashes = {handle: bytes.fromhex(keyed_hash(key, handle)) for handle in handles}
    rows = uow.select("SELECT handle_hash FROM forum.member WHERE handle_hash = ANY(%s)", list(hashes.values()))
    taken = {bytes(row[0]) for row in rows}
    handle = next((one for one, hashed in hashes.items() if hashed not in taken), f"member-{uuid7().hex[-12:]}")
    return handle, bytes.fromhex(keyed_hash(key, handle))
