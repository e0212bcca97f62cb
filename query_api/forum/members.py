"""`GET /api/forum/{members,log}`, `/api/platform/forum/me`, `/api/admin/forum/queue`: people and moderation."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Final
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Request, Response
from pydantic import BaseModel, Field

from query_api import paging
from query_api.context import Reads, Theirs
from query_api.forum.looking import NOBODY_ANY_MORE, Look, Looks, LooksOfModerator, Shows, author, named, people, said
from query_api.forum.posts import COLUMNS, shown
from query_api.forum.shapes import Author, Flag, LogEntry, Member, QueuedPost
from query_api.owned import not_found
from query_api.paging import Cursor, Limit
from schemas.base import ERASED

router = APIRouter(prefix="/api/forum", tags=["forum"])
own_router = APIRouter(prefix="/api/platform/forum", tags=["forum"])
admin_router = APIRouter(prefix="/api/admin/forum", tags=["forum"])

NEW_FOR: Final = timedelta(days=1)
NEW_UNTIL_SHOWN: Final = 3
"""As `command_api.forum.rules` has it."""
MOST_NAMED: Final = 10


class Me(BaseModel):
    """What the forum knows of the reader."""

    handle: str | None = Field(description="Null before the first post, like or report")
    isNew: bool = Field(description="Narrower limits, and links wait for approval")
    isModerator: bool
    suspendedUntil: datetime | None = Field(description="The year 9999: until a moderator ends it")
    suspensionReason: str | None


@router.get("/members", dependencies=[Depends(Reads("forum_members"))])
def find_forum_members(
    theirs: Theirs, prefix: Annotated[str, Query(min_length=1, max_length=30, description="Of the handle")]
) -> list[Author]:
    """Some whose handle begins so, for mentions; for members."""
    begin = prefix.lower().removeprefix("@")
    return [author(row) for row in theirs.reader.rows(_NAMED, (begin, begin + "\uffff", MOST_NAMED))]


@router.get("/members/{handle}", dependencies=[Depends(Shows("forum_members"))])
def get_forum_member(handle: str, looks: Looks) -> Member:
    """What everybody may see of a member."""
    row = looks.reader.row("SELECT * FROM read.forum_members WHERE handle = %s AND NOT erased", (handle.lower(),))
    if row is None:
        raise not_found("member")
    return Member(
        **author(row).model_dump(),
        joinedAt=row["registered_at"],
        posts=row["posts"],
        threads=row["threads"],
        likesReceived=row["likes_received"],
        suspendedUntil=_still(row["suspended_until"]),
    )


@own_router.get("/me", dependencies=[Depends(Reads("forum_members", "forum_suspensions"))])
def get_forum_me(theirs: Theirs) -> Me:
    """For the forms: what the reader may do."""
    me, is_moderator = theirs.principal.account_id, theirs.principal.is_moderator
    row = theirs.reader.row("SELECT * FROM read.forum_members WHERE account_id = %s", (me,))
    suspension = theirs.reader.row("SELECT until, reason FROM read.forum_suspensions WHERE account_id = %s", (me,))
    until = _still(suspension["until"]) if suspension is not None else None
    joined, posts = (row["joined_at"], row["posts"]) if row is not None else (None, 0)
    is_new = joined is None or posts < NEW_UNTIL_SHOWN or datetime.now(UTC) < joined + NEW_FOR
    return Me(
        handle=row["handle"] if row is not None else None,
        isNew=is_new and not is_moderator,
        isModerator=is_moderator,
        suspendedUntil=until,
        suspensionReason=said(suspension["reason"]) if suspension is not None and until is not None else None,
    )


@router.get("/log", dependencies=[Depends(Shows("forum_log", "forum_threads", "forum_members"))])
def get_forum_log(
    request: Request, response: Response, looks: Looks, limit: Limit = 50, cursor: Cursor = None
) -> list[LogEntry]:
    """What moderators did, newest first; who of them did it is told to moderators."""
    before = paging.decode(cursor, int)[0] if cursor is not None else 2**62
    rows = looks.reader.rows(_LOG, (before, limit + 1))
    more, rows = len(rows) > limit, rows[:limit]
    paging.link_next(request, response, paging.encode(rows[-1]["position"]) if more else None)
    found = people(looks.reader, (row[who] for row in rows for who in ("member_id", "actor_id")))
    return [_entry(looks, row, found) for row in rows]


@admin_router.get(
    "/queue", dependencies=[Depends(Reads("forum_posts", "forum_threads", "forum_flags", "forum_members"))]
)
def get_forum_queue(
    request: Request, response: Response, looks: LooksOfModerator, limit: Limit = 20, cursor: Cursor = None
) -> list[QueuedPost]:
    """Posts that wait for a moderator, the longest first."""
    at, last = paging.decode(cursor, datetime, UUID) if cursor is not None else (None, None)
    rows = looks.reader.rows(_QUEUE, {"at": at, "id": last, "limit": limit + 1})
    more, rows = len(rows) > limit, rows[:limit]
    paging.link_next(request, response, paging.encode(rows[-1]["waiting_since"], rows[-1]["id"]) if more else None)
    flags = looks.reader.rows(_FLAGS, ([row["id"] for row in rows],))
    found = people(looks.reader, (flag["account_id"] for flag in flags))
    posts = shown(looks, rows)
    return [
        QueuedPost(
            post=post,
            threadTitle=said(row["thread_title"]),
            waitsFor="approval" if row["state"] == "held" else "flags",
            waitingSince=row["waiting_since"],
            flags=[_flag(flag, found) for flag in flags if flag["post_id"] == post.id],
        )
        for post, row in zip(posts, rows, strict=True)
    ]


def _still(until: datetime | None) -> datetime | None:
    return until if until is not None and until > datetime.now(UTC) else None


def _flag(row: dict[str, Any], found: Any) -> Flag:
    note = "" if row["note"] == ERASED else row["note"]
    return Flag(reason=row["reason"], note=note, by=named(found, row["account_id"]), at=row["flagged_at"])


def _entry(looks: Look, row: dict[str, Any], found: Any) -> LogEntry:
    by = named(found, row["actor_id"]).name if looks.is_moderator and row["actor_id"] is not None else None
    return LogEntry(
        id=row["position"],
        action=row["action"],
        threadId=row["thread_id"],
        postId=row["post_id"],
        title=said(row["title"]) if row["title"] is not None else None,
        member=found.get(row["member_id"], NOBODY_ANY_MORE) if row["member_id"] is not None else None,
        by=by,
        reason="" if row["reason"] == ERASED else row["reason"],
        at=row["at"],
    )


_NAMED: Final = (
    "SELECT account_id, name, handle, is_moderator FROM read.forum_members"
    ' WHERE handle >= %s COLLATE "C" AND handle < %s COLLATE "C" AND NOT erased ORDER BY handle LIMIT %s'
)
_LOG: Final = (
    "SELECT l.*, t.title FROM read.forum_log AS l LEFT JOIN read.forum_threads AS t ON t.id = l.thread_id"
    " WHERE l.position < %s ORDER BY l.position DESC LIMIT %s"
)
_QUEUE: Final = (
    f"{COLUMNS} WHERE p.waiting_since IS NOT NULL"
    " AND (%(at)s::timestamptz IS NULL OR (p.waiting_since, p.id) > (%(at)s, %(id)s::uuid))"
    " ORDER BY p.waiting_since, p.id LIMIT %(limit)s"
)
_FLAGS: Final = (
    "SELECT post_id, account_id, reason, note, flagged_at FROM read.forum_flags WHERE post_id = ANY(%s) AND open"
    " ORDER BY flagged_at"
)
