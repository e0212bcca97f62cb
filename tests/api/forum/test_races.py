"""Many at once in the forum: likes, follows and views count once, limits are exact, nothing is lost by a kill."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any, Self
from uuid import UUID, uuid4

import pytest

from command_api.forum import rules, views
from command_api.forum.commands import CountViews, ReplyToThread, StartThread
from command_api.forum.handlers import HANDLERS
from command_api.forum.schemas import NewThread, Reply
from command_api.kernel.container import Container
from command_api.kernel.decision import CommandContext, CommandRejected, system_context
from command_api.kernel.event_store import ConcurrencyConflict
from command_api.kernel.unit_of_work import Appended, UnitOfWork
from infra.kernel.http.problems import Problem
from schemas.base import DomainEvent
from schemas.identity import forum_member_id
from schemas.message_ids import MessageIds
from tests.api.kernel.test_command_races import at_once
from tests.support.forum import STARTED, Forum, forum
from tests.support.query import Person

__all__ = ["forum"]
THREADS, ROUNDS = 16, 2
NO_GAPS = replace(rules.RATE_LIMITS, topic_gap=timedelta(0), new_topic_gap=timedelta(0), reply_gap=timedelta(0))


@pytest.fixture
def no_gaps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Members may write at once again; the other limits hold."""
    monkeypatch.setattr(rules, "RATE_LIMITS", NO_GAPS)


def start_many(forum: Forum, person: Person, name: str, text: Callable[[int], str]) -> Counter[str]:
    """What comes of it when one member starts threads at the same moment."""

    def start(number: int) -> str:
        fields = NewThread.model_validate({"categoryId": STARTED, "title": "A race", "text": text(number)})
        try:
            forum.api.core.commands.dispatch(StartThread(uuid4(), uuid4(), name, fields), by(person))
        except (Problem, CommandRejected) as refused:
            return str(refused.code)
        return "started"

    return Counter(at_once(start, THREADS))


def by(person: Person) -> CommandContext:
    return CommandContext(datetime.now(UTC), person.account_id)


@pytest.mark.usefixtures("no_gaps")
@pytest.mark.parametrize("_round", range(ROUNDS))
def test_a_new_member_starts_three_threads_on_the_first_day_and_no_more(forum: Forum, _round: int) -> None:
    """Discourse's max_topics_in_first_day, exact."""
    person = forum.member("Racer", new=True)
    outcomes = start_many(forum, person, "Racer", lambda number: f"Thread number {number} of a race")
    assert outcomes == {"started": 3, "daily_limit": THREADS - 3}
    assert forum.events("forum.member_joined", forum_member_id(person.account_id)) == 1


@pytest.mark.usefixtures("no_gaps")
def test_the_same_text_at_the_same_moment_is_one_thread(forum: Forum) -> None:
    person = forum.member("Double Click")
    forum.rest(person)
    outcomes = start_many(forum, person, "Double Click", lambda _: "The very same words, sent twice")
    assert outcomes == {"started": 1, "duplicate": THREADS - 1}


def test_a_member_likes_once_and_follows_once_however_often_they_click(forum: Forum) -> None:
    made, fan = forum.start(forum.member("Liked")), forum.member("Fan")
    path = f"forum/posts/{made['postId']}/like"
    statuses = Counter(at_once(lambda _: forum.call("PUT", path, fan).status_code, THREADS))
    assert set(statuses) <= {204, 409, 503} and statuses[204] >= 1
    follow = f"forum/threads/{made['id']}/follow"
    at_once(lambda _: forum.call("PUT", follow, fan), THREADS)
    [post] = forum.read(f"forum/threads/{made['id']}/posts", fan)
    assert (post["likes"], post["liked"]) == (1, True)
    assert forum.read(f"forum/threads/{made['id']}", fan)["followed"]
    forum.done("DELETE", path, fan)
    assert forum.read(f"forum/threads/{made['id']}/posts", fan)[0]["likes"] == 0


def test_three_reports_at_once_hide_a_post_once(forum: Forum) -> None:
    made = forum.start(forum.member("Reported"))
    reporters = [forum.member(f"R {number}") for number in range(6)]

    def report(number: int) -> int:
        path = f"forum/posts/{made['postId']}/flag"
        while (answer := forum.call("POST", path, reporters[number], json={"reason": "spam"})).status_code == 409:
            if answer.json()["code"] != "busy":
                break
        return answer.status_code

    statuses = at_once(report, len(reporters))
    assert Counter(statuses) == {204: 3, 404: len(reporters) - 3}  # what is hidden is not there for the others
    assert forum.events("forum.post_hidden", made["postId"]) == 1


