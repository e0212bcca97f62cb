"""`GET /api/forum/categories`, `/threads`: the forum's public lists. Pinned threads come first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, Final, Literal
from uuid import UUID

from fastapi import APIRouter, Query

from query_api.forum.moderation_view import PUBLIC_READS_OWN_WRITES, CurrentViewer, Viewer, named, people, said
from query_api.forum.schemas import Category, Thread, ThreadInFull
from query_api.kernel.authorization import require_existing
from query_api.kernel.pagination import Page20

router = APIRouter(prefix="/api/forum", tags=["forum"])

Sort = Literal["latest", "newest", "replies", "views"]
Filter = Literal["all", "following", "mine", "unread"]

_ORDER: Final[Mapping[Sort, tuple[str, ...]]] = {
    "latest": ("last_position",),
    "newest": ("position",),
    "replies": ("replies", "position"),
    "views": ("views", "position"),
}
_CATEGORIES: Final = """
SELECT c.id, c.name, c.slug, c.description, coalesce(t.threads, 0) AS threads, coalesce(t.replies, 0) AS replies,
    t.last_at AS last_activity_at
FROM read.forum_categories AS c LEFT JOIN (
    SELECT category_id, count(*) AS threads, sum(replies) AS replies,
        max(coalesce(last_reply_at, created_at)) AS last_at
    FROM read.forum_threads WHERE visible GROUP BY category_id
) AS t ON t.category_id = c.id
ORDER BY c.place, c.id"""
_READ_ALL: Final = """
SELECT greatest(m.registered_position, (SELECT position FROM forum.read
    WHERE account_id = %(me)s AND thread_id = '00000000-0000-0000-0000-000000000000'))
FROM read.forum_members AS m WHERE m.account_id = %(me)s"""
"""Up to where everything is read; null for visitors, to whom nothing is unread."""
_COLUMNS: Final = f"""
SELECT t.id, t.title, t.category_id, t.author_id, t.first_post_id, t.is_pinned, t.is_locked,
    t.visible AS is_visible, t.views, t.replies, t.created_at, t.last_reply_at, t.last_reply_by, t.position,
    t.last_position, r.position AS read_position, greatest(r.position, mine.read_all) AS read_to,
    coalesce(f.follows, false) AS followed
FROM read.forum_threads AS t
LEFT JOIN forum.read AS r ON r.thread_id = t.id AND r.account_id = %(me)s
LEFT JOIN read.forum_follows AS f ON f.thread_id = t.id AND f.account_id = %(me)s AND f.follows
CROSS JOIN (SELECT ({_READ_ALL}) AS read_all) AS mine"""  # noqa: S608 - own text
_UNREAD: Final = """
t.last_position > greatest(r.position, mine.read_all) AND coalesce((
    SELECT p.position FROM read.forum_posts AS p WHERE p.thread_id = t.id AND p.state = 'visible'
    ORDER BY p.position DESC LIMIT 1
), t.last_position) > greatest(r.position, mine.read_all)"""
_FILTERS: Final[Mapping[Filter, str]] = {
    "all": "t.visible",
    "following": "t.visible AND f.follows",
    "mine": "t.author_id = %(me)s",
    "unread": f"t.visible AND t.last_position > ({_READ_ALL}) AND {_UNREAD}",
}
_PAGE: Final = """
SELECT page.*, last.is_first AS unanswered, last.created_at AS last_at, last.author_id AS last_by,
    coalesce(coalesce(last.position, page.last_position) > page.read_to, false) AS unread
FROM ({page}) AS page LEFT JOIN LATERAL (
    SELECT p.is_first, p.created_at, p.author_id, p.position FROM read.forum_posts AS p
    WHERE p.thread_id = page.id AND p.state = 'visible' ORDER BY p.position DESC LIMIT 1
) AS last ON true"""
"""With the last post of each that everybody sees: the thread's own columns still tell of one that was removed."""


@router.get("/categories", dependencies=[PUBLIC_READS_OWN_WRITES])
def get_forum_categories(viewer: CurrentViewer) -> list[Category]:
    """All of them, in their order."""
    return [Category.of_row(row) for row in viewer.reader.rows(_CATEGORIES)]


@router.get("/threads", dependencies=[PUBLIC_READS_OWN_WRITES])
def get_forum_threads(
    viewer: CurrentViewer,
    page: Page20,
    category_id: Annotated[UUID | None, Query(alias="categoryId")] = None,
    sort: Sort = "latest",
    filter: Annotated[Filter, Query(description="All but `all` need a signed-in member; empty for visitors")] = "all",
) -> list[Thread]:
    """Pinned ones first, then by `sort`."""
    order = ("is_pinned", *_ORDER[sort])
    bound: dict[str, Any] = {**viewer.bound, "limit": page.limit + 1, "category": category_id}
    wheres = [_FILTERS[filter]]
    if category_id is not None:
        wheres.append("t.category_id = %(category)s")
    if not page.is_first:
        pinned, *places = page.after(*(int for _ in order))
        bound |= dict(zip(order, (bool(pinned), *places), strict=True))
        wheres.append(f"({_list(order, 't.{}')}) < ({_list(order, '%({})s')})")
    page_sql = f"{_COLUMNS} WHERE {' AND '.join(wheres)} ORDER BY {_list(order, 't.{} DESC')} LIMIT %(limit)s"
    rows = viewer.reader.rows(f"{_PAGE.format(page=page_sql)} ORDER BY {_list(order, 'page.{} DESC')}", bound)
    return [Thread.of_row(thread) for thread in _threads(viewer, page.take(rows, *order))]


@router.get(
    "/threads/{id}",
    dependencies=[PUBLIC_READS_OWN_WRITES],
)
def get_forum_thread(id: UUID, viewer: CurrentViewer) -> ThreadInFull:
    """One thread, without its posts."""
    sql = _PAGE.format(page=f"{_COLUMNS} WHERE t.id = %(id)s")
    row = require_existing(viewer.reader.row(sql, {**viewer.bound, "id": id}), "thread")
    last_read = None
    if row["read_position"] is not None:
        last_read = viewer.reader.row(_LAST_READ, {"id": id, "position": row["read_position"]})
    may_reply = viewer.account_id is not None and (viewer.is_moderator or (row["is_visible"] and not row["is_locked"]))
    return ThreadInFull.of_row(
        _threads(viewer, [row])[0],
        last_read_post_id=last_read["id"] if last_read is not None else None,
        can_reply=may_reply,
    )


def _threads(viewer: Viewer, rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The columns of `Thread`, and all others of the rows."""
    last = [_last(row) for row in rows]
    authors = people(viewer.reader, [row["author_id"] for row in rows] + [by for _, by in last])
    return [
        {
            **row,
            "title": said(row["title"]),
            "author": named(authors, row["author_id"]),
            "last_reply_at": at,
            "last_reply_by": named(authors, by) if by is not None else None,
        }
        for row, (at, by) in zip(rows, last, strict=True)
    ]


def _last(row: Mapping[str, Any]) -> tuple[datetime | None, UUID | None]:
    """Returns when and by whom the last reply is that everybody sees; its post may come a moment later than the
    thread."""
    if row["unanswered"] is None:
        return row["last_reply_at"], row["last_reply_by"]
    return (None, None) if row["unanswered"] else (row["last_at"], row["last_by"])


def _list(names: Sequence[str], form: str) -> str:
    return ", ".join(form.format(name) for name in names)


_LAST_READ: Final = (
    "SELECT id FROM read.forum_posts WHERE thread_id = %(id)s AND position <= %(position)s AND state = 'visible'"
    " ORDER BY position DESC LIMIT 1"
)
