"""`/api/forum/*`: what members write, like, follow, read and report. `/api/public/forum/*`: views, by anybody."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import Annotated, Final
from uuid import UUID

from fastapi import APIRouter, Depends, Request, Response

from command_api.forum import commands, schemas, threads, views
from command_api.kernel import rate_limits
from command_api.kernel.http import CommandRunner, From, Id, Runs, container_of
from infra.kernel.http.openapi import OPTIONAL_SESSION, Authentication
from infra.kernel.http.problems import Problem
from infra.kernel.http.route_costs import PUBLIC, costs
from infra.kernel.security.sessions import authenticate, bearer, session_cookie
from schemas.uuid7 import uuid7

router = APIRouter(prefix="/api", tags=["forum"])

PER_VIEWER: Final = rate_limits.Limit("forum-view", timedelta(seconds=1), 60)
"""Threads that one address opens."""
PER_WRITER: Final = rate_limits.Limit("forum-write", timedelta(seconds=1), 60)
"""Texts of one member, rejected ones included, because parsing takes time."""
PER_FOLLOWER: Final = rate_limits.Limit("forum-follow", timedelta(seconds=20), 60)
"""Each is an event, which is stored permanently."""
ALL_THREADS: Final = UUID(int=0)
"""Stands for all threads in the table of read positions."""


async def forum_runner(run: Runs) -> CommandRunner:
    """Gives a moderator the rights of an admin in the forum."""
    run.context = replace(run.context, is_admin=run.person.is_moderator)
    return run


ForumRunner = Annotated[CommandRunner, Depends(forum_runner)]


@router.post("/forum/threads", status_code=201, response_model=schemas.StartedThread)
def start_thread(body: schemas.NewThread, run: ForumRunner) -> Response:
    """Starts a thread, which its author follows. A new member's thread with links needs approval."""
    _charge(run, PER_WRITER)
    return run(commands.StartThread(uuid7(), uuid7(), run.person.public_name, body), body, status=201)


@router.post("/forum/threads/{id}/posts", status_code=201, response_model=schemas.WrittenPost)
def reply_to_thread(thread_id: Id, body: schemas.Reply, run: ForumRunner) -> Response:
    """Replies; with the first reply the member follows the thread."""
    _charge(run, PER_WRITER)
    return run(commands.ReplyToThread(thread_id, uuid7(), run.person.public_name, body), body, status=201)


@router.patch("/forum/posts/{id}", response_model=schemas.WrittenPost)
def edit_post(post_id: Id, body: schemas.NewText, run: ForumRunner) -> Response:
    """Replaces the text; the one before is kept for the author and moderators."""
    _charge(run, PER_WRITER)
    return run(commands.EditPost(post_id, run.person.public_name, body.text), body)


@router.delete("/forum/posts/{id}", status_code=204)
def delete_post(post_id: Id, run: ForumRunner) -> Response:
    """Your own; the first post of a thread only while it has no replies."""
    return run(commands.DeletePost(post_id), status=204)


@router.put("/forum/posts/{id}/like", status_code=204)
def like_post(post_id: Id, run: ForumRunner) -> Response:
    """Likes the post. Repeating it changes nothing."""
    return run(commands.LikePost(post_id, run.person.public_name), status=204)


@router.delete("/forum/posts/{id}/like", status_code=204)
def unlike_post(post_id: Id, run: ForumRunner) -> Response:
    return run(commands.UnlikePost(post_id), status=204)


@router.post("/forum/posts/{id}/flag", status_code=204)
def flag_post(post_id: Id, body: schemas.FlagPost, run: ForumRunner) -> Response:
    """Reports a post to the moderators; the third member's report hides it until it is reviewed."""
    return run(commands.FlagPost(post_id, run.person.public_name, body), body, status=204)


@router.put("/forum/threads/{id}/follow", status_code=204)
def follow_thread(thread_id: Id, run: ForumRunner) -> Response:
    _charge(run, PER_FOLLOWER)
    return run(commands.FollowThread(thread_id), status=204)


@router.delete("/forum/threads/{id}/follow", status_code=204)
def unfollow_thread(thread_id: Id, run: ForumRunner) -> Response:
    _charge(run, PER_FOLLOWER)
    return run(commands.UnfollowThread(thread_id), status=204)


@router.post("/forum/threads/{id}/read", status_code=204)
def read_thread(thread_id: Id, body: schemas.ReadUpTo, run: ForumRunner) -> Response:
    """Stores the read position, which only increases, and marks the thread's notifications as seen. Writes no event."""
    threads.require_visible(run.container.store.load(thread_id, threads.evolve), run.context)
    _save_read_position(run, thread_id, body.position)
    with run.container.pool.connection() as connection:
        connection.execute(_SEEN, (run.person.account_id, thread_id))
    return Response(status_code=204)


@router.post("/forum/read", status_code=204)
def read_everything(run: Runs) -> Response:
    """Marks all threads read up to now."""
    with run.container.pool.connection() as connection:
        row = connection.execute("SELECT coalesce(max(notification_id), 0) FROM events.stored_events").fetchone()
    assert row is not None  # noqa: S101 - an aggregate has one row
    _save_read_position(run, ALL_THREADS, int(row[0]))
    return Response(status_code=204)


def _viewer(request: Request) -> UUID | None:
    """The account of a valid session."""
    if bearer(request.headers) or session_cookie(request.headers):
        with suppress(Problem):
            return authenticate(container_of(request).pool, request.headers, request.method).account_id
    return None


@router.post("/public/forum/threads/{id}/view", status_code=204, openapi_extra=costs(PUBLIC))
def view_thread(
    thread_id: Id,
    _body: schemas.View,
    request: Request,
    client: From,
    viewer: Annotated[UUID | None, Depends(Authentication(OPTIONAL_SESSION, _viewer))],
) -> Response:
    """Counts a visitor, an account or else address and browser, once a day."""
    container = container_of(request)
    rate_limits.consume(container.pool, PER_VIEWER, client.address)
    visitor = f"account {viewer}" if viewer else f"{client.address}\n{request.headers.get('user-agent', '')}"
    views.count_view(container.pool, thread_id, visitor)
    return Response(status_code=204)


def _charge(run: CommandRunner, limit: rate_limits.Limit) -> None:
    rate_limits.consume(run.container.pool, limit, str(run.person.account_id))


def _save_read_position(run: CommandRunner, thread_id: UUID, position: int) -> None:
    with run.container.pool.connection() as connection:
        connection.execute(_READ, (run.person.account_id, thread_id, position))


_READ: Final = (
    "INSERT INTO forum.read AS r (account_id, thread_id, position) VALUES (%s, %s, %s)"
    " ON CONFLICT (account_id, thread_id) DO UPDATE SET position = greatest(r.position, excluded.position)"
)
_SEEN: Final = (
    "UPDATE notifications.notification SET seen_at = now() WHERE account_id = %s AND thread_id = %s AND seen_at IS NULL"
)