class Overtaken(UnitOfWork):
    """`overtake` runs between the decision and its append."""

    def __init__(self, core: Container, context: CommandContext, overtake: Callable[[], Any]) -> None:
        super().__init__(core.store, core.pool, core.settings, context)
        self._overtake = overtake

    def append(self, *events: DomainEvent, ids: Sequence[MessageIds] = ()) -> Appended:
        self._overtake()
        return super().append(*events, ids=ids)


@pytest.mark.usefixtures("no_gaps")
def test_nobody_writes_into_a_thread_that_was_locked_or_after_a_suspension_a_moment_before(forum: Forum) -> None:
    """A decision from before the lock is repeated when it is stored after the lock."""
    made, person = forum.start(forum.member("Locker")), forum.member("Late")
    core = forum.api.core
    forum.rest(person)

    def reply(number: int, overtake: Callable[[], Any] = lambda: None) -> None:
        fields = Reply(text=f"Reply number {number}")
        with Overtaken(core, by(person), overtake) as uow:
            HANDLERS.handle(ReplyToThread(UUID(made["id"]), uuid4(), "Late", fields), uow)

    def lock() -> None:
        forum.done("POST", f"admin/forum/threads/{made['id']}/lock", forum.moderator, json={})

    def suspend() -> None:
        path = f"admin/forum/members/{person.account_id}/suspend"
        forum.done("POST", path, forum.moderator, json={"reason": "Rude"})

    with pytest.raises(ConcurrencyConflict):
        reply(1, lock)
    with pytest.raises(CommandRejected) as refused:
        reply(2)
    assert refused.value.code == "thread_locked"
    forum.done("POST", f"admin/forum/threads/{made['id']}/unlock", forum.moderator, json={})
    with pytest.raises(ConcurrencyConflict):
        reply(3, suspend)
    assert forum.read(f"forum/threads/{made['id']}")["replies"] == 0


def test_a_visitor_counts_once_a_day_and_every_view_becomes_an_event_once(forum: Forum) -> None:
    made = forum.start(forum.member("Viewed"))
    thread, pool = UUID(made["id"]), forum.api.core.pool
    now = datetime.now(UTC)
    counted = at_once(lambda number: views.count_view(pool, thread, f"visitor {number % 4}", now), THREADS)
    assert sum(counted) == 4
    assert not views.count_view(pool, thread, "visitor 1", now) and views.count_view(
        pool, thread, "visitor 1", now + timedelta(1)
    )
    at_once(lambda _: views.flush(forum.api.core), 4)
    views.flush(forum.api.core)
    assert forum.read(f"forum/threads/{thread}")["views"] == 5
    kept = forum.postgres.execute("SELECT visitor FROM forum.visit WHERE thread_id = %s", (thread,)).fetchall()
    assert len(kept) == 5 and not any(b"visitor" in bytes(row[0]) for row in kept)
    assert not views.count_view(pool, UUID(int=7), "visitor 1", now)


def test_views_are_neither_lost_nor_counted_twice_when_the_flush_fails(forum: Forum) -> None:
    made, core = forum.start(forum.member("Crashed")), forum.api.core
    thread = UUID(made["id"])
    for number in range(3):
        views.count_view(core.pool, thread, f"visitor {number}")

    def flush_and_fail() -> None:
        with UnitOfWork(core.store, core.pool, core.settings, system_context()) as uow:
            assert HANDLERS.handle(CountViews(views.BATCH_SIZE), uow) >= 1
            raise RuntimeError("killed")

    with pytest.raises(RuntimeError):
        flush_and_fail()
    views.flush(core)
    assert forum.read(f"forum/threads/{thread}")["views"] == 3


class Noon(datetime):
    """One day, however late it is."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Self:
        return cls(2026, 5, 17, 12, tzinfo=tz)


def test_a_view_is_counted_for_visitors_and_members_over_http(forum: Forum, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "datetime", Noon)
    made, eve = forum.start(forum.member("Seen")), forum.member("Looker")
    path = f"public/forum/threads/{made['id']}/view"
    for _ in range(2):
        forum.done("POST", path, json={})
        forum.done("POST", path, eve, json={})
    views.flush(forum.api.core)
    assert forum.read(f"forum/threads/{made['id']}")["views"] == 2
