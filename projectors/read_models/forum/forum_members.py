"""`read.forum_members` and `read.forum_suspensions`: who takes part in the forum, by the name that others see.

There is a row for every account, so that the name is known when its owner first writes; it is shown once there is a
handle. Rows contain no email address. Posts before `registered_position` in the log count as read by that member.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from infra.kernel.postgres.rows import Rows
from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import own_account, shown_or_own
from schemas.base import ERASED
from schemas.events import forum
from schemas.events.accounts import (
    AccountErased,
    AccountRegistered,
    AccountRenamed,
    DisplayNameChanged,
    Role,
    RolesChanged,
)

FORUM_MEMBERS: Final = ReadModel(
    name="forum_members",
    version=3,
    columns=(
        "account_id uuid",
        "name text not null",
        "has_display_name boolean not null default false",
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
    personal=("name", "handle"),
)

FORUM_SUSPENSIONS: Final = ReadModel(
    name="forum_suspensions",
    version=1,
    columns=("account_id uuid", "until timestamptz", "reason text not null", "since timestamptz not null"),
    key=("account_id",),
    readers=own_account("account_id"),
    personal=("reason",),
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
    """A display name stays."""
    rows.update({"account_id": event.originator_id, "has_display_name": False}, name=event.name)


FORUM_MEMBERS.follows(DisplayNameChanged, takes={"has_display_name": "chosen"})
FORUM_MEMBERS.follows(RolesChanged, lambda event: {"is_moderator": _moderates(event.roles)})
FORUM_MEMBERS.follows(AccountErased, name=ERASED, handle=None, is_moderator=False, erased=True)


@FORUM_MEMBERS.on(forum.ForumMemberJoined)
def joined(rows: Rows, event: forum.ForumMemberJoined) -> None:
    """An erased account has no handle."""
    handle = None if event.handle == ERASED else event.handle
    rows.update({"account_id": event.account_id}, handle=handle, joined_at=event.timestamp)


@FORUM_MEMBERS.on(forum.ForumMemberSuspended)
def suspended(rows: Rows, event: forum.ForumMemberSuspended) -> None:
    rows.update({"account_id": event.account_id}, suspended_until=event.until or FOREVER)


FORUM_MEMBERS.follows(forum.ForumMemberReinstated, of="account_id", suspended_until=None)


@FORUM_MEMBERS.on(forum.PostWritten)
def written(rows: Rows, event: forum.PostWritten) -> None:
    if not event.held:
        _counted(rows, event, 1)


@FORUM_MEMBERS.on(forum.PostEdited)
def edited(rows: Rows, event: forum.PostEdited) -> None:
    if event.held:
        _counted(rows, event, -1)


@FORUM_MEMBERS.on(forum.PostApproved)
def approved(rows: Rows, event: forum.PostApproved) -> None:
    _counted(rows, event, 1)


@FORUM_MEMBERS.on(forum.PostHidden)
def hidden(rows: Rows, event: forum.PostHidden) -> None:
    _counted(rows, event, -1)


@FORUM_MEMBERS.on(forum.PostDeleted)
def deleted(rows: Rows, event: forum.PostDeleted) -> None:
    if event.was == "visible":
        _counted(rows, event, -1)


@FORUM_MEMBERS.on(forum.PostRestored)
def restored(rows: Rows, event: forum.PostRestored) -> None:
    _counted(rows, event, 1)


FORUM_MEMBERS.adds(forum.PostLiked, lambda event: event.author_id, likes_received=1)
FORUM_MEMBERS.adds(forum.PostUnliked, lambda event: event.author_id, likes_received=-1)


@FORUM_SUSPENSIONS.on(forum.ForumMemberSuspended)
def suspension_begun(rows: Rows, event: forum.ForumMemberSuspended) -> None:
    rows.put(account_id=event.account_id, until=event.until or FOREVER, reason=event.reason, since=event.timestamp)


FORUM_SUSPENSIONS.follows(forum.ForumMemberReinstated, at="until", of="account_id")
FORUM_SUSPENSIONS.follows(AccountErased, reason=ERASED)


def _moderates(roles: tuple[Role, ...]) -> bool:
    return not {Role.ADMIN, Role.MODERATOR}.isdisjoint(roles)


Counted = (
    forum.PostWritten
    | forum.PostEdited
    | forum.PostApproved
    | forum.PostHidden
    | forum.PostDeleted
    | forum.PostRestored
)


def _counted(rows: Rows, event: Counted, by: int) -> None:
    rows.add({"account_id": event.author_id}, posts=by, threads=by if event.is_first else 0)
