"""Likes of posts and follows of threads, one aggregate per member and target. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from command_api.forum.posts import PostAggregate
from command_api.kernel.decision import CommandContext, conflict, event_metadata
from schemas.base import DomainEvent
from schemas.events.forum import PostLiked, PostUnliked, ThreadFollowed, ThreadUnfollowed
from schemas.evolution import Evolution
from schemas.identity import forum_follow_id, forum_like_id


@dataclass(frozen=True, slots=True)
class Reaction:
    """A like or follow; `is_set`: it is active."""

    version: int = 0
    is_set: bool = False


def like(
    reaction: Reaction | None, post: PostAggregate, account_id: UUID, context: CommandContext
) -> list[DomainEvent]:
    """Likes the post; returns no events if the like is set."""
    if post.author_id == account_id:
        raise conflict("own_post", "You cannot like your own post.")
    reaction = reaction or Reaction()
    return [] if reaction.is_set else [PostLiked(**_of_like(reaction, post, account_id, context))]


def unlike(
    reaction: Reaction | None, post: PostAggregate, account_id: UUID, context: CommandContext
) -> list[DomainEvent]:
    reaction = reaction or Reaction()
    return [PostUnliked(**_of_like(reaction, post, account_id, context))] if reaction.is_set else []


def follow(reaction: Reaction | None, thread_id: UUID, account_id: UUID, context: CommandContext) -> list[DomainEvent]:
    reaction = reaction or Reaction()
    return [] if reaction.is_set else [ThreadFollowed(**_of_follow(reaction, thread_id, account_id, context))]


def unfollow(
    reaction: Reaction | None, thread_id: UUID, account_id: UUID, context: CommandContext
) -> list[DomainEvent]:
    reaction = reaction or Reaction()
    return [ThreadUnfollowed(**_of_follow(reaction, thread_id, account_id, context))] if reaction.is_set else []


evolve_like: Final = Evolution(Reaction).begins(PostLiked, is_set=True).begins(PostUnliked, is_set=False)


evolve_follow: Final = Evolution(Reaction).begins(ThreadFollowed, is_set=True).begins(ThreadUnfollowed, is_set=False)


def _of_like(reaction: Reaction, post: PostAggregate, account_id: UUID, context: CommandContext) -> dict[str, object]:
    about = {"account_id": account_id, "post_id": post.id, "thread_id": post.thread_id, "author_id": post.author_id}
    return {**event_metadata(forum_like_id(post.id, account_id), reaction.version, context), **about}


def _of_follow(reaction: Reaction, thread_id: UUID, account_id: UUID, context: CommandContext) -> dict[str, object]:
    about = {"account_id": account_id, "thread_id": thread_id}
    return {**event_metadata(forum_follow_id(thread_id, account_id), reaction.version, context), **about}
