"""`GET /api/platform/notifications`: the account's notifications, newest first, and its preferences."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Final
from uuid import UUID

from fastapi import APIRouter, Query
from pydantic import Field

from infra.kernel.config.modules import notifications_off
from query_api.forum.moderation_view import named, people
from query_api.forum.schemas import Author
from query_api.kernel.dependencies import READS_OWN_WRITES, CallerScope, Context, Services
from query_api.kernel.pagination import Page20
from query_api.kernel.postgres_reader import PostgresReader
from schemas.base import ERASED
from schemas.http.notifications import NotificationPreference
from schemas.http.responses import ResponseModel
from schemas.notifications import KINDS, Names, words

router = APIRouter(prefix="/api/platform", tags=["notifications"])


class Notification(ResponseModel):
    """One or more events about the same subject, shown as one entry."""

    id: UUID
    kind: str
    count: int = Field(description="So many things of one kind about the same")
    actor: Author | None = Field(description="The last one who did it")
    title: str
    path: str = Field(description="Where in the app it leads; may be empty")
    at: datetime
    seen: bool


class Unseen(ResponseModel):
    """How many notifications the member has not seen."""

    unseen: int


_ALL: Final = """
SELECT n.id, n.kind, n.count, n.actor_id, n.title, n.path, n.updated_at AS at,
    n.seen_at IS NOT NULL AS seen, t.title AS thread, l.title AS listing, w.domain AS website, s.name AS trader
FROM notifications.notification AS n LEFT JOIN read.forum_threads AS t ON t.id = n.thread_id AND t.visible
LEFT JOIN read.listings AS l ON l.id = n.listing_id LEFT JOIN read.websites AS w ON w.id = n.website_id
LEFT JOIN read.sellers AS s ON s.account_id = n.actor_id
WHERE n.account_id = %(me)s AND NOT n.kind = ANY(%(off)s) AND (NOT %(unseen)s OR n.seen_at IS NULL)
  AND (%(at)s::timestamptz IS NULL OR (n.updated_at, n.id) < (%(at)s, %(last)s::uuid))
ORDER BY n.updated_at DESC, n.id DESC LIMIT %(limit)s"""
_UNSEEN: Final = (
    "SELECT count(*) AS unseen FROM notifications.notification WHERE account_id = %(me)s AND seen_at IS NULL"
    " AND NOT kind = ANY(%(off)s)"
)
_CHOICES: Final = "SELECT kind, in_app, mail FROM read.notification_choices WHERE account_id = %s"


@router.get("/notifications", dependencies=[READS_OWN_WRITES])
def get_notifications(
    scope: CallerScope,
    context: Context,
    page: Page20,
    unseen: Annotated[bool, Query(description="Only those")] = False,
) -> list[Notification]:
    """Newest first; those that the account wants to see in the app."""
    me, reader = scope.principal.account_id, scope.reader
    bound = {"me": me, "off": _off(reader, me, context), "unseen": unseen}
    rows = page.rows(reader, _ALL, "at", bound)
    members = people(reader, (row["actor_id"] for row in rows))
    return [_to_response(row, _actor(row, members)) for row in rows]


@router.get("/notifications/unseen", dependencies=[READS_OWN_WRITES])
def get_unseen_notifications(scope: CallerScope, context: Context) -> Unseen:
    """How many are new."""
    me, reader = scope.principal.account_id, scope.reader
    row = reader.row(_UNSEEN, {"me": me, "off": _off(reader, me, context)})
    return Unseen(unseen=row["unseen"] if row is not None else 0)


@router.get("/notification-preferences", dependencies=[READS_OWN_WRITES])
def get_notification_preferences(scope: CallerScope, context: Context) -> list[NotificationPreference]:
    """All kinds."""
    chosen = {row["kind"]: row for row in scope.reader.rows(_CHOICES, (scope.principal.account_id,))}
    stopped = "" in chosen
    return [
        NotificationPreference.of(
            kind,
            kind=name,
            in_app=chosen[name]["in_app"] if name in chosen else True,
            mail=chosen[name]["mail"] if name in chosen else "off" if stopped else kind.mail,
        )
        for name, kind in KINDS.items()
        if name not in notifications_off(context.settings.without)
    ]


def _off(reader: PostgresReader, me: UUID, context: Services) -> list[str]:
    """The kinds that the account does not want to see, or that the installation does without."""
    unwanted = {row["kind"] for row in reader.rows(_CHOICES, (me,)) if row["in_app"] is False}
    return sorted(unwanted | notifications_off(context.settings.without))


def _actor(row: Mapping[str, Any], members: Mapping[UUID, Author]) -> Author | None:
    """Who never wrote in the forum is known by the name under which they trade."""
    actor_id, trader = row["actor_id"], row["trader"]
    if actor_id is None:
        return None
    if actor_id not in members and trader not in (None, ERASED):
        return Author(id=actor_id, name=trader, handle=None)
    return named(members, actor_id)


def _to_response(row: dict[str, Any], actor: Author | None) -> Notification:
    """Row-level security decides what is named: what the reader may not see reads as if it were gone."""
    shown = {name: row[name] for name in ("thread", "listing", "website") if row[name] != ERASED}
    names = Names(actor=actor.name if actor is not None else None, **shown)
    return Notification.of_row(row, actor=actor, title=words(row["kind"], row["count"], names, row["title"]))
