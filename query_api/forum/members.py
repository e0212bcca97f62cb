"""`GET /api/forum/{members,log}`, `/api/platform/forum/me`, `/api/admin/forum/queue`: people and moderation."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Final

from fastapi import APIRouter, Query
from pydantic import Field

from query_api.forum.moderation_view import (
    ERASED_AUTHOR,
    PUBLIC_READS_OWN_WRITES,
    CurrentViewer,
    ModeratorViewer,
    Viewer,
    author,
    named,
    people,
    said,
)
from query_api.forum.posts import COLUMNS, to_responses
from query_api.forum.schemas import Author, Flag, LogEntry, Member, QueuedPost
from query_api.kernel.authorization import require_existing
from query_api.kernel.dependencies import READS_OWN_WRITES, CallerScope
from query_api.kernel.pagination import Page20, Page50
from schemas.base import ERASED
from schemas.http.responses import ResponseModel

router = APIRouter(prefix="/api/forum", tags=["forum"])
own_router = APIRouter(prefix="/api/platform/forum", tags=["forum"])
admin_router = APIRouter(prefix="/api/admin/forum", tags=["forum"])

NEW_FOR: Final = timedelta(days=1)
NEW_UNTIL_SHOWN: Final = 3
"""As `command_api.forum.rules` has it."""
MAX_NAMED: Final = 10


class Me(ResponseModel):
    """What the caller may do in the forum, and its limits."""

    handle: str | None = Field(description="Null before the first post, like or report")
    is_new: bool = Field(description="Lower limits apply, and posts with links need approval")
    is_moderator: bool
    suspended_until: datetime | None = Field(description="The year 9999: until a moderator ends it")
    suspension_reason: str | None


@router.get("/members", dependencies=[READS_OWN_WRITES])
def find_forum_members(
    scope: CallerScope, prefix: Annotated[str, Query(min_length=1, max_length=30, description="Of the handle")]
) -> list[Author]:
    """Members whose handle starts with the text, for mentions; for members."""
    begin = prefix.lower().removeprefix("@")
    return [author(row) for row in scope.reader.rows(_NAMED, (begin, begin + "\uffff", MAX_NAMED))]


@router.get("/members/{handle}", dependencies=[PUBLIC_READS_OWN_WRITES])
def get_forum_member(handle: str, viewer: CurrentViewer) -> Member:
    """The public profile of a member."""
    sql = "SELECT * FROM read.forum_members WHERE handle = %s AND NOT erased"
    row = require_existing(viewer.reader.row(sql, (handle.lower(),)), "member")
    return Member.of_row(
        {**row, **author(row).model_dump()},
        joined_at=row["registered_at"],
        suspended_until=_still(row["suspended_until"]),
    )


@own_router.get("/me", dependencies=[READS_OWN_WRITES])
def get_forum_me(scope: CallerScope) -> Me:
    """What the caller may do in the forum."""
    me, is_moderator = scope.principal.account_id, scope.principal.is_moderator
    row = scope.reader.row("SELECT * FROM read.forum_members WHERE account_id = %s", (me,))
    suspension = scope.reader.row("SELECT until, reason FROM read.forum_suspensions WHERE account_id = %s", (me,))
    until = _still(suspension["until"]) if suspension is not None else None
    joined, posts = (row["joined_at"], row["posts"]) if row is not None else (None, 0)
    is_new = joined is None or posts < NEW_UNTIL_SHOWN or datetime.now(UTC) < joined + NEW_FOR
    return Me(
        handle=row["handle"] if row is not None else None,
        is_new=is_new and not is_moderator,
        is_moderator=is_moderator,
        suspended_until=until,
        suspension_reason=said(suspension["reason"]) if suspension is not None and until is not None else None,
    )


@router.get("/log", dependencies=[PUBLIC_READS_OWN_WRITES])
def get_forum_log(viewer: CurrentViewer, page: Page50) -> list[LogEntry]:
    """Actions of moderators, newest first; only moderators see who acted."""
    rows = page.take(viewer.reader.rows(_LOG, (page.behind(2**62), page.limit + 1)), "position")
    authors = people(viewer.reader, (row[who] for row in rows for who in ("member_id", "actor_id")))
    return [_entry(viewer, row, authors) for row in rows]


@admin_router.get("/queue", dependencies=[READS_OWN_WRITES])
def get_forum_queue(viewer: ModeratorViewer, page: Page20) -> list[QueuedPost]:
    """Posts pending review, longest waiting first."""
    rows = page.rows(viewer.reader, _QUEUE, "waiting_since")
    flags = viewer.reader.rows(_FLAGS, ([row["id"] for row in rows],))
    members = people(viewer.reader, (flag["account_id"] for flag in flags))
    posts = to_responses(viewer, rows)
    return [
        QueuedPost(
            post=post,
            thread_title=said(row["thread_title"]),
            waits_for="approval" if row["state"] == "held" else "flags",
            waiting_since=row["waiting_since"],
            flags=[_flag(flag, members) for flag in flags if flag["post_id"] == post.id],
        )
        for post, row in zip(posts, rows, strict=True)
    ]


def _still(until: datetime | None) -> datetime | None:
    return until if until is not None and until > datetime.now(UTC) else None


def _flag(row: dict[str, Any], found: Any) -> Flag:
    note = "" if row["note"] == ERASED else row["note"]
    return Flag(reason=row["reason"], note=note, by=named(found, row["account_id"]), at=row["flagged_at"])


def _entry(viewer: Viewer, row: dict[str, Any], found: Any) -> LogEntry:
    by = named(found, row["actor_id"]).name if viewer.is_moderator and row["actor_id"] is not None else None
    return LogEntry.of_row(
        row,
        id=row["position"],
        title=said(row["title"]) if row["title"] is not None else None,
        member=found.get(row["member_id"], ERASED_AUTHOR) if row["member_id"] is not None else None,
        by=by,
        reason="" if row["reason"] == ERASED else row["reason"],
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
    " AND (%(at)s::timestamptz IS NULL OR (p.waiting_since, p.id) > (%(at)s, %(last)s::uuid))"
    " ORDER BY p.waiting_since, p.id LIMIT %(limit)s"
)
_FLAGS: Final = (
    "SELECT post_id, account_id, reason, note, flagged_at FROM read.forum_flags WHERE post_id = ANY(%s) AND open"
    " ORDER BY flagged_at"
)
