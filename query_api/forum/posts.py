"""`GET /api/forum/threads/{id}/posts`, of members, and the history of a post: texts, as their readers may see them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any, Final
from urllib.parse import urlencode
from uuid import UUID

from fastapi import APIRouter, Query, Request, Response

from infra.kernel.text import markdown
from query_api.forum.moderation_view import (
    PUBLIC_READS_OWN_WRITES,
    CurrentViewer,
    MemberViewer,
    Viewer,
    named,
    people,
    said,
)
from query_api.forum.schemas import Edit, Post, Quoted
from query_api.kernel import pagination
from query_api.kernel.authorization import not_found, require_existing
from query_api.kernel.dependencies import READS_OWN_WRITES
from query_api.kernel.pagination import Cursor, Limit, Page20

router = APIRouter(prefix="/api/forum", tags=["forum"])

EXCERPT: Final = 200
MAX_RENDERED: Final = 40_000
"""Characters that are rendered for one answer: the slowest text of a post takes 10 µs a character."""
Html = Annotated[
    bool,
    Query(description="Also the sanitised HTML of each text; as many posts at once as have 40,000 characters together"),
]
_READ: Final = PUBLIC_READS_OWN_WRITES


@router.get("/threads/{id}/posts", dependencies=[_READ])
def get_forum_posts(
    id: UUID,
    request: Request,
    response: Response,
    viewer: CurrentViewer,
    around: Annotated[UUID | None, Query(description="The page that holds this post, in its middle")] = None,
    html: Html = False,
    limit: Limit = 20,
    cursor: Cursor = None,
) -> list[Post]:
    """In the order of writing. `Link` names the previous and next pages, which stay the same when posts are added."""
    require_existing(viewer.reader.row("SELECT 1 FROM read.forum_threads WHERE id = %s", (id,)), "thread")
    bound = {**viewer.bound, "thread": id, "limit": limit + 1}
    if around is not None and cursor is None:
        rows, before, after = _around(viewer, bound, around, limit)
        first = next(place for place, row in enumerate(rows) if row["id"] == around)
    elif cursor is not None and (place := pagination.decode(cursor, str, int))[0] == "before":
        read_rows = viewer.reader.rows(_BACK, {**bound, "place": place[1]})
        rows, before, after = read_rows[:limit][::-1], len(read_rows) > limit, True
        first = len(rows) - 1
    else:
        start = pagination.decode(cursor, str, int)[1] if cursor is not None else -1
        read_rows = viewer.reader.rows(_ON, {**bound, "place": start})
        rows, before, after = read_rows[:limit], cursor is not None, len(read_rows) > limit
        first = 0
    if html:
        kept = rendered_at_once([len(said(row["text"])) for row in rows], first)
        before, after = before or kept.start > 0, after or kept.stop < len(rows)
        rows = rows[kept.start : kept.stop]
    _link(request, response, rows, before, after)
    return to_responses(viewer, rows, html=html)


@router.get("/members/{handle}/posts", dependencies=[_READ])
def get_forum_posts_of_member(handle: str, viewer: CurrentViewer, page: Page20) -> list[Post]:
    """A member's public posts, newest first."""
    sql = "SELECT account_id FROM read.forum_members WHERE handle = %s"
    member = require_existing(viewer.reader.row(sql, (handle.lower(),)), "member")
    bound = {"author": member["account_id"], "place": page.behind(2**62), "limit": page.limit + 1}
    return to_responses(viewer, page.take(viewer.reader.rows(_OF_MEMBER, bound), "position"))


@router.get("/posts/{id}/history", dependencies=[READS_OWN_WRITES])
def get_forum_post_history(id: UUID, viewer: MemberViewer) -> list[Edit]:
    """The texts before each edit, newest first. Visible only to the author and moderators."""
    post = viewer.reader.row("SELECT author_id FROM read.forum_posts WHERE id = %s", (id,))
    if post is None or not viewer.may_change(post["author_id"]):
        raise not_found("post")
    rows = viewer.reader.rows(_HISTORY, (id,))
    editors = people(viewer.reader, (row["edited_by"] for row in rows))
    return [
        Edit.of_row(row, number=len(rows) - index, text=said(row["text"]), edited_by=named(editors, row["edited_by"]))
        for index, row in enumerate(rows)
    ]


def to_responses(viewer: Viewer, rows: Sequence[Mapping[str, Any]], *, html: bool = False) -> list[Post]:
    """The rows as posts: with names, quotes, and what the reader did with them."""
    ids = [row["id"] for row in rows]
    quoted = _quoted(viewer, rows)
    account_ids = [row["author_id"] for row in rows] + [one for row in rows for one in row["mentions"]]
    authors = people(viewer.reader, [*account_ids, *(row["author_id"] for row in quoted.values())])
    mine = {**viewer.bound, "ids": ids}
    signed_in = viewer.account_id is not None
    liked = {row["post_id"] for row in viewer.reader.rows(_LIKED, mine)} if signed_in else set()
    flagged = {row["post_id"] for row in viewer.reader.rows(_FLAGGED, mine)} if signed_in else set()
    posts = []
    for row in rows:
        text, answered = said(row["text"]), quoted.get(row["reply_to"])
        changeable = viewer.may_change(row["author_id"]) and row["state"] != "deleted"
        posts.append(
            Post.of_row(
                row,
                author=named(authors, row["author_id"]),
                text=text,
                excerpt=_excerpt(text),
                html=_rendered(text) if html else None,
                reply_to=None if answered is None else _quote(answered, named(authors, answered["author_id"])),
                mentions=[authors[one] for one in row["mentions"] if one in authors],
                liked=row["id"] in liked,
                can_edit=changeable and (viewer.is_moderator or not row["is_locked"]),
                can_delete=changeable and (viewer.is_moderator or not row["is_first"] or row["thread_replies"] == 0),
                flagged=row["id"] in flagged,
            )
        )
    return posts


