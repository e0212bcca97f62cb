"""What the read models of the forum and of notifications' choices must hold after an event (see `folding`).

Texts are kept as `kept` has them, so that the posts of a large forum fit into memory.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Any, Final

from schemas.base import ERASED, DomainEvent
from schemas.events import accounts, forum, notifications

Key = tuple[Any, ...]
Row = dict[str, Any]
Rows = dict[Key, Row]

_NO_END: Final = datetime(9999, 12, 31, tzinfo=UTC)
_SHORT: Final = 64

Moved = (
    forum.PostWritten
    | forum.PostEdited
    | forum.PostApproved
    | forum.PostHidden
    | forum.PostDeleted
    | forum.PostRestored
)


class Blanked(str):
    """A text that must be gone, because the event of its author's erasure was read."""


BLANKED: Final = Blanked(ERASED)


def kept(text: str) -> str:
    """A short text itself, of a long one a digest."""
    return text if len(text) <= _SHORT else "blake2b:" + blake2b(text.encode(), digest_size=16).hexdigest()


def categories(rows: Rows, event: DomainEvent, _: int) -> None:
    if isinstance(event, forum.ForumCategoryCreated):
        rows[(event.originator_id,)] = {
            "id": event.originator_id,
            "name": event.name,
            "slug": event.slug,
            "description": event.description,
            "place": event.place,
        }


def threads(rows: Rows, event: DomainEvent, position: int) -> None:
    key = (event.originator_id,)
    match event:
        case forum.ThreadStarted():
            rows[key] = {
                "id": event.originator_id,
                "title": kept(event.title),
                "category_id": event.category_id,
                "author_id": event.author_id,
                "first_post_id": event.first_post_id,
                "is_pinned": False,
                "is_locked": False,
                "visible": not event.held,
                "views": 0,
                "replies": 0,
                "created_at": event.timestamp,
                "last_reply_at": None,
                "last_reply_by": None,
                "position": position,
                "last_position": position,
            }
        case forum.ThreadPinned() | forum.ThreadUnpinned():
            _change(rows, key, is_pinned=isinstance(event, forum.ThreadPinned))
        case forum.ThreadLocked() | forum.ThreadUnlocked():
            _change(rows, key, is_locked=isinstance(event, forum.ThreadLocked))
        case forum.ThreadMoved():
            _change(rows, key, category_id=event.category_id)
        case forum.ThreadHidden() | forum.ThreadShown():
            _change(rows, key, visible=isinstance(event, forum.ThreadShown))
        case forum.ThreadViewsCounted():
            _add(rows, (event.thread_id,), views=event.views)
        case accounts.AccountErased():
            _change_where(rows, "author_id", event.originator_id, title=BLANKED)
    if (reply := _moved(event)) is not None and not reply.is_first:
        thread = (reply.thread_id,)
        _add(rows, thread, replies=_shown_more(reply))
        if isinstance(reply, forum.PostWritten | forum.PostApproved) and _is_news(reply):
            at, by = reply.timestamp, reply.author_id
            _change(rows, thread, last_reply_at=at, last_reply_by=by, last_position=position)


def posts(rows: Rows, event: DomainEvent, position: int) -> None:
    key = (event.originator_id,)
    match event:
        case forum.PostWritten():
            rows[key] = {
                "id": event.originator_id,
                "thread_id": event.thread_id,
                "author_id": event.author_id,
                "text": kept(event.text),
                "is_first": event.is_first,
                "reply_to": event.reply_to,
                "mentions": list(event.mentions),
                "state": "held" if event.held else "visible",
                "likes": 0,
                "flags": 0,
                "edits": 0,
                "created_at": event.timestamp,
                "edited_at": None,
                "waiting_since": event.timestamp if event.held else None,
                "position": position,
            }
        case forum.PostEdited():
            _add(rows, key, edits=1)
            _change(rows, key, text=kept(event.text), mentions=list(event.mentions), edited_at=event.timestamp)
            if event.held:
                _change(rows, key, state="held", waiting_since=event.timestamp)
        case forum.PostFlagged() if key in rows:
            rows[key]["flags"] += 1
            if rows[key]["flags"] == 1:
                rows[key]["waiting_since"] = event.timestamp
        case forum.PostHidden():
            _change(rows, key, state="hidden")
        case forum.PostFlagsDismissed():
            _change(rows, key, flags=0, waiting_since=None)
        case forum.PostApproved():
            _change(rows, key, state="visible", flags=0, waiting_since=None)
            if _is_news(event) and not event.is_first:
                _change(rows, key, position=position)
        case forum.PostDeleted():
            _change(rows, key, state="deleted", flags=0, waiting_since=None)
        case forum.PostRestored():
            _change(rows, key, state="visible")
        case forum.PostLiked() | forum.PostUnliked():
            _add(rows, (event.post_id,), likes=1 if isinstance(event, forum.PostLiked) else -1)
        case accounts.AccountErased():
            _change_where(rows, "author_id", event.originator_id, text=BLANKED)


