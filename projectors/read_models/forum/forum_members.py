"""`read.forum_members` and `read.forum_suspensions`: who takes part in the forum, by the name that others see.

There is a row for every account, so that a name is known when its owner first writes; it is shown once there is a
handle. Nobody's e-mail is in it. What lies before `registered_position` in the log is old news to that member.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from projectors.engine.read_model import ReadModel, Rows
from projectors.postgres.readers import own_account, shown_or_own
from schemas.base import ERASED
from schemas.events.accounts import AccountErased, AccountRegistered, AccountRenamed, Role, RolesChanged
from schemas.events.forum import (
    ForumMemberJoined,
    ForumMemberReinstated,
    ForumMemberSuspended,
    PostApproved,
    PostDeleted,
    PostEdited,
    PostHidden,
    PostLiked,
    PostRestored,
    PostUnliked,
    PostWritten,
)

FORUM_MEMBERS: Final = ReadModel(
    name="forum_members",
    version=2,
    columns=(
        "account_id uuid",
        "name text not null",
        'handle text collate "C"',
        "is_moderator boolean not null default false",
        "registered_at timestamptz not null",
        "joined_at timestamptz",
        "posts int not null default 0",
        "threads int not null default 0",
        "likes_received int not null default 0",
        "suspended_until timestamptz",
        "erased boolean not null default false",
        "registered_position bigint not null default 0",
    ),
    key=("account_id",),
    readers=shown_or_own("(joined_at is not null or is_moderator)", "account_id"),
    indexes=("handle",),
)

FORUM_SUSPENSIONS: Final = ReadModel(
    name="forum_suspensions",
    version=1,
    columns=("account_id uuid", "until timestamptz", "reason text not null", "since timestamptz not null"),
    key=("account_id",),
    readers=own_account("account_id"),
)

FOREVER: Final = datetime(9999, 12, 31, tzinfo=UTC)
"""A suspension without an end."""


@FORUM_MEMBERS.on(AccountRegistered)
def registered(rows: Rows, event: AccountRegistered) -> None:
    rows.put(
        account_id=event.originator_id,
        name=event.name,
        is_moderator=_moderates(event.roles),
        registered_at=event.timestamp,
        registered_position=rows.position,
    )


@FORUM_MEMBERS.on(AccountRenamed)
def renamed(rows: Rows, event: AccountRenamed) -> None:
    rows.update({"account_id": event.originator_id}, name=event.name)


@FORUM_MEMBERS.on(RolesChanged)
def roles_changed(rows: Rows, event: RolesChanged) -> None:
    rows.update({"account_id": event.originator_id}, is_moderator=_moderates(event.roles))


@FORUM_MEMBERS.on(AccountErased)
def erased(rows: Rows, event: AccountErased) -> None:
    rows.update({"account_id": event.originator_id}, name=ERASED, handle=None, is_moderator=False, erased=True)


@FORUM_MEMBERS.on(ForumMemberJoined)
def joined(rows: Rows, event: ForumMemberJoined) -> None:
    """Whoever was erased since has no handle."""
    handle = None if event.handle == ERASED else event.handle
    rows.update({"account_id": event.account_id}, handle=handle, joined_at=event.timestamp)


@FORUM_MEMBERS.on(ForumMemberSuspended)
def suspended(rows: Rows, event: ForumMemberSuspended) -> None:
    rows.update({"account_id": event.account_id}, suspended_until=event.until or FOREVER)


@FORUM_MEMBERS.on(ForumMemberReinstated)
def reinstated(rows: Rows, event: ForumMemberReinstated) -> None:
    rows.update({"account_id": event.account_id}, suspended_until=None)


@FORUM_MEMBERS.on(PostWritten)
def written(rows: Rows, event: PostWritten) -> None:
    if not event.held:
        _counted(rows, event, 1)


@FORUM_MEMBERS.on(PostEdited)
def edited(rows: Rows, event: PostEdited) -> None:
    if event.held:
        _counted(rows, event, -1)


@FORUM_MEMBERS.on(PostApproved)
def approved(rows: Rows, event: PostApproved) -> None:
    _counted(rows, event, 1)


@FORUM_MEMBERS.on(PostHidden)
def hidden(rows: Rows, event: PostHidden) -> None:
    _counted(rows, event, -1)


@FORUM_MEMBERS.on(PostDeleted)
def deleted(rows: Rows, event: PostDeleted) -> None:
    if event.was == "visible":
        _counted(rows, event, -1)


@FORUM_MEMBERS.on(PostRestored)
def restored(rows: Rows, event: PostRestored) -> None:
    _counted(rows, event, 1)


@FORUM_MEMBERS.on(PostLiked)
def liked(rows: Rows, event: PostLiked) -> None:
    rows.add({"account_id": event.author_id}, likes_received=1)


@FORUM_MEMBERS.on(PostUnliked)
def unliked(rows: Rows, event: PostUnliked) -> None:
    rows.add({"account_id": event.author_id}, likes_received=-1)


@FORUM_SUSPENSIONS.on(ForumMemberSuspended)
def suspension_begun(rows: Rows, event: ForumMemberSuspended) -> None:
    rows.put(account_id=event.account_id, until=event.until or FOREVER, reason=event.reason, since=event.timestamp)


@FORUM_SUSPENSIONS.on(ForumMemberReinstated)
def suspension_ended(rows: Rows, event: ForumMemberReinstated) -> None:
    rows.update({"account_id": event.account_id}, until=event.timestamp)


@FORUM_SUSPENSIONS.on(AccountErased)
def suspension_blanked(rows: Rows, event: AccountErased) -> None:
    rows.update({"account_id": event.originator_id}, reason=ERASED)


def _moderates(roles: tuple[Role, ...]) -> bool:
    return not {Role.ADMIN, Role.MODERATOR}.isdisjoint(roles)


Counted = PostWritten | PostEdited | PostApproved | PostHidden | PostDeleted | PostRestored


def _counted(rows: Rows, event: Counted, by: int) -> None:
    rows.add({"account_id": event.author_id}, posts=by, threads=by if event.is_first else 0)