def rendered_at_once(lengths: Sequence[int], first: int) -> range:
    """Returns which texts of these lengths one answer renders: from the `first` on outwards, one at least."""
    spent, kept = 0, range(first, first)
    for place in sorted(range(len(lengths)), key=lambda one: abs(one - first)):
        spent += lengths[place]
        if kept and spent > MAX_RENDERED:
            break
        kept = range(min(kept.start, place), max(kept.stop, place + 1))
    return kept


_rendered = lru_cache(maxsize=200)(markdown.render)


@lru_cache(maxsize=2_000)
def _excerpt(text: str) -> str:
    return markdown.plain(text, EXCERPT)


def _around(
    viewer: Viewer, bound: Mapping[str, Any], post_id: UUID, limit: int
) -> tuple[list[dict[str, Any]], bool, bool]:
    sql = "SELECT position FROM read.forum_posts WHERE id = %s AND thread_id = %s"
    post = require_existing(viewer.reader.row(sql, (post_id, bound["thread"])), "post")
    earlier = viewer.reader.rows(_BACK, {**bound, "place": post["position"]})
    later = viewer.reader.rows(_ON, {**bound, "place": post["position"] - 1})
    after = min(len(later), limit - min(limit // 2, len(earlier)))
    before = min(len(earlier), limit - after)
    return earlier[:before][::-1] + later[:after], len(earlier) > before, len(later) > after


def _link(request: Request, response: Response, rows: list[dict[str, Any]], before: bool, after: bool) -> None:
    if not rows:
        return
    query = [(name, value) for name, value in request.query_params.multi_items() if name not in ("cursor", "around")]
    links = []
    for there, way, rel, row in ((after, "after", "next", rows[-1]), (before, "before", "prev", rows[0])):
        if there:
            parameters = urlencode([*query, ("cursor", pagination.encode(way, row["position"]))])
            links.append(f'<{request.url.path}?{parameters}>; rel="{rel}"')
    if links:
        response.headers["Link"] = ", ".join(links)


def _quoted(viewer: Viewer, rows: Sequence[Mapping[str, Any]]) -> dict[UUID, dict[str, Any]]:
    ids = [row["reply_to"] for row in rows if row["reply_to"] is not None]
    if not ids:
        return {}
    return {row["id"]: row for row in viewer.reader.rows(_QUOTED, (ids,))}


def _quote(row: Mapping[str, Any], author: Any) -> Quoted:
    return Quoted(id=row["id"], author=author, excerpt=_excerpt(said(row["text"])))


COLUMNS: Final = (
    "SELECT p.id, p.thread_id, p.author_id, p.text, p.is_first, p.reply_to, p.mentions, p.state, p.likes, p.edits,"
    " p.created_at, p.edited_at, p.waiting_since, p.position, t.is_locked, t.replies AS thread_replies,"
    " t.title AS thread_title FROM read.forum_posts AS p JOIN read.forum_threads AS t ON t.id = p.thread_id"
)
_IN_THREAD: Final = (
    "p.thread_id = %(thread)s"
    " AND (p.state = 'visible' OR %(moderator)s OR (p.author_id = %(me)s AND p.state <> 'deleted'))"
)
_ON: Final = f"{COLUMNS} WHERE {_IN_THREAD} AND p.position > %(place)s ORDER BY p.position LIMIT %(limit)s"
_BACK: Final = f"{COLUMNS} WHERE {_IN_THREAD} AND p.position < %(place)s ORDER BY p.position DESC LIMIT %(limit)s"
_OF_MEMBER: Final = (
    f"{COLUMNS} WHERE p.author_id = %(author)s AND p.state = 'visible' AND t.visible AND p.position < %(place)s"
    " ORDER BY p.position DESC LIMIT %(limit)s"
)
_QUOTED: Final = "SELECT id, author_id, text FROM read.forum_posts WHERE id = ANY(%s) AND state = 'visible'"
_LIKED: Final = "SELECT post_id FROM read.forum_likes WHERE post_id = ANY(%(ids)s) AND account_id = %(me)s AND likes"
_FLAGGED: Final = "SELECT post_id FROM read.forum_flags WHERE post_id = ANY(%(ids)s) AND account_id = %(me)s AND open"
_HISTORY: Final = "SELECT text, edited_by, edited_at FROM read.forum_edits WHERE post_id = %s ORDER BY number DESC"