def edits(rows: Rows, event: DomainEvent, position: int) -> None:
    match event:
        case forum.PostEdited():
            rows[event.originator_id, event.originator_version] = {
                "post_id": event.originator_id,
                "number": event.originator_version,
                "author_id": event.author_id,
                "text": kept(event.before),
                "edited_by": event.actor_id,
                "edited_at": event.timestamp,
                "position": position,
            }
        case accounts.AccountErased():
            _change_where(rows, "author_id", event.originator_id, text=BLANKED)


def likes(rows: Rows, event: DomainEvent, _: int) -> None:
    if isinstance(event, forum.PostLiked | forum.PostUnliked):
        rows[event.post_id, event.account_id] = {
            "post_id": event.post_id,
            "account_id": event.account_id,
            "likes": isinstance(event, forum.PostLiked),
        }


def follows(rows: Rows, event: DomainEvent, _: int) -> None:
    if isinstance(event, forum.ThreadFollowed | forum.ThreadUnfollowed):
        rows[event.thread_id, event.account_id] = {
            "thread_id": event.thread_id,
            "account_id": event.account_id,
            "follows": isinstance(event, forum.ThreadFollowed),
            "since": event.timestamp,
        }


def flags(rows: Rows, event: DomainEvent, _: int) -> None:
    match event:
        case forum.PostFlagged():
            rows[event.originator_id, event.account_id] = {
                "post_id": event.originator_id,
                "account_id": event.account_id,
                "reason": event.reason,
                "note": event.note,
                "flagged_at": event.timestamp,
                "open": True,
            }
        case forum.PostFlagsDismissed() | forum.PostApproved() | forum.PostDeleted():
            _change_where(rows, "post_id", event.originator_id, open=False)
        case accounts.AccountErased():
            _change_where(rows, "account_id", event.originator_id, note=BLANKED)


def members(rows: Rows, event: DomainEvent, position: int) -> None:
    key = (event.originator_id,)
    match event:
        case accounts.AccountRegistered():
            rows[key] = {
                "account_id": event.originator_id,
                "name": event.name,
                "handle": None,
                "is_moderator": _moderates(event.roles),
                "registered_at": event.timestamp,
                "joined_at": None,
                "posts": 0,
                "threads": 0,
                "likes_received": 0,
                "suspended_until": None,
                "erased": False,
                "registered_position": position,
            }
        case accounts.AccountRenamed():
            _change(rows, key, name=event.name)
        case accounts.RolesChanged():
            _change(rows, key, is_moderator=_moderates(event.roles))
        case accounts.AccountErased():
            _change(rows, key, name=BLANKED, handle=None, is_moderator=False, erased=True)
        case forum.ForumMemberJoined():
            handle = event.handle if event.handle != ERASED else None
            _change(rows, (event.account_id,), handle=handle, joined_at=event.timestamp)
        case forum.ForumMemberSuspended():
            _change(rows, (event.account_id,), suspended_until=event.until or _NO_END)
        case forum.ForumMemberReinstated():
            _change(rows, (event.account_id,), suspended_until=None)
        case forum.PostLiked() | forum.PostUnliked():
            _add(rows, (event.author_id,), likes_received=1 if isinstance(event, forum.PostLiked) else -1)
    if (post := _moved(event)) is not None:
        more = _shown_more(post)
        _add(rows, (post.author_id,), posts=more, threads=more if post.is_first else 0)


def suspensions(rows: Rows, event: DomainEvent, _: int) -> None:
    match event:
        case forum.ForumMemberSuspended():
            rows[(event.account_id,)] = {
                "account_id": event.account_id,
                "until": event.until or _NO_END,
                "reason": event.reason,
                "since": event.timestamp,
            }
        case forum.ForumMemberReinstated():
            _change(rows, (event.account_id,), until=event.timestamp)
        case accounts.AccountErased():
            _change(rows, (event.originator_id,), reason=BLANKED)


