"""The forum's decisions: given this history, when that command, then these events."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any
from uuid import UUID, uuid4

import pytest
from pydantic import TypeAdapter, ValidationError

from command_api.forum import categories, members, posts, reactions, text, threads
from command_api.forum.rate_limits import MemberStats
from command_api.forum.rules import (
    FLAGS_TO_HIDE,
    MAX_LINKS_NEW_MEMBER,
    POST_LENGTH,
    RATE_LIMITS,
    REFLAG_AFTER,
    TITLE_LENGTH,
    UNIQUE_FOR,
)
from command_api.kernel.decision import CommandContext
from schemas.base import ERASED, DomainEvent
from schemas.events import forum
from schemas.evolution import UnexpectedEvent
from tests.support.events import names
from tests.support.given_when_then import given, rejected

NOW = datetime(2026, 11, 21, 9, tzinfo=UTC)
ADA, EVE, MOD = uuid4(), uuid4(), uuid4()
THREAD, POST, CATEGORY = uuid4(), uuid4(), uuid4()


def by(account: UUID, after: timedelta = timedelta()) -> CommandContext:
    return CommandContext(NOW + after, account, is_admin=account == MOD)


def post(
    *events: DomainEvent, held: bool = False, is_first: bool = False, mentions: tuple[UUID, ...] = ()
) -> posts.PostAggregate:
    written = posts.write(
        POST, author_id=ADA, thread_id=THREAD, text="A first text", is_first=is_first, answered=None, mentions=mentions,
        held=held, context=by(ADA),
    )  # fmt: skip
    return after(posts.evolve(None, written), *events)


def after(state: posts.PostAggregate, *events: DomainEvent) -> posts.PostAggregate:
    for event in events:
        state = posts.evolve(state, event)
    return state


def thread(*events: DomainEvent, held: bool = False) -> threads.ThreadAggregate:
    started = threads.start(
        THREAD, author_id=ADA, category=threads.ForumCategory(CATEGORY), first_post_id=POST, title="Title", held=held,
        context=by(ADA),
    )  # fmt: skip
    state = threads.evolve(None, started)
    for event in events:
        state = threads.evolve(state, event)
    return state


def test_limits_are_those_of_the_reference() -> None:
    """Discourse's site_settings.yml and NodeBB's defaults.json."""
    assert (TITLE_LENGTH, POST_LENGTH, MAX_LINKS_NEW_MEMBER, FLAGS_TO_HIDE) == ((3, 255), (8, 32_767), 2, 3)
    assert (RATE_LIMITS.first_day_topics, RATE_LIMITS.first_day_replies, RATE_LIMITS.topics_a_day) == (3, 10, 20)
    assert (RATE_LIMITS.likes_a_day, RATE_LIMITS.flags_a_day) == (50, 20)
    seconds = (RATE_LIMITS.topic_gap, RATE_LIMITS.reply_gap, RATE_LIMITS.new_topic_gap, RATE_LIMITS.new_reply_gap)
    assert [gap.total_seconds() for gap in seconds] == [15, 5, 120, 30]
    assert (timedelta(hours=24), timedelta(minutes=5)) == (REFLAG_AFTER, UNIQUE_FOR)


def test_the_categories_are_those_of_the_specification() -> None:
    """Spec §3."""
    assert [category.slug for category in categories.CATEGORIES] == [
        "getting-started", "case-studies", "tools-resources", "marketplace-talk", "niche-strategies",
        "cybsectools-updates",
    ]  # fmt: skip


def test_an_edit_keeps_the_text_before_and_says_who_is_newly_mentioned() -> None:
    before = post(mentions=(EVE,))
    [edited] = posts.edit(before, "Another text", [EVE, MOD], hold=False, context=by(ADA))
    assert isinstance(edited, forum.PostEdited)
    assert (edited.before, edited.text, edited.newly_mentioned, edited.held) == (
        "A first text", "Another text", (MOD,), False,
    )  # fmt: skip
    given(before).when(posts.edit, "A first text", [], hold=False, context=by(ADA)).then()
    given(before).when(posts.edit, "x" * 10, [], hold=False, context=by(EVE)).then(rejected("not_allowed"))
    given(before).when(posts.edit, "By a moderator", [], hold=False, context=by(MOD)).then("forum.post_edited")


def test_an_edit_that_must_be_approved_takes_the_post_away_and_tells_nobody_yet() -> None:
    [edited] = posts.edit(post(), "See https://a.example", [EVE], hold=True, context=by(ADA))
    assert isinstance(edited, forum.PostEdited)
    assert (edited.held, edited.newly_mentioned) == (True, ())
    held = post(edited)
    assert (held.state, held.unnotified, held.was_shown) == ("held", (EVE,), True)
    [approved] = posts.approve(held, by(MOD))
    assert isinstance(approved, forum.PostApproved)
    assert (approved.mentions, approved.was_shown, approved.was) == ((EVE,), True, "held")


def test_the_third_report_hides_a_post_and_a_moderator_brings_it_back() -> None:
    state = post()
    for number in range(1, FLAGS_TO_HIDE + 1):
        events = posts.flag(state, "spam", "", by(uuid4()))
        assert names(events) == ["forum.post_flagged", "forum.post_hidden"][: 1 + (number == FLAGS_TO_HIDE)]
        state = after(state, *events)
    assert state.state == "hidden"
    assert state.is_visible_to(by(ADA)) and state.is_visible_to(by(MOD)) and not state.is_visible_to(by(EVE))
    given(state).when(posts.flag, "spam", "", by(ADA)).then(rejected("own_post"))
    given(state).when(posts.dismiss_flags, by(MOD)).then("forum.post_approved")
    shown = after(state, *posts.dismiss_flags(state, by(MOD)))
    assert (shown.state, shown.flags) == ("visible", {})
    given(shown).when(posts.flag, "spam", "", by(EVE, timedelta(hours=23))).then(rejected("reviewed"))
    assert posts.flag(shown, "spam", "", by(EVE, timedelta(hours=24)))


def test_nobody_reports_a_post_twice_or_their_own() -> None:
    state = after(post(), *posts.flag(post(), "abusive", "", by(EVE)))
    given(state).when(posts.flag, "spam", "", by(EVE)).then(rejected("already_reported"))
    given(state).when(posts.flag, "spam", "", by(ADA)).then(rejected("own_post"))
    [dismissed] = posts.dismiss_flags(state, by(MOD))
    given(after(state, dismissed)).when(posts.flag, "spam", "", by(EVE)).then(rejected("reviewed"))


def test_what_is_deleted_is_there_for_moderators_alone_who_can_bring_it_back() -> None:
    [deleted] = posts.delete(post(), "", as_moderator=False, context=by(ADA))
    gone = post(deleted)
    given(gone).when(posts.edit, "Some text", [], hold=False, context=by(ADA)).then(rejected("not_found"))
    given(gone).when(posts.restore, by(ADA)).then(rejected("not_allowed"))
    assert after(gone, *posts.restore(gone, by(MOD))).state == "visible"
    given(post()).when(posts.delete, "x", as_moderator=False, context=by(EVE)).then(rejected("not_allowed"))
    given(post()).when(posts.delete, "x", as_moderator=True, context=by(ADA)).then(rejected("not_allowed"))


def test_a_post_of_an_erased_member_can_be_taken_away_and_not_edited() -> None:
    erased = posts.PostAggregate(POST, 1, ADA, THREAD, ERASED, is_first=False, state="visible")
    [deleted] = posts.delete(erased, "spam", as_moderator=True, context=by(MOD))
    assert isinstance(deleted, forum.PostDeleted) and deleted.reason is None  # there is no key to keep it with
    given(erased).when(posts.edit, "Some text", [], hold=False, context=by(MOD)).then(rejected("not_found"))


def test_only_posts_of_the_same_thread_are_answered() -> None:
    elsewhere = posts.PostAggregate(uuid4(), 1, EVE, uuid4(), "x", is_first=True, state="visible")
    given().when(
        posts.write,
        POST,
        author_id=ADA,
        thread_id=THREAD,
        text="Some text",
        is_first=False,
        answered=elsewhere,
        mentions=[],
        held=False,
        context=by(ADA),
    ).then(rejected("not_found"))


def test_moderators_pin_lock_and_move_and_nobody_else() -> None:
    state = thread()
    for act, undo in ((threads.pin, threads.unpin), (threads.lock, threads.unlock)):
        events = act(state, "why", by(MOD))
        assert len(events) == 1 and act(thread(*events), "", by(MOD)) == []
        assert len(undo(thread(*events), "", by(MOD))) == 1 and undo(state, "", by(MOD)) == []
        given(state).when(act, "", by(ADA)).then(rejected("not_allowed"))
    [moved] = threads.move(state, threads.ForumCategory(uuid4()), "", by(MOD))
    assert thread(moved).category_id != CATEGORY
    given(state).when(threads.move, None, "", by(MOD)).then(rejected("category_unknown"))


def test_a_locked_or_hidden_thread_takes_no_replies_but_moderators() -> None:
    locked = thread(*threads.lock(thread(), "", by(MOD)))
    given(locked).when(threads.require_open, by(EVE)).then(rejected("thread_locked"))
    assert threads.require_open(locked, by(MOD)) == locked
    held = thread(held=True)
    given(held).when(threads.require_open, by(EVE)).then(rejected("not_found"))
    given().when(threads.require_open, None, by(EVE)).then(rejected("not_found"))


def test_a_like_counts_once_and_ones_own_not_at_all() -> None:
    liked = reactions.like(None, post(), EVE, by(EVE))
    mark = reactions.evolve_like(None, liked[0])
    assert names(liked) == ["forum.post_liked"] and reactions.like(mark, post(), EVE, by(EVE)) == []
    taken = reactions.unlike(mark, post(), EVE, by(EVE))
    assert names(taken) == ["forum.post_unliked"] and taken[0].originator_version == 2
    given(reactions.evolve_like(mark, taken[0])).when(reactions.unlike, post(), EVE, by(EVE)).then()
    given().when(reactions.like, None, post(), ADA, by(ADA)).then(rejected("own_post"))


def test_a_follow_is_one_until_it_ends() -> None:
    [followed] = reactions.follow(None, THREAD, EVE, by(EVE))
    mark = reactions.evolve_follow(None, followed)
    given(mark).when(reactions.follow, THREAD, EVE, by(EVE)).then()
    given(mark).when(reactions.unfollow, THREAD, EVE, by(EVE)).then("forum.thread_unfollowed")
    assert reactions.unfollow(None, THREAD, EVE, by(EVE)) == []


def test_a_suspended_member_writes_again_when_it_ends() -> None:
    member = members.evolve(None, members.join(EVE, "eve", by(EVE)))
    [suspended] = members.suspend(member, NOW + timedelta(days=2), "Spam", by(MOD))
    member = members.evolve(member, suspended)
    given(member).when(members.require_unsuspended, by(EVE)).then(rejected("suspended"))
    members.require_unsuspended(member, by(EVE, timedelta(days=2)))
    given(member).when(members.reinstate, by(MOD)).then("forum.member_reinstated")
    given(member).when(members.reinstate, by(MOD, timedelta(days=3))).then()
    given(member).when(members.suspend, NOW, "Spam", by(MOD)).then(rejected("until_past"))
    given().when(members.suspend, None, None, "Spam", by(MOD)).then(rejected("not_found"))
    forever = members.evolve(member, members.suspend(member, None, "Spam", by(MOD))[0])
    given(forever).when(members.require_unsuspended, by(EVE, timedelta(days=9_999))).then(rejected("suspended"))


@pytest.mark.parametrize(
    ("name", "best"),
    [
        ("Ada Byron", "ada-byron"),
        ("Þórður Ægisson", "thordur-aegisson"),
        ("José  María-Luz", "jose-maria-luz"),
        ("李明", "member"),
        ("x" * 60, "x" * 24),
        ("@@ <script>", "script"),
        ("Straße", "strasse"),
        ("Support Team", "member"),
        ("Administrator", "member"),
        ("Everyone", "member"),
        ("Modesty", "modesty"),
    ],
)
def test_handles_fit_names(name: str, best: str) -> None:
    found = list(islice(members.handles(name), 3))
    assert found == [best, f"{best}-2", f"{best}-3"]
    assert all(members.HANDLE.fullmatch(one) for one in found)
    assert next(members.handles("Administrator", of_staff=True)) == "administrator"


def test_mentions_are_found_where_people_mean_them() -> None:
    source = (
        "Hi @Ada-Byron, @eve. and (@mod-2)! mail@ada.example, https://x.example/@not `@not` \n\n```\n@not\n```\n\n"
        "> @quoted\n\n@ada-byron again"
    )
    assert text.mentioned_handles(source) == ["ada-byron", "eve", "mod-2", "quoted"]


@pytest.mark.parametrize(
    ("kind", "given", "message"),
    [
        (text.Title, "ab", "at least 3 characters"),
        (text.Title, "x" * 256, "at most 255 characters"),
        (text.Title, "a\u202eb c", "control characters"),
        (text.Text, "x" * 7, "at least 8 characters"),
        (text.Text, " " * 20, "at least 8 characters"),
        (text.Text, "x" * 32_768, "at most 32,767 characters"),
        (text.Text, "some\x07thing", "control characters"),
        (text.Title, "\u200b" * 9, "at least 3 characters"),
        (text.Title, "a\u3164\u2800b", "at least 3 characters"),
        (text.Text, "ab\u200d\u00ad" * 3, "at least 8 characters"),
        (text.Text, "a\u0301" * 7, "at least 8 characters"),
        (text.Text, "so\x9bme text", "control characters"),
        (text.Text, "[" * 2_000, "fewer brackets"),
        (text.Text, "|" + "a|" * 60 + "\n|" + "-|" * 60 + "\n" + "a\n" * 900, "a smaller table"),
        (text.GivenReason, "  ", "Please give a reason"),
        (text.Reason, "Rude\u202e", "control characters"),
    ],
)
def test_what_is_wrong_with_a_text_is_named(kind: Any, given: str, message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        TypeAdapter(kind).validate_python(given)


def test_texts_are_kept_as_they_were_written() -> None:
    assert TypeAdapter(text.Text).validate_python("\n    code first\r\nthen text  \n") == "    code first\nthen text"
    assert TypeAdapter(text.Title).validate_python("  One\n line ") == "One line"
    assert text.normalized("The  SAME\nwords") == text.normalized("the same words")


def test_new_members_are_new_for_a_day_and_three_posts() -> None:
    day = timedelta(days=1)
    assert MemberStats(NOW, 9).is_new(NOW + day - timedelta(seconds=1), RATE_LIMITS)
    assert not MemberStats(NOW, 3).is_new(NOW + day, RATE_LIMITS)
    assert MemberStats(NOW, 2).is_new(NOW + 9 * day, RATE_LIMITS)


def test_each_history_knows_its_own_kind() -> None:
    liked = reactions.like(None, post(), EVE, by(EVE))[0]
    joined = members.join(EVE, "eve", by(EVE))
    evolves: tuple[Any, ...] = (threads.evolve, posts.evolve, threads.evolve_category, reactions.evolve_follow)
    for evolve in (*evolves, members.evolve):
        with pytest.raises(UnexpectedEvent):
            evolve(None, liked)
    with pytest.raises(UnexpectedEvent):
        reactions.evolve_like(None, joined)
