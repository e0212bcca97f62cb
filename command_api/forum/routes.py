"""`/api/forum/*`: what members write, like, follow, read and report. `/api/public/forum/*`: views, by anybody."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Annotated, Final, Literal
from uuid import UUID

from fastapi import APIRouter, Depends, Request, Response
from pydantic import Field

from command_api.accounts import limits
from command_api.commands import Decided
from command_api.forum import threads, views
from command_api.forum.desk import ForumDesk, Writer, writer_of
from command_api.forum.text import Reason, Text, Title
from command_api.http import Answer, Body, From, Id, Nothing, Run, Runs, core_of
from infra.identity import authenticate, bearer, session_cookie
from infra.problems import Problem
from schemas.events.forum import FlagReason

router = APIRouter(prefix="/api", tags=["forum"])

PER_VIEWER: Final = limits.Limit("forum-view", timedelta(seconds=1), 60)
"""Threads that one address opens."""
PER_WRITER: Final = limits.Limit("forum-write", timedelta(seconds=1), 60)
"""Texts of one member that are read at all, refused ones among them: reading one takes time."""
PER_FOLLOWER: Final = limits.Limit("forum-follow", timedelta(seconds=20), 60)
"""Each is an event that is kept for ever."""
EVERYTHING: Final = UUID(int=0)
"""Stands for all threads where it is kept how far somebody has read."""

State = Literal["visible", "held", "hidden", "deleted"]


class NewThread(Body):
    category_id: Annotated[UUID, Field(strict=False)]
    title: Title
    text: Text


class Reply(Body):
    text: Text
    reply_to: Annotated[UUID, Field(strict=False)] | None = None


class NewText(Body):
    text: Text


class Report(Body):
    reason: FlagReason
    note: Reason = ""


class ReadUpTo(Body):
    position: Annotated[int, Field(ge=0, le=2**62)]


class View(Body):
    pass


class StartedThread(Answer):
    id: UUID
    post_id: UUID
    state: State = Field(description="held: a moderator looks at it first")


class WrittenPost(Answer):
    id: UUID
    state: State


def desk_of(request: Request) -> ForumDesk:
    desk: ForumDesk = request.app.state.forum
    return desk


def in_the_forum(run: Runs) -> Run:
    """Here a moderator may do what an admin may."""
    run.asked = replace(run.asked, is_admin=run.person.is_moderator)
    return run


Desk = Annotated[ForumDesk, Depends(desk_of)]
InForum = Annotated[Run, Depends(in_the_forum)]


@router.post("/forum/threads", status_code=201, response_model=StartedThread)
def start_thread(body: NewThread, run: InForum, desk: Desk) -> Response:
    """Starts a thread, which its author follows. A new member's with links waits for approval."""
    _charge(run, PER_WRITER)

    def decide() -> Decided[StartedThread]:
        (events, also), started = desk.start_thread(_writer(run), body.category_id, body.title, body.text)
        state: State = "held" if started.held else "visible"
        answer = StartedThread(id=started.originator_id, post_id=started.first_post_id, state=state)
        return Decided(events, answer, also)

    return run(decide, body, status=201)


@router.post("/forum/threads/{id}/posts", status_code=201, response_model=WrittenPost)
def reply_to_thread(thread_id: Id, body: Reply, run: InForum, desk: Desk) -> Response:
    """Replies; who replies for the first time follows the thread."""
    _charge(run, PER_WRITER)

    def decide() -> Decided[WrittenPost]:
        (events, also), held, post_id = desk.reply(_writer(run), thread_id, body.text, body.reply_to)
        return Decided(events, WrittenPost(id=post_id, state="held" if held else "visible"), also)

    return run(decide, body, status=201)


@router.patch("/forum/posts/{id}", response_model=WrittenPost)
def edit_post(post_id: Id, body: NewText, run: InForum, desk: Desk) -> Response:
    """Replaces the text; the one before is kept for the author and moderators."""
    _charge(run, PER_WRITER)

    def decide() -> Decided[WrittenPost]:
        (events, also), post = desk.edit(_writer(run), post_id, body.text)
        return Decided(events, WrittenPost(id=post.id, state=post.state), also)

    return run(decide, body)


@router.delete("/forum/posts/{id}", status_code=204)
def delete_post(post_id: Id, run: InForum, desk: Desk) -> Response:
    """One's own; the first post of a thread as long as nobody has replied."""
    return run(lambda: Decided(desk.delete(post_id, "", run.asked, as_moderator=False), Nothing()), status=204)