_ON_THREADS: Final[Mapping[type[DomainEvent], str]] = {
    forum.ThreadPinned: "pinned",
    forum.ThreadUnpinned: "unpinned",
    forum.ThreadLocked: "locked",
    forum.ThreadUnlocked: "unlocked",
    forum.ThreadMoved: "moved",
}
_ON_POSTS: Final[Mapping[type[DomainEvent], str]] = {
    forum.PostHidden: "hidden",
    forum.PostApproved: "approved",
    forum.PostFlagsDismissed: "reports_dismissed",
    forum.PostRestored: "restored",
    forum.PostDeleted: "deleted",
}
_ON_MEMBERS: Final[Mapping[type[DomainEvent], str]] = {
    forum.ForumMemberSuspended: "suspended",
    forum.ForumMemberReinstated: "reinstated",
}


def log(rows: Rows, event: Any, position: int) -> None:
    """What members delete themselves is not told, nor who the last one was that reported a post."""
    kind = type(event)
    row = {"thread_id": None, "post_id": None, "member_id": None, "actor_id": event.actor_id, "reason": ""}
    if action := _ON_THREADS.get(kind):
        row |= {"thread_id": event.originator_id, "reason": event.reason}
    elif (action := _ON_POSTS.get(kind)) and getattr(event, "by_moderator", True):
        row |= {"thread_id": event.thread_id, "post_id": event.originator_id, "member_id": event.author_id}
        row["reason"] = getattr(event, "reason", None) or ""
        row["actor_id"] = None if kind is forum.PostHidden else event.actor_id
    elif action := _ON_MEMBERS.get(kind):
        row |= {"member_id": event.account_id, "reason": getattr(event, "reason", "")}
    elif kind is accounts.AccountErased:
        _change_where(rows, "member_id", event.originator_id, reason=BLANKED)
        return
    else:
        return
    rows[(position,)] = {"position": position, "action": action, **row, "at": event.timestamp}


def choices(rows: Rows, event: DomainEvent, _: int) -> None:
    match event:
        case notifications.NotificationPreferenceSet():
            rows[event.account_id, event.kind] = {
                "account_id": event.account_id,
                "kind": event.kind,
                "in_app": event.in_app,
                "mail": event.mail,
            }
        case notifications.NotificationMailStopped():
            every = {"account_id": event.account_id, "kind": "", "in_app": None}
            rows.setdefault((event.account_id, ""), every)
            _change_where(rows, "account_id", event.account_id, mail="off")


def _moved(event: DomainEvent) -> Moved | None:
    """The event, if a post may be there for everybody after it that was not, or the other way round."""
    return event if isinstance(event, Moved) else None


def _shown_more(event: Moved) -> int:
    """How many more posts everybody sees after it."""
    match event:
        case forum.PostWritten():
            return 0 if event.held else 1
        case forum.PostEdited():
            return -1 if event.held else 0
        case forum.PostApproved() | forum.PostRestored():
            return 1
        case forum.PostHidden():
            return -1
        case forum.PostDeleted():
            return -1 if event.was == "visible" else 0


def _is_news(event: forum.PostWritten | forum.PostApproved) -> bool:
    """Nobody has seen it before."""
    return not event.held if isinstance(event, forum.PostWritten) else not event.was_shown


def _moderates(roles: tuple[accounts.Role, ...]) -> bool:
    return any(role in (accounts.Role.ADMIN, accounts.Role.MODERATOR) for role in roles)


def _change(rows: Rows, key: Key, **values: Any) -> None:
    """A row whose first event is a dead letter is not there to be changed."""
    if key in rows:
        rows[key].update(values)


def _change_where(rows: Rows, column: str, value: Any, **values: Any) -> None:
    for row in rows.values():
        if row[column] == value:
            row.update(values)


def _add(rows: Rows, key: Key, **differences: int) -> None:
    if key in rows:
        for column, difference in differences.items():
            rows[key][column] += difference


FOLDS: Final[Mapping[str, Callable[[Rows, DomainEvent, int], None]]] = {
    "forum_categories": categories,
    "forum_threads": threads,
    "forum_posts": posts,
    "forum_edits": edits,
    "forum_likes": likes,
    "forum_follows": follows,
    "forum_flags": flags,
    "forum_members": members,
    "forum_suspensions": suspensions,
    "forum_log": log,
    "notification_choices": choices,
}
KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys(FOLDS, ("id",)),
    "forum_edits": ("post_id", "number"),
    "forum_likes": ("post_id", "account_id"),
    "forum_follows": ("thread_id", "account_id"),
    "forum_flags": ("post_id", "account_id"),
    "forum_members": ("account_id",),
    "forum_suspensions": ("account_id",),
    "forum_log": ("position",),
    "notification_choices": ("account_id", "kind"),
}
