"""`/api/admin/forum/*`: what moderators do: admins, and whom they gave that role. Each act is in the forum's log."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Response
from pydantic import Field

from command_api.commands import Decided
from command_api.decision import Asked, Refused
from command_api.forum import members, threads
from command_api.forum.desk import Decision, ForumDesk
from command_api.forum.routes import Desk, InForum
from command_api.forum.text import GivenReason, Reason
from command_api.http import Body, Id, Moment, Nothing, Run
from infra.problems import Problem
from schemas.base import DomainEvent

router = APIRouter(prefix="/api/admin/forum", tags=["forum"])

Decide = Callable[[threads.Thread | None, str, Asked], list[DomainEvent]]


class Why(Body):
    reason: Reason = ""


class Move(Body):
    category_id: Annotated[UUID, Field(strict=False)]
    reason: Reason = ""


class Reasoned(Body):
    reason: GivenReason


class Suspension(Body):
    reason: GivenReason
    until: Moment | None = None


def by_moderator(run: InForum) -> Run:
    if not run.person.is_moderator:
        raise Problem(403, "not_allowed", "Only a moderator may do this.")
    return run


ByModerator = Annotated[Run, Depends(by_moderator)]


@router.post("/threads/{id}/pin", status_code=204)
def pin_thread(thread_id: Id, body: Why, run: ByModerator, desk: Desk) -> Response:
    """Puts it before the others."""
    return _on_thread(run, desk, thread_id, body, threads.pin)


@router.post("/threads/{id}/unpin", status_code=204)
def unpin_thread(thread_id: Id, body: Why, run: ByModerator, desk: Desk) -> Response:
    return _on_thread(run, desk, thread_id, body, threads.unpin)


@router.post("/threads/{id}/lock", status_code=204)
def lock_thread(thread_id: Id, body: Why, run: ByModerator, desk: Desk) -> Response:
    """Nobody but moderators can reply then."""
    return _on_thread(run, desk, thread_id, body, threads.lock)


@router.post("/threads/{id}/unlock", status_code=204)
def unlock_thread(thread_id: Id, body: Why, run: ByModerator, desk: Desk) -> Response:
    return _on_thread(run, desk, thread_id, body, threads.unlock)


@router.post("/threads/{id}/move", status_code=204)
def move_thread(thread_id: Id, body: Move, run: ByModerator, desk: Desk) -> Response:
    """To another category."""

    def decide() -> Decided[Nothing]:
        category = run.core.store.load(body.category_id, threads.evolve_category)
        return Decided(threads.move(desk.thread(thread_id), category, body.reason, run.asked), Nothing())

    return run(decide, body, status=204)


@router.post("/posts/{id}/approve", status_code=204)
def approve_post(post_id: Id, run: ByModerator, desk: Desk) -> Response:
    """Has a post shown that waits, and settles its reports."""
    return _decided(run, lambda: desk.approve(post_id, run.asked))


@router.post("/posts/{id}/dismiss-flags", status_code=204)
def dismiss_flags(post_id: Id, run: ByModerator, desk: Desk) -> Response:
    """Nothing is wrong with it; who reported it cannot again for a day."""
    return _decided(run, lambda: desk.dismiss_flags(post_id, run.asked))


@router.post("/posts/{id}/delete", status_code=204)
def delete_as_moderator(post_id: Id, body: Reasoned, run: ByModerator, desk: Desk) -> Response:
    """Takes a post away; the first one with its whole thread. Its author is told why."""
    return run(
        lambda: Decided(desk.delete(post_id, body.reason, run.asked, as_moderator=True), Nothing()), body, status=204
    )


@router.post("/posts/{id}/restore", status_code=204)
def restore_post(post_id: Id, run: ByModerator, desk: Desk) -> Response:
    return run(lambda: Decided(desk.restore(post_id, run.asked), Nothing()), status=204)


@router.post("/members/{id}/suspend", status_code=204)
def suspend_member(account_id: Id, body: Suspension, run: ByModerator, desk: Desk) -> Response:
    """They may read, and write nothing, until then; without an end until reinstated."""

    def decide() -> Decided[Nothing]:
        if not run.person.is_admin and desk.is_admin(account_id):
            raise Refused("forbidden", "not_allowed", "Only an admin may suspend an admin.")
        return Decided(members.suspend(desk.member(account_id), body.until, body.reason, run.asked), Nothing())

    return run(decide, body, status=204)


@router.post("/members/{id}/reinstate", status_code=204)
def reinstate_member(account_id: Id, run: ByModerator, desk: Desk) -> Response:
    return run(lambda: Decided(members.reinstate(desk.member(account_id), run.asked), Nothing()), status=204)


def _on_thread(run: Run, desk: ForumDesk, thread_id: UUID, body: Why, decide: Decide) -> Response:
    return run(lambda: Decided(decide(desk.thread(thread_id), body.reason, run.asked), Nothing()), body, status=204)


def _decided(run: Run, decide: Callable[[], Decision]) -> Response:
    def both() -> Decided[Nothing]:
        events, also = decide()
        return Decided(events, Nothing(), also)

    return run(both, status=204)