@router.put("/forum/posts/{id}/like", status_code=204)
def like_post(post_id: Id, run: InForum, desk: Desk) -> Response:
    """Once; again changes nothing."""

    def decide() -> Decided[Nothing]:
        events, also = desk.like(_writer(run), post_id)
        return Decided(events, Nothing(), also)

    return run(decide, status=204)


@router.delete("/forum/posts/{id}/like", status_code=204)
def unlike_post(post_id: Id, run: InForum, desk: Desk) -> Response:
    who = run.person.account_id
    return run(lambda: Decided(desk.unlike(who, post_id, run.asked), Nothing()), status=204)


@router.post("/forum/posts/{id}/flag", status_code=204)
def flag_post(post_id: Id, body: Report, run: InForum, desk: Desk) -> Response:
    """Reports a post to the moderators; the third member's report hides it until one has looked."""

    def decide() -> Decided[Nothing]:
        events, also = desk.flag(_writer(run), post_id, body.reason, body.note)
        return Decided(events, Nothing(), also)

    return run(decide, body, status=204)


@router.put("/forum/threads/{id}/follow", status_code=204)
def follow_thread(thread_id: Id, run: InForum, desk: Desk) -> Response:
    _charge(run, PER_FOLLOWER)
    who = run.person.account_id
    return run(lambda: Decided(desk.follow(who, thread_id, run.asked, follows=True), Nothing()), status=204)


@router.delete("/forum/threads/{id}/follow", status_code=204)
def unfollow_thread(thread_id: Id, run: InForum, desk: Desk) -> Response:
    _charge(run, PER_FOLLOWER)
    who = run.person.account_id
    return run(lambda: Decided(desk.follow(who, thread_id, run.asked, follows=False), Nothing()), status=204)


@router.post("/forum/threads/{id}/read", status_code=204)
def read_thread(thread_id: Id, body: ReadUpTo, run: InForum, desk: Desk) -> Response:
    """Keeps how far the reader came, a place that only ever moves on, and takes its notifications as seen. No event: it
    is nobody else's business."""
    threads.seen(desk.thread(thread_id), run.asked)
    _keep_read(run, thread_id, body.position)
    with run.core.pool.connection() as connection:
        connection.execute(_SEEN, (run.person.account_id, thread_id))
    return Response(status_code=204)


@router.post("/forum/read", status_code=204)
def read_everything(run: Runs) -> Response:
    """Marks all threads read up to now."""
    with run.core.pool.connection() as connection:
        row = connection.execute("SELECT coalesce(max(notification_id), 0) FROM events.stored_events").fetchone()
    assert row is not None  # noqa: S101 - an aggregate has one row
    _keep_read(run, EVERYTHING, int(row[0]))
    return Response(status_code=204)


@router.post("/public/forum/threads/{id}/view", status_code=204)
def view_thread(thread_id: Id, body: View, request: Request, client: From) -> Response:
    """Counts a visitor once a day."""
    core = core_of(request)
    limits.charge(core.pool, PER_VIEWER, client.address)
    views.note(core.pool, thread_id, _visitor(request, client.address))
    return Response(status_code=204)


def _visitor(request: Request, address: str) -> str:
    """Somebody who is signed in is the same one wherever they are; a session that ended is a visitor."""
    person = None
    if bearer(request.headers) or session_cookie(request.headers):
        try:
            person = authenticate(core_of(request).pool, request.headers, request.method).account_id
        except Problem:
            person = None
    return f"account {person}" if person else f"{address}\n{request.headers.get('user-agent', '')}"


def _charge(run: Run, limit: limits.Limit) -> None:
    limits.charge(run.core.pool, limit, str(run.person.account_id))


def _keep_read(run: Run, thread_id: UUID, position: int) -> None:
    with run.core.pool.connection() as connection:
        connection.execute(_READ, (run.person.account_id, thread_id, position))


def _writer(run: Run) -> Writer:
    return writer_of(run.core, run.person, run.asked)


_READ: Final = (
    "INSERT INTO ops.forum_read AS r (account_id, thread_id, position) VALUES (%s, %s, %s)"
    " ON CONFLICT (account_id, thread_id) DO UPDATE SET position = greatest(r.position, excluded.position)"
)
_SEEN: Final = (
    "UPDATE ops.notification SET seen_at = now() WHERE account_id = %s AND thread_id = %s AND seen_at IS NULL"
)
