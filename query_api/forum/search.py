"""`GET /api/forum/search`: full text of Postgres over titles and posts, best first. Public."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Final
from uuid import UUID

from fastapi import APIRouter, Query, Request, Response

from query_api.forum.moderation_view import PUBLIC_READS_OWN_WRITES, CurrentViewer, named, people, said
from query_api.forum.schemas import Found, Piece
from query_api.kernel import pagination
from query_api.kernel.pagination import Cursor

router = APIRouter(prefix="/api/forum", tags=["forum"])

MAX_FOUND: Final = 200
"""Maximum number of results."""
_BEGIN, _END = "\ue000", "\ue001"
_FOUND: Final = f"""
SELECT p.id AS post_id, p.thread_id, p.author_id, p.created_at, t.title, t.category_id,
    ts_headline('english', p.text, websearch_to_tsquery('english', %(words)s),
        'StartSel={_BEGIN}, StopSel={_END}, MaxWords=40, MinWords=15, MaxFragments=2') AS excerpt
FROM (
    SELECT found_post, found_rank FROM read.search_forum(%(words)s, %(category)s::uuid, %(author)s::uuid, %(most)s)
    ORDER BY found_rank DESC, found_post DESC OFFSET %(offset)s LIMIT %(limit)s
) AS hits
JOIN read.forum_posts AS p ON p.id = hits.found_post JOIN read.forum_threads AS t ON t.id = p.thread_id
ORDER BY hits.found_rank DESC, p.id DESC"""  # noqa: S608 - own text


@router.get("/search", dependencies=[PUBLIC_READS_OWN_WRITES])
def search_forum(
    request: Request,
    response: Response,
    viewer: CurrentViewer,
    q: Annotated[str, Query(min_length=1, max_length=200, description='Words; "a phrase"; -without; or')],
    category_id: Annotated[UUID | None, Query(alias="categoryId")] = None,
    author: Annotated[str | None, Query(max_length=50, description="A handle")] = None,
    limit: Annotated[int, Query(ge=1, le=50)] = 20,
    cursor: Cursor = None,
) -> list[Found]:
    """At most the 200 best. The text around a match is returned in pieces, so that nothing has to be parsed as HTML."""
    writer = None
    if author is not None:
        sql = "SELECT account_id FROM read.forum_members WHERE handle = %s"
        row = viewer.reader.row(sql, (author.lower().removeprefix("@"),))
        if row is None:
            return []
        writer = row["account_id"]
    offset = pagination.decode(cursor, int)[0] if cursor is not None else 0
    if not 0 <= offset < MAX_FOUND:
        raise pagination.bad_cursor()
    bound = {"words": q, "category": category_id, "author": writer, "most": MAX_FOUND}
    rows = viewer.reader.rows(_FOUND, {**bound, "offset": offset, "limit": limit + 1})
    more, page = len(rows) > limit and offset + limit < MAX_FOUND, rows[:limit]
    pagination.link_next(request, response, pagination.encode(offset + limit) if more else None)
    authors = people(viewer.reader, (row["author_id"] for row in page))
    return [
        Found.of_row(
            row,
            title=said(row["title"]),
            excerpt=list(pieces(row["excerpt"])),
            author=named(authors, row["author_id"]),
        )
        for row in page
    ]


def pieces(marked: str) -> Iterator[Piece]:
    """Yields the pieces of a text; those between the marks are the matches."""
    for number, part in enumerate(marked.split(_BEGIN)):
        hit, end, rest = part.partition(_END) if number else ("", "", part)
        if hit and end:
            yield Piece(text=hit, hit=True)
        elif hit:
            rest = hit
        if rest:
            yield Piece(text=rest, hit=False)
