"""`/api/admin/forum/*`: commands of moderators (admins, and accounts with that role). Each act is in the forum's
log."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Response
from pydantic import Field

from command_api.forum import commands
from command_api.forum.routes import ForumRunner
from command_api.forum.schemas import Suspension
from command_api.forum.text import GivenReason, Reason
from command_api.kernel.http import CommandRunner, Id, RequestModel
from infra.kernel.http.problems import Problem

router = APIRouter(prefix="/api/admin/forum", tags=["forum"])


class ModerationReason(RequestModel):
    """An optional reason, kept in the forum's log."""

    reason: Reason = ""


class MoveThread(RequestModel):
    """The category to move the thread to, and an optional reason for the forum's log."""

    category_id: Annotated[UUID, Field(strict=False)]
    reason: Reason = ""


class Reasoned(RequestModel):
    """The reason, for the author and the forum's log."""

    reason: GivenReason


async def moderator_runner(run: ForumRunner) -> CommandRunner:
    if not run.person.is_moderator:
        raise Problem(403, "not_allowed", "Only a moderator may do this.")
    return run


ModeratorRunner = Annotated[CommandRunner, Depends(moderator_runner)]


@router.post("/threads/{id}/pin", status_code=204)
def pin_thread(thread_id: Id, body: ModerationReason, run: ModeratorRunner) -> Response:
    """Shows it above other threads."""
    return run(commands.PinThread(thread_id, body.reason), body, status=204)


@router.post("/threads/{id}/unpin", status_code=204)
def unpin_thread(thread_id: Id, body: ModerationReason, run: ModeratorRunner) -> Response:
    return run(commands.UnpinThread(thread_id, body.reason), body, status=204)


@router.post("/threads/{id}/lock", status_code=204)
def lock_thread(thread_id: Id, body: ModerationReason, run: ModeratorRunner) -> Response:
    """Only moderators can reply to a locked thread."""
    return run(commands.LockThread(thread_id, body.reason), body, status=204)


@router.post("/threads/{id}/unlock", status_code=204)
def unlock_thread(thread_id: Id, body: ModerationReason, run: ModeratorRunner) -> Response:
    return run(commands.UnlockThread(thread_id, body.reason), body, status=204)


@router.post("/threads/{id}/move", status_code=204)
def move_thread(thread_id: Id, body: MoveThread, run: ModeratorRunner) -> Response:
    """To another category."""
    return run(commands.MoveThread(thread_id, body.category_id, body.reason), body, status=204)


@router.post("/posts/{id}/approve", status_code=204)
def approve_post(post_id: Id, run: ModeratorRunner) -> Response:
    """Approves a post and closes its reports."""
    return run(commands.ApprovePost(post_id), status=204)


@router.post("/posts/{id}/dismiss-flags", status_code=204)
def dismiss_flags(post_id: Id, run: ModeratorRunner) -> Response:
    """Dismisses the reports; the post cannot be reported for a day."""
    return run(commands.DismissFlags(post_id), status=204)


@router.post("/posts/{id}/delete", status_code=204)
def delete_as_moderator(post_id: Id, body: Reasoned, run: ModeratorRunner) -> Response:
    """Deletes a post; the first one with its thread. Its author gets the reason."""
    return run(commands.DeletePostAsModerator(post_id, body.reason), body, status=204)


@router.post("/posts/{id}/restore", status_code=204)
def restore_post(post_id: Id, run: ModeratorRunner) -> Response:
    return run(commands.RestorePost(post_id), status=204)


@router.post("/members/{id}/suspend", status_code=204)
def suspend_member(account_id: Id, body: Suspension, run: ModeratorRunner) -> Response:
    """Suspended members can read but not post, until the given time, or until reinstated."""
    return run(commands.SuspendMember(account_id, run.person.is_admin, body), body, status=204)


@router.post("/members/{id}/reinstate", status_code=204)
def reinstate_member(account_id: Id, run: ModeratorRunner) -> Response:
    return run(commands.ReinstateMember(account_id), status=204)
