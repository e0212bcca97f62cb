"""Likes and follows: what one member thinks of one post, or has with one thread. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from command_api.decision import AnotherKind, Asked, conflict, step
from command_api.forum.posts import Post
from schemas.base import DomainEvent
from schemas.events.forum import PostLiked, PostUnliked, ThreadFollowed, ThreadUnfollowed
from schemas.identity import forum_follow_id, forum_like_id


@dataclass(frozen=True, slots=True)
class Mark:
    """Set, or taken back."""

    version: int = 0
    is_set: bool = False


def like(mark: Mark | None, post: Post, account_id: UUID, asked: Asked) -> list[DomainEvent]:
    """Nothing for who likes it already."""
    if post.author_id == account_id:
        raise conflict("own_post", "You cannot like your own post.")
    mark = mark or Mark()
    return [] if mark.is_set else [PostLiked(**_of_like(mark, post, account_id, asked))]


def unlike(mark: Mark | None, post: Post, account_id: UUID, asked: Asked) -> list[DomainEvent]:
    mark = mark or Mark()
    return [PostUnliked(**_of_like(mark, post, account_id, asked))] if mark.is_set else []


def follow(mark: Mark | None, thread_id: UUID, account_id: UUID, asked: Asked) -> list[DomainEvent]:
    mark = mark or Mark()
    return [] if mark.is_set else [ThreadFollowed(**_of_follow(mark, thread_id, account_id, asked))]


def unfollow(mark: Mark | None, thread_id: UUID, account_id: UUID, asked: Asked) -> list[DomainEvent]:
    mark = mark or Mark()
    return [ThreadUnfollowed(**_of_follow(mark, thread_id, account_id, asked))] if mark.is_set else []


def evolve_like(mark: Mark | None, event: DomainEvent) -> Mark:
    match event:
        case PostLiked() | PostUnliked():
            return Mark(event.originator_version, isinstance(event, PostLiked))
        case _:
            raise AnotherKind(f"{event.NAME} does not happen to likes")


def evolve_follow(mark: Mark | None, event: DomainEvent) -> Mark:
    match event:
        case ThreadFollowed() | ThreadUnfollowed():
            return Mark(event.originator_version, isinstance(event, ThreadFollowed))
        case _:
            raise AnotherKind(f"{event.NAME} does not happen to follows")


def _of_like(mark: Mark, post: Post, account_id: UUID, asked: Asked) -> dict[str, object]:
    about = {"account_id": account_id, "post_id": post.id, "thread_id": post.thread_id, "author_id": post.author_id}
    return {**step(forum_like_id(post.id, account_id), mark.version, asked), **about}


def _of_follow(mark: Mark, thread_id: UUID, account_id: UUID, asked: Asked) -> dict[str, object]:
    about = {"account_id": account_id, "thread_id": thread_id}
    return {**step(forum_follow_id(thread_id, account_id), mark.version, asked), **about}
