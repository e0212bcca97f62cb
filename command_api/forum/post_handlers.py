"""Command handlers of posts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final
from uuid import UUID

from command_api.forum import commands, posts, reactions, threads, writers
from command_api.forum.rate_limits import count
from command_api.forum.schemas import WrittenPost
from command_api.kernel.aggregates import state_after
from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.decision import CommandContext, CommandRejected
from command_api.kernel.unit_of_work import UnitOfWork
from schemas.base import DomainEvent
from schemas.identity import forum_follow_id, forum_like_id

HANDLERS: Final = CommandHandlers()


@HANDLERS.on(commands.ReplyToThread, senders="accounts")
def reply_to_thread(command: commands.ReplyToThread, uow: UnitOfWork) -> WrittenPost:
    """Writes a reply. Its author follows the thread unless they unfollowed it."""
    fields, context = command.fields, uow.context
    writer = writers.load_writer(uow, command.author_name)
    thread = threads.require_open(uow.load(command.thread_id, threads.evolve), context)
    mentions, held = writers.moderate(uow, writer, fields.text, writer.id)
    answered = posts.require_visible(_load(uow, fields.reply_to), context) if fields.reply_to is not None else None
    written = posts.write(
        command.post_id, author_id=writer.id, thread_id=thread.id, text=fields.text, is_first=False, answered=answered,
        mentions=mentions, held=held, context=context,
    )  # fmt: skip
    reaction = uow.load(forum_follow_id(thread.id, writer.id), reactions.evolve_follow)
    followed = reactions.follow(None, thread.id, writer.id, context) if reaction is None else []
    appended = writers.append(uow, writer, written, *followed)
    uow.require_version(thread.id, thread.version)
    count(appended, writer.stats, "reply", fields.text)
    return WrittenPost(id=command.post_id, state="held" if held else "visible")


@HANDLERS.on(commands.EditPost, senders="accounts")
def edit_post(command: commands.EditPost, uow: UnitOfWork) -> WrittenPost:
    context = uow.context
    writer = writers.load_writer(uow, command.author_name)
    post = posts.require_author(_load(uow, command.post_id), context)
    thread = uow.load(post.thread_id, threads.evolve)
    if not context.is_admin:
        threads.require_unlocked(thread, context)
    mentions, held = writers.moderate(uow, writer, command.text, post.author_id)
    events = posts.edit(post, command.text, mentions, hold=held, context=context)
    of_thread = _thread_events(uow, post, events)
    appended = writers.append(uow, writer, *events, *of_thread)
    if thread is not None and events and not of_thread and not context.is_admin:
        uow.require_version(thread.id, thread.version)
    if events:
        count(appended, writer.stats, "edit")
    return WrittenPost(id=post.id, state=state_after(posts.evolve, post, events).state)


@HANDLERS.on(commands.DeletePost, senders="accounts")
def delete_post(command: commands.DeletePost, uow: UnitOfWork) -> None:
    """A moderator deletes posts of others as such, without a reason."""
    post = _load(uow, command.post_id)
    as_moderator = post is not None and uow.context.is_admin and post.author_id != uow.context.account_id
    events = posts.delete(post, "", as_moderator=as_moderator, context=uow.context)
    if post is not None and post.is_first and events and not as_moderator and _has_replies(uow, post.thread_id):
        message = "Others have replied to this thread, so only a moderator can delete it."
        raise CommandRejected("conflict", "has_replies", message)
    uow.append(*events, *_thread_events(uow, post, events))


@HANDLERS.on(commands.DeletePostAsModerator, senders="admins")
def delete_post_as_moderator(command: commands.DeletePostAsModerator, uow: UnitOfWork) -> None:
    _moderate(
        command, uow, lambda post, context: posts.delete(post, command.reason, as_moderator=True, context=context)
    )


@HANDLERS.on(commands.RestorePost, senders="admins")
def restore_post(command: commands.RestorePost, uow: UnitOfWork) -> None:
    _moderate(command, uow, posts.restore)


@HANDLERS.on(commands.ApprovePost, senders="admins")
def approve_post(command: commands.ApprovePost, uow: UnitOfWork) -> None:
    _moderate(command, uow, posts.approve)


@HANDLERS.on(commands.DismissFlags, senders="admins")
def dismiss_flags(command: commands.DismissFlags, uow: UnitOfWork) -> None:
    _moderate(command, uow, posts.dismiss_flags)


@HANDLERS.on(commands.FlagPost, senders="accounts")
def flag_post(command: commands.FlagPost, uow: UnitOfWork) -> None:
    writer, post = writers.load_writer(uow, command.author_name), _load(uow, command.post_id)
    if post is not None:
        threads.require_visible(uow.load(post.thread_id, threads.evolve), uow.context, "post")
    events = posts.flag(post, command.fields.reason, command.fields.note, uow.context)
    count(writers.append(uow, writer, *events, *_thread_events(uow, post, events)), writer.stats, "flag")


@HANDLERS.on(commands.LikePost, senders="accounts")
def like_post(command: commands.LikePost, uow: UnitOfWork) -> None:
    writer = writers.load_writer(uow, command.author_name)
    post = posts.require_visible(_load(uow, command.post_id), uow.context)
    threads.require_visible(uow.load(post.thread_id, threads.evolve), uow.context, "post")
    reaction = uow.load(forum_like_id(post.id, writer.id), reactions.evolve_like)
    events = reactions.like(reaction, post, writer.id, uow.context)
    appended = writers.append(uow, writer, *events)
    if events:
        count(appended, writer.stats, "like")


@HANDLERS.on(commands.UnlikePost, senders="accounts")
def unlike_post(command: commands.UnlikePost, uow: UnitOfWork) -> None:
    account_id = uow.context.require_account()
    post = posts.require_visible(_load(uow, command.post_id), uow.context)
    reaction = uow.load(forum_like_id(post.id, account_id), reactions.evolve_like)
    uow.append(*reactions.unlike(reaction, post, account_id, uow.context))


def _moderate(
    command: commands.PostCommand,
    uow: UnitOfWork,
    decide: Callable[[posts.PostAggregate | None, CommandContext], list[DomainEvent]],
) -> None:
    post = _load(uow, command.post_id)
    events = decide(post, uow.context)
    uow.append(*events, *_thread_events(uow, post, events))


def _load(uow: UnitOfWork, post_id: UUID) -> posts.PostAggregate | None:
    return uow.load(post_id, posts.evolve)


def _thread_events(
    uow: UnitOfWork, post: posts.PostAggregate | None, events: Sequence[DomainEvent]
) -> list[DomainEvent]:
    """Events of the thread: it is shown while its first post is visible."""
    if post is None or not post.is_first or not events:
        return []
    post = state_after(posts.evolve, post, events)
    change = threads.show if post.state == "visible" else threads.hide
    return change(uow.load(post.thread_id, threads.evolve), uow.context)


def _has_replies(uow: UnitOfWork, thread_id: UUID) -> bool:
    """Returns whether the thread has replies by the read model: a concurrent reply is only hidden, not lost."""
    return bool(uow.select("SELECT 1 FROM read.forum_threads WHERE id = %s AND replies > 0", thread_id))
