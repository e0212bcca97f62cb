"""Command handlers of categories and threads."""

from __future__ import annotations

from typing import Final, LiteralString

from command_api.forum import commands, posts, reactions, threads, writers
from command_api.forum.rate_limits import count
from command_api.forum.schemas import StartedThread
from command_api.kernel.aggregates import first_event
from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.decision import event_metadata
from command_api.kernel.event_store import ConcurrencyConflict
from command_api.kernel.unit_of_work import UnitOfWork
from schemas.events.forum import ForumCategoryCreated, ThreadViewsCounted
from schemas.identity import forum_category_id, forum_follow_id, forum_views_id

HANDLERS: Final = CommandHandlers()


@HANDLERS.on(commands.CreateCategory, senders="system")
def create_category(command: commands.CreateCategory, uow: UnitOfWork) -> bool:
    category_id = forum_category_id(command.slug)
    if uow.load(category_id, threads.evolve_category) is not None:
        return False
    created = ForumCategoryCreated(
        **first_event(category_id, uow.context),
        name=command.name,
        slug=command.slug,
        description=command.description,
        place=command.place,
    )
    uow.append(created)
    return True


@HANDLERS.on(commands.StartThread, senders="accounts")
def start_thread(command: commands.StartThread, uow: UnitOfWork) -> StartedThread:
    fields, thread_id, post_id = command.fields, command.thread_id, command.post_id
    writer = writers.load_writer(uow, command.author_name)
    mentions, held = writers.moderate(uow, writer, fields.text, writer.id)
    category = uow.load(fields.category_id, threads.evolve_category)
    started = threads.start(
        thread_id, author_id=writer.id, category=category, first_post_id=post_id, title=fields.title, held=held,
        context=uow.context,
    )  # fmt: skip
    written = posts.write(
        post_id, author_id=writer.id, thread_id=thread_id, text=fields.text, is_first=True, answered=None,
        mentions=mentions, held=held, context=uow.context,
    )  # fmt: skip
    followed = reactions.follow(None, thread_id, writer.id, uow.context)
    count(
        writers.append(uow, writer, started, written, *followed),
        writer.stats,
        "topic",
        f"{fields.title}\n{fields.text}",
    )
    uow.cursor.execute("INSERT INTO forum.views (thread_id, waiting) VALUES (%s, 0)", (thread_id,))
    return StartedThread(id=thread_id, post_id=post_id, state="held" if held else "visible")


@HANDLERS.on(commands.FollowThread, senders="accounts")
def follow_thread(command: commands.FollowThread, uow: UnitOfWork) -> None:
    account_id = uow.context.require_account()
    thread = threads.require_visible(uow.load(command.thread_id, threads.evolve), uow.context)
    reaction = uow.load(forum_follow_id(thread.id, account_id), reactions.evolve_follow)
    uow.append(*reactions.follow(reaction, thread.id, account_id, uow.context))


@HANDLERS.on(commands.UnfollowThread, senders="accounts")
def unfollow_thread(command: commands.UnfollowThread, uow: UnitOfWork) -> None:
    account_id = uow.context.require_account()
    thread = threads.require_visible(uow.load(command.thread_id, threads.evolve), uow.context)
    reaction = uow.load(forum_follow_id(thread.id, account_id), reactions.evolve_follow)
    uow.append(*reactions.unfollow(reaction, thread.id, account_id, uow.context))


@HANDLERS.on(commands.PinThread, senders="admins")
def pin_thread(command: commands.PinThread, uow: UnitOfWork) -> None:
    uow.append(*threads.pin(uow.load(command.thread_id, threads.evolve), command.reason, uow.context))


@HANDLERS.on(commands.UnpinThread, senders="admins")
def unpin_thread(command: commands.UnpinThread, uow: UnitOfWork) -> None:
    uow.append(*threads.unpin(uow.load(command.thread_id, threads.evolve), command.reason, uow.context))


@HANDLERS.on(commands.LockThread, senders="admins")
def lock_thread(command: commands.LockThread, uow: UnitOfWork) -> None:
    uow.append(*threads.lock(uow.load(command.thread_id, threads.evolve), command.reason, uow.context))


@HANDLERS.on(commands.UnlockThread, senders="admins")
def unlock_thread(command: commands.UnlockThread, uow: UnitOfWork) -> None:
    uow.append(*threads.unlock(uow.load(command.thread_id, threads.evolve), command.reason, uow.context))


@HANDLERS.on(commands.MoveThread, senders="admins")
def move_thread(command: commands.MoveThread, uow: UnitOfWork) -> None:
    category = uow.load(command.category_id, threads.evolve_category)
    uow.append(*threads.move(uow.load(command.thread_id, threads.evolve), category, command.reason, uow.context))


@HANDLERS.on(commands.CountViews, senders="system")
def count_views(command: commands.CountViews, uow: UnitOfWork) -> int:
    waiting = uow.select(_WAITING, command.threads)
    versions = dict(uow.select(_VERSIONS, [forum_views_id(thread_id) for thread_id, _ in waiting]))
    events = []
    for thread_id, views in waiting:
        version = versions.get(forum_views_id(thread_id), 0)
        head = event_metadata(forum_views_id(thread_id), version, uow.context)
        events.append(ThreadViewsCounted(**head, thread_id=thread_id, views=views))
    uow.append(*events)
    for event in events:
        if not uow.cursor.execute(_TAKE, {"views": event.views, "thread": event.thread_id}).rowcount:
            raise ConcurrencyConflict("views")  # taken by another process between the reads
    return len(events)


_WAITING: Final[LiteralString] = (
    "SELECT thread_id, waiting FROM forum.views WHERE waiting > 0 ORDER BY thread_id LIMIT %s"
)
_VERSIONS: Final[LiteralString] = (
    "SELECT originator_id, max(originator_version) FROM events.stored_events WHERE originator_id = ANY(%s)"
    " GROUP BY originator_id"
)
_TAKE: Final = (
    "UPDATE forum.views SET waiting = waiting - %(views)s WHERE thread_id = %(thread)s AND waiting >= %(views)s"
)
