"""How members' writing is done: what is decided together with what is counted, in one transaction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final
from urllib.parse import urlsplit
from uuid import UUID

from psycopg import Cursor
from psycopg.rows import dict_row

from command_api.core import Core
from command_api.decision import Asked, Refused, invalid
from command_api.forum import marks, members, posts, threads
from command_api.forum.pace import Act, Standing, count
from command_api.forum.rules import MOST_MENTIONS, NEW_LINKS, NEW_MENTIONS, PACE, Pace
from command_api.forum.text import mentioned, same_words
from command_api.store import Also, Conflict
from infra import markdown
from infra.identity import Principal
from infra.sealing import derived_key, keyed_hash
from schemas.base import DomainEvent
from schemas.events.forum import FlagReason, PostApproved, PostRestored, ThreadStarted
from schemas.identity import forum_follow_id, forum_like_id, forum_member_id
from schemas.uuid7 import uuid7

_HANDLES_TRIED: Final = 50

Decision = tuple[list[DomainEvent], Also]


@dataclass(frozen=True, slots=True)
class ForumDesk:
    """Thread-safe."""

    core: Core
    pace: Pace = field(default=PACE)

    def start_thread(self, writer: Writer, category_id: UUID, title: str, text: str) -> tuple[Decision, ThreadStarted]:
        """A thread with its first post, which its author follows."""
        asked, thread_id, post_id = writer.asked, uuid7(), uuid7()
        mentions, held = self._judged(writer, text, writer.id)
        category = self.core.store.load(category_id, threads.evolve_category)
        started = threads.start(
            thread_id, author_id=writer.id, category=category, first_post_id=post_id, title=title, held=held,
            asked=asked,
        )  # fmt: skip
        written = posts.write(
            post_id, author_id=writer.id, thread_id=thread_id, text=text, is_first=True, answered=None,
            mentions=mentions, held=held, asked=asked,
        )  # fmt: skip
        followed = marks.follow(None, thread_id, writer.id, asked)

        def also(cursor: Cursor[dict[str, Any]], position: int | None) -> None:
            writer.joins(cursor)
            count(cursor, self.pace, writer.id, "topic", asked, self._digest(f"{title}\n{text}"))
            cursor.execute("INSERT INTO ops.forum_views (thread_id, waiting) VALUES (%s, 0)", (thread_id,))
            self._has_shown(cursor, writer.id, not held)

        return ([*writer.events, started, written, *followed], also), started

    def reply(self, writer: Writer, thread_id: UUID, text: str, answers: UUID | None) -> tuple[Decision, bool, UUID]:
        """A reply; who replies follows the thread, unless they stopped that. Tells whether it is held, and its id."""
        asked, post_id = writer.asked, uuid7()
        thread = threads.open_to(self.thread(thread_id), asked)
        mentions, held = self._judged(writer, text, writer.id)
        answered = posts.seen(self.post(answers), asked) if answers is not None else None
        written = posts.write(
            post_id, author_id=writer.id, thread_id=thread.id, text=text, is_first=False, answered=answered,
            mentions=mentions, held=held, asked=asked,
        )  # fmt: skip
        mark = self.core.store.load(forum_follow_id(thread.id, writer.id), marks.evolve_follow)
        followed = marks.follow(None, thread.id, writer.id, asked) if mark is None else []

        def also(cursor: Cursor[dict[str, Any]], position: int | None) -> None:
            writer.joins(cursor)
            require_version(cursor, thread.id, thread.version)
            count(cursor, self.pace, writer.id, "reply", asked, self._digest(text))
            self._has_shown(cursor, writer.id, not held)

        return ([*writer.events, written, *followed], also), held, post_id

    def edit(self, writer: Writer, post_id: UUID, text: str) -> tuple[Decision, posts.Post]:
        asked = writer.asked
        before = posts.owned(self.post(post_id), asked)
        thread = None if asked.is_admin else threads.unlocked(self.thread(before.thread_id), asked)
        mentions, held = self._judged(writer, text, before.author_id)
        events = posts.edit(before, text, mentions, hold=held, asked=asked)
        after = before
        for event in events:
            after = posts.evolve(after, event)
        hides = before.is_first and before.state == "visible" and after.state != "visible"
        if hides:
            events += threads.hide(self.thread(before.thread_id), asked)

        def also(cursor: Cursor[dict[str, Any]], position: int | None) -> None:
            writer.joins(cursor)
            if thread is not None and not hides:
                require_version(cursor, thread.id, thread.version)
            if events:
                count(cursor, self.pace, writer.id, "edit", asked)

        return ([*writer.events, *events], also), after

    def delete(self, post_id: UUID, reason: str, asked: Asked, *, as_moderator: bool) -> list[DomainEvent]:
        """A first post takes its thread with it: its author may do that while nobody has answered."""
        post = self.post(post_id)
        as_moderator = as_moderator or (post is not None and asked.is_admin and post.author_id != asked.account_id)
        events = posts.delete(post, reason, as_moderator=as_moderator, asked=asked)
        if post is None or not post.is_first or not events:
            return events
        if not as_moderator and self._has_replies(post.thread_id):
            message = "Others have replied to this thread, so only a moderator can delete it."
            raise Refused("conflict", "has_replies", message)
        return [*events, *threads.hide(self.thread(post.thread_id), asked)]

    def restore(self, post_id: UUID, asked: Asked) -> list[DomainEvent]:
        post = self.post(post_id)
        return self._with_thread(post, posts.restore(post, asked), asked)

    def approve(self, post_id: UUID, asked: Asked) -> Decision:
        post = self.post(post_id)
        return self._shown(post, self._with_thread(post, posts.approve(post, asked), asked))

    def dismiss_flags(self, post_id: UUID, asked: Asked) -> Decision:
        post = self.post(post_id)
        return self._shown(post, self._with_thread(post, posts.dismiss_flags(post, asked), asked))

    def flag(self, writer: Writer, post_id: UUID, reason: FlagReason, note: str) -> Decision:
        post = self.post(post_id)
        if post is not None:
            threads.seen(self.thread(post.thread_id), writer.asked)
        events = posts.flag(post, reason, note, writer.asked)
        if post is not None and post.is_first and len(events) > 1:
            events += threads.hide(self.thread(post.thread_id), writer.asked)
        return self._counted(writer, events, "flag")

    def like(self, writer: Writer, post_id: UUID) -> Decision:
        post = posts.seen(self.post(post_id), writer.asked)
        threads.seen(self.thread(post.thread_id), writer.asked)
        mark = self.core.store.load(forum_like_id(post.id, writer.id), marks.evolve_like)
        return self._counted(writer, marks.like(mark, post, writer.id, writer.asked), "like")

    def unlike(self, account_id: UUID, post_id: UUID, asked: Asked) -> list[DomainEvent]:
        post = posts.seen(self.post(post_id), asked)
        mark = self.core.store.load(forum_like_id(post.id, account_id), marks.evolve_like)
        return marks.unlike(mark, post, account_id, asked)

    def follow(self, account_id: UUID, thread_id: UUID, asked: Asked, *, follows: bool) -> list[DomainEvent]:
        thread = threads.seen(self.thread(thread_id), asked)
        mark = self.core.store.load(forum_follow_id(thread.id, account_id), marks.evolve_follow)
        return (marks.follow if follows else marks.unfollow)(mark, thread.id, account_id, asked)

    def thread(self, thread_id: UUID) -> threads.Thread | None:
        return self.core.store.load(thread_id, threads.evolve)

    def post(self, post_id: UUID) -> posts.Post | None:
        return self.core.store.load(post_id, posts.evolve)

    def member(self, account_id: UUID) -> members.Member | None:
        """None for who never wrote, or was erased."""
        with self.core.pool.connection() as connection:
            sql = "SELECT 1 FROM ops.forum_member WHERE account_id = %s AND handle IS NOT NULL"
            if connection.execute(sql, (account_id,)).fetchone() is None:
                return None
        return self.core.store.load(forum_member_id(account_id), members.evolve)

    def is_admin(self, account_id: UUID) -> bool:
        with self.core.pool.connection() as connection:
            sql = "SELECT 1 FROM auth.admin WHERE account_id = %s"
            return connection.execute(sql, (account_id,)).fetchone() is not None

    def _judged(self, writer: Writer, text: str, author_id: UUID) -> tuple[list[UUID], bool]:
        """Whom the text mentions, and whether it must be approved. Raises `Refused` for too much of either."""
        names = mentioned(text)
        host = urlsplit(self.core.settings.app_url).hostname or ""
        foreign = [] if writer.asked.is_admin else markdown.foreign_links(text, host)
        is_new = not writer.asked.is_admin and writer.standing.is_new(writer.asked.at, self.pace)
        most = NEW_MENTIONS if is_new else MOST_MENTIONS
        if len(names) > most:
            raise invalid("too_many_mentions", f"Please mention at most {most} members in one post", "text")
        if is_new and len(foreign) > NEW_LINKS:
            raise invalid("too_many_links", f"New members can put at most {NEW_LINKS} links into a post", "text")
        return self._accounts(names, author_id), is_new and bool(foreign)

    def _accounts(self, handles: Sequence[str], but: UUID) -> list[UUID]:
        if not handles:
            return []
        sql = "SELECT handle, account_id FROM ops.forum_member WHERE handle = ANY(%s)"
        with self.core.pool.connection() as connection, connection.cursor(row_factory=dict_row) as cursor:
            found = {row["handle"]: row["account_id"] for row in cursor.execute(sql, (list(handles),))}
        return [found[handle] for handle in handles if handle in found and found[handle] != but]

    def _counted(self, writer: Writer, events: list[DomainEvent], act: Act) -> Decision:
        def also(cursor: Cursor[dict[str, Any]], position: int | None) -> None:
            writer.joins(cursor)
            if events:
                count(cursor, self.pace, writer.id, act, writer.asked)

        return [*writer.events, *events], also

    def _with_thread(self, post: posts.Post | None, events: list[DomainEvent], asked: Asked) -> list[DomainEvent]:
        """A thread is shown when its first post is."""
        if post is None or not post.is_first or not any(isinstance(e, (PostApproved, PostRestored)) for e in events):
            return events
        return [*events, *threads.show(self.thread(post.thread_id), asked)]

    def _shown(self, post: posts.Post | None, events: list[DomainEvent]) -> Decision:
        def also(cursor: Cursor[dict[str, Any]], position: int | None) -> None:
            if post is not None and any(isinstance(e, PostApproved) and not e.was_shown for e in events):
                self._has_shown(cursor, post.author_id, True)

        return events, also

    def _has_shown(self, cursor: Cursor[dict[str, Any]], account_id: UUID, is_shown: bool) -> None:
        if is_shown:
            cursor.execute("UPDATE ops.forum_member SET shown = shown + 1 WHERE account_id = %s", (account_id,))

    def _has_replies(self, thread_id: UUID) -> bool:
        """By the list that people see: whoever replies at this very moment loses nothing but the sight of it."""
        sql = "SELECT replies FROM read.forum_threads WHERE id = %s"
        with self.core.pool.connection() as connection, connection.cursor(row_factory=dict_row) as cursor:
            row = cursor.execute(sql, (thread_id,)).fetchone()
        return row is not None and row["replies"] > 0

    def _digest(self, text: str) -> bytes:
        return bytes.fromhex(keyed_hash(derived_key(self.core.settings, "forum-text"), same_words(text)))


@dataclass(frozen=True, slots=True)
class Writer:
    """Whoever writes, as a member: with the events of becoming one when this is the first time."""

    id: UUID
    asked: Asked
    standing: Standing
    handle: str | None = None
    handle_hash: bytes = b""
    events: Sequence[DomainEvent] = ()
    version: int | None = None
    """Of the member; none for one who is new."""

    def joins(self, cursor: Cursor[dict[str, Any]]) -> None:
        """Takes the handle, in the transaction of the event. Raises `Conflict` for one that another was faster with,
        and for a member who was suspended meanwhile."""
        if self.version is not None:
            require_version(cursor, forum_member_id(self.id), self.version)
        if self.handle is not None:
            cursor.execute(
                "INSERT INTO ops.forum_member (account_id, handle, handle_hash, joined_at) VALUES (%s, %s, %s, %s)",
                (self.id, self.handle, self.handle_hash, self.asked.at),
            )


def writer_of(core: Core, person: Principal, asked: Asked) -> Writer:
    """The person as a member who may write. Raises `Refused` for one who is suspended."""
    with core.pool.connection() as connection, connection.cursor(row_factory=dict_row) as cursor:
        sql = "SELECT joined_at, shown FROM ops.forum_member WHERE account_id = %s"
        row = cursor.execute(sql, (person.account_id,)).fetchone()
    if row is not None:
        member = core.store.load(forum_member_id(person.account_id), members.evolve)
        members.require_unsuspended(member, asked)
        version = member.version if member is not None else None
        return Writer(person.account_id, asked, Standing(row["joined_at"], row["shown"]), version=version)
    with core.pool.connection() as connection, connection.cursor(row_factory=dict_row) as cursor:
        key = derived_key(core.settings, "forum-handle")
        tried = list(islice(members.handles(person.name, of_staff=asked.is_admin), _HANDLES_TRIED))
        hashes = [bytes.fromhex(keyed_hash(key, handle)) for handle in tried]
        taken = _taken(cursor, hashes)
    handle, hashed = next(
        ((one, hash_) for one, hash_ in zip(tried, hashes, strict=True) if hash_ not in taken), (None, b"")
    )
    if handle is None:
        handle = f"member-{uuid7().hex[-12:]}"
        hashed = bytes.fromhex(keyed_hash(key, handle))
    joined = members.join(person.account_id, handle, asked)
    return Writer(person.account_id, asked, Standing(asked.at, 0), handle, hashed, (joined,))


def require_version(cursor: Cursor[dict[str, Any]], aggregate_id: UUID, version: int) -> None:
    """In a write's transaction, which holds the lock of all writes: raises `Conflict` when something happened to the
    aggregate since the decision looked at it, so that it is taken anew."""
    sql = "SELECT max(originator_version) AS version FROM events.stored_events WHERE originator_id = %s"
    found = cursor.execute(sql, (aggregate_id,)).fetchone()
    if found is None or found["version"] != version:
        raise Conflict("version")


def _taken(cursor: Cursor[dict[str, Any]], hashes: Iterable[bytes]) -> set[bytes]:
    sql = "SELECT handle_hash FROM ops.forum_member WHERE handle_hash = ANY(%s)"
    return {bytes(row["handle_hash"]) for row in cursor.execute(sql, (list(hashes),))}
