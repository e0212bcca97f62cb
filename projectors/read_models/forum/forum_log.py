"""`read.forum_log`: what moderators, and the rules, did in the forum; newest last, one row per event."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from infra.kernel.postgres.event_table import E
from infra.kernel.postgres.rows import Row, Rows
from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import PUBLIC
from schemas.base import ERASED, DomainEvent
from schemas.events import forum
from schemas.events.accounts import AccountErased

FORUM_LOG: Final = ReadModel(
    name="forum_log",
    version=1,
    columns=(
        "position bigint",
        "action text not null",
        "thread_id uuid",
        "post_id uuid",
        "member_id uuid",
        "actor_id uuid",
        "reason text not null",
        "at timestamptz not null",
    ),
    key=("position",),
    readers=PUBLIC,  # the route leaves out who acted, but for moderators
    indexes=("member_id",),
    personal=("reason",),
)


def _of_thread(
    event: forum.ThreadPinned | forum.ThreadUnpinned | forum.ThreadLocked | forum.ThreadUnlocked | forum.ThreadMoved,
) -> Row:
    return {"thread_id": event.originator_id, "reason": event.reason}


def _of_post(
    event: forum.PostHidden | forum.PostApproved | forum.PostFlagsDismissed | forum.PostDeleted | forum.PostRestored,
) -> Row:
    return {"thread_id": event.thread_id, "post_id": event.originator_id, "member_id": event.author_id}


def _put(rows: Rows, event: DomainEvent, action: str, entry: Row) -> None:
    by = None if isinstance(event, forum.PostHidden) else event.actor_id  # the last who reported it is no moderator
    rows.put(position=rows.position, action=action, actor_id=by, at=event.timestamp, **{**_EMPTY, **entry})


_EMPTY: Final[Row] = {"thread_id": None, "post_id": None, "member_id": None, "reason": ""}


def _logs(event_class: type[E], action: str, entry: Callable[[E], Row]) -> None:
    FORUM_LOG.on(event_class)(lambda rows, event: _put(rows, event, action, entry(event)))


_logs(forum.ThreadPinned, "pinned", _of_thread)
_logs(forum.ThreadUnpinned, "unpinned", _of_thread)
_logs(forum.ThreadLocked, "locked", _of_thread)
_logs(forum.ThreadUnlocked, "unlocked", _of_thread)
_logs(forum.ThreadMoved, "moved", _of_thread)
_logs(forum.PostHidden, "hidden", _of_post)
_logs(forum.PostApproved, "approved", _of_post)
_logs(forum.PostFlagsDismissed, "reports_dismissed", _of_post)
_logs(forum.PostRestored, "restored", _of_post)
_logs(forum.ForumMemberSuspended, "suspended", lambda event: {"member_id": event.account_id, "reason": event.reason})
_logs(forum.ForumMemberReinstated, "reinstated", lambda event: {"member_id": event.account_id})
FORUM_LOG.follows(AccountErased, by="member_id", reason=ERASED)


@FORUM_LOG.on(forum.PostDeleted)
def deleted(rows: Rows, event: forum.PostDeleted) -> None:
    """Deletions by the author are not in the log."""
    if event.by_moderator:
        _put(rows, event, "deleted", {**_of_post(event), "reason": event.reason or ""})
