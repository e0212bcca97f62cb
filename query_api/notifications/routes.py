"""`GET /api/platform/notifications`: what the account is told, newest first, and how it wants to be told."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Final
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Request, Response
from pydantic import BaseModel, Field

from query_api import paging
from query_api.context import Context, Reads, Theirs
from query_api.forum.looking import named, people
from query_api.forum.shapes import Author
from query_api.paging import Cursor, Limit
from query_api.reader import Reader
from schemas.base import ERASED
from schemas.events.notifications import DigestMail
from schemas.notifications import KINDS, words

router = APIRouter(prefix="/api/platform", tags=["notifications"])


class Notification(BaseModel):
    id: UUID
    kind: str
    count: int = Field(description="So many things of one kind about the same")
    actor: Author | None = Field(description="The last one who did it")
    title: str
    path: str = Field(description="Where in the app it leads; may be empty")
    at: datetime
    seen: bool


class Unseen(BaseModel):
    unseen: int


class NotificationPreference(BaseModel):
    kind: str
    title: str
    inApp: bool
    mail: DigestMail
    atOnce: bool = Field(description="Mailed when it happens, always, and in no digest")


_ALL: Final = """
SELECT n.id, n.kind, n.count, n.actor_id, n.title, n.path, n.updated_at, n.seen_at, t.title AS thread
FROM ops.notification AS n LEFT JOIN read.forum_threads AS t ON t.id = n.thread_id AND t.visible
WHERE n.account_id = %(me)s AND NOT n.kind = ANY(%(off)s) AND (NOT %(unseen)s OR n.seen_at IS NULL)
  AND (%(at)s::timestamptz IS NULL OR (n.updated_at, n.id) < (%(at)s, %(id)s::uuid))
ORDER BY n.updated_at DESC, n.id DESC LIMIT %(limit)s"""
_UNSEEN: Final = (
    "SELECT count(*) AS unseen FROM ops.notification WHERE account_id = %(me)s AND seen_at IS NULL"
    " AND NOT kind = ANY(%(off)s)"
)
_CHOICES: Final = "SELECT kind, in_app, mail FROM read.notification_choices WHERE account_id = %s"


@router.get("/notifications", dependencies=[Depends(Reads("notification_choices", "forum_threads", "forum_members"))])
def get_notifications(
    request: Request,
    response: Response,
    context: Context,
    theirs: Theirs,
    unseen: Annotated[bool, Query(description="Only those")] = False,
    limit: Limit = 20,
    cursor: Cursor = None,
) -> list[Notification]:
    """Newest first; those that the account wants to see in the app."""
    me = theirs.principal.account_id
    reader = Reader(context.pool, me)
    at, last = paging.decode(cursor, datetime, UUID) if cursor is not None else (None, None)
    bound = {"me": me, "off": _off(reader, me), "unseen": unseen, "at": at, "id": last, "limit": limit + 1}
    rows = reader.rows(_ALL, bound)
    more, rows = len(rows) > limit, rows[:limit]
    paging.link_next(request, response, paging.encode(rows[-1]["updated_at"], rows[-1]["id"]) if more else None)
    found = people(reader, (row["actor_id"] for row in rows))
    return [_shown(row, named(found, row["actor_id"]) if row["actor_id"] is not None else None) for row in rows]


@router.get("/notifications/unseen", dependencies=[Depends(Reads("notification_choices"))])
def get_unseen_notifications(context: Context, theirs: Theirs) -> Unseen:
    """How many are new."""
    me = theirs.principal.account_id
    reader = Reader(context.pool, me)
    row = reader.row(_UNSEEN, {"me": me, "off": _off(reader, me)})
    return Unseen(unseen=row["unseen"] if row is not None else 0)


@router.get("/notification-preferences", dependencies=[Depends(Reads("notification_choices"))])
def get_notification_preferences(theirs: Theirs) -> list[NotificationPreference]:
    """Every kind there is."""
    chosen = {row["kind"]: row for row in theirs.reader.rows(_CHOICES, (theirs.principal.account_id,))}
    stopped = "" in chosen
    return [
        NotificationPreference(
            kind=name,
            title=kind.title,
            inApp=chosen[name]["in_app"] if name in chosen else True,
            mail=chosen[name]["mail"] if name in chosen else "off" if stopped else kind.mail,
            atOnce=kind.at_once,
        )
        for name, kind in KINDS.items()
    ]


def _off(reader: Reader, me: UUID) -> list[str]:
    return [row["kind"] for row in reader.rows(_CHOICES, (me,)) if row["in_app"] is False]


def _shown(row: dict[str, Any], actor: Author | None) -> Notification:
    thread = row["thread"] if row["thread"] != ERASED else None
    name = actor.name if actor is not None else None
    return Notification(
        id=row["id"],
        kind=row["kind"],
        count=row["count"],
        actor=actor,
        title=words(row["kind"], row["count"], name, thread, row["title"]),
        path=row["path"],
        at=row["updated_at"],
        seen=row["seen_at"] is not None,
    )
