"""Many at once in the forum: likes, follows and views count once, limits are exact, nothing is lost by a kill."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any, Self
from uuid import UUID

import pytest

from command_api.commands import Decided
from command_api.decision import Asked, Refused
from command_api.forum import views
from command_api.forum.desk import ForumDesk, writer_of
from command_api.forum.rules import PACE
from command_api.http import Nothing
from command_api.store import Conflict
from infra.problems import Problem
from schemas.identity import forum_member_id
from tests.api.test_command_races import at_once
from tests.support.forum import STARTED, Forum, forum
from tests.support.query import Person

__all__ = ["forum"]
THREADS, ROUNDS = 16, 2
AT_ONCE = replace(PACE, topic_gap=timedelta(0), new_topic_gap=timedelta(0), reply_gap=timedelta(0))


def start_many(forum: Forum, person: Person, name: str, text: Callable[[int], str]) -> Counter[str]:
    """What comes of it when one member starts threads at the same moment."""
    desk = ForumDesk(forum.api.core, AT_ONCE)
    who = replace(person.principal("member"), name=name)

    def start(number: int) -> str:
        def decide() -> Decided[Nothing]:
            writer = writer_of(forum.api.core, who, Asked(datetime.now(UTC), who.account_id))
            (events, also), _ = desk.start_thread(writer, STARTED, "A race", text(number))
            return Decided(events, Nothing(), also)

        while True:
            try:
                forum.api.core.commands.run(decide, status=201)
            except (Problem, Refused) as refused:
                if refused.code == "busy":
                    continue
                return str(refused.code)
            return "started"

    return Counter(at_once(start, THREADS))


@pytest.mark.parametrize("round_", range(ROUNDS))
def test_a_new_member_starts_three_threads_on_the_first_day_and_no_more(forum: Forum, round_: int) -> None:
    """Discourse's max_topics_in_first_day, exact."""
    person = forum.member("Racer", new=True)
    outcomes = start_many(forum, person, "Racer", lambda number: f"Thread number {number} of a race")
    assert outcomes == {"started": 3, "daily_limit": THREADS - 3}
    assert forum.events("forum.member_joined", forum_member_id(person.account_id)) == 1


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


def test_nobody_writes_into_a_thread_that_was_locked_or_after_a_suspension_a_moment_before(forum: Forum) -> None:
    """What was decided before the lock is decided anew when it is to be stored after it."""
    made, person = forum.start(forum.member("Locker")), forum.member("Late")
    core, who = forum.api.core, person.principal("member")
    forum.rest(person)

    def decided(number: int) -> Any:
        writer = writer_of(core, who, Asked(datetime.now(UTC), who.account_id))
        (events, also), *_ = ForumDesk(core, AT_ONCE).reply(writer, UUID(made["id"]), f"Reply number {number}", None)
        return events, also

    before_lock = decided(1)
    forum.done("POST", f"admin/forum/threads/{made['id']}/lock", forum.moderator, json={})
    with pytest.raises(Conflict):
        core.store.write(*before_lock)
    with pytest.raises(Refused) as refused:
        decided(2)
    assert refused.value.code == "thread_locked"
    forum.done("POST", f"admin/forum/threads/{made['id']}/unlock", forum.moderator, json={})
    before_suspension = decided(3)
    path = f"admin/forum/members/{person.account_id}/suspend"
    forum.done("POST", path, forum.moderator, json={"reason": "Rude"})
    with pytest.raises(Conflict):
        core.store.write(*before_suspension)
    assert forum.read(f"forum/threads/{made['id']}")["replies"] == 0


def test_a_visitor_counts_once_a_day_and_every_view_becomes_an_event_once(forum: Forum) -> None:
    made = forum.start(forum.member("Viewed"))
    thread, pool = UUID(made["id"]), forum.api.core.pool
    now = datetime.now(UTC)
    counted = at_once(lambda number: views.note(pool, thread, f"visitor {number % 4}", now), THREADS)
    assert sum(counted) == 4
    assert not views.note(pool, thread, "visitor 1", now) and views.note(pool, thread, "visitor 1", now + timedelta(1))
    counting = views.Counting(forum.api.core)
    at_once(lambda _: counting.flush(), 4)
    counting.flush()
    assert forum.read(f"forum/threads/{thread}")["views"] == 5
    kept = forum.postgres.execute("SELECT visitor FROM ops.forum_visit WHERE thread_id = %s", (thread,)).fetchall()
    assert len(kept) == 5 and not any(b"visitor" in bytes(row[0]) for row in kept)
    assert not views.note(pool, UUID(int=7), "visitor 1", now)


def test_views_are_neither_lost_nor_counted_twice_when_the_flush_fails(
    forum: Forum, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = forum.start(forum.member("Crashed"))
    thread = UUID(made["id"])
    for number in range(3):
        views.note(forum.api.core.pool, thread, f"visitor {number}")
    write = forum.api.core.store.write

    def fail(events: Any, also: Any) -> Any:
        def then_fail(cursor: Any, position: Any) -> None:
            also(cursor, position)
            raise RuntimeError("killed")

        return write(events, then_fail)

    with monkeypatch.context() as patched:
        patched.setattr(forum.api.core.store, "write", fail)
        with pytest.raises(RuntimeError):
            views.Counting(forum.api.core).flush()
    views.Counting(forum.api.core).flush()
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
    views.Counting(forum.api.core).flush()
    assert forum.read(f"forum/threads/{made['id']}")["views"] == 2
