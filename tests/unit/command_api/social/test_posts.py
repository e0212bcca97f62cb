"""Given a channel, when posts are added, changed or removed and figures recorded, then these events."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest

from command_api.kernel.decision import CommandContext
from command_api.social import figures, model, posts
from command_api.websites.model import Website
from schemas.base import ERASED
from schemas.events.social import MAX_DAYS, ChannelDay, FigureSource, PostFigures, SocialPostAdded
from schemas.social_networks import Network
from tests.support.given_when_then import given, rejected

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
DAY = NOW.date()
OWNER = uuid4()
CONTEXT, STRANGER = CommandContext(NOW, OWNER), CommandContext(NOW, uuid4())
SITE = Website(uuid4(), 1, OWNER, "shop.example", "UTC", "USD", NOW)
CHANNEL = model.SocialChannelAggregate(uuid4(), 1, OWNER, SITE.id, Network.INSTAGRAM, "fjord", "@fjord", NOW)
ADDRESS = "https://www.instagram.com/p/DAbCdEf/"


def added(before: posts.SocialPostAggregate | None = None, **changes: Any) -> SocialPostAdded:
    given: dict[str, Any] = {"title": " New   knives ", "published_at": NOW, "context": CONTEXT, **changes}
    id_ = before.id if before is not None else uuid4()
    return posts.add(id_, before, CHANNEL, SITE, address=ADDRESS, **given)


def post() -> posts.SocialPostAggregate:
    return posts.evolve(None, added())


def test_a_post_has_a_title_and_a_time() -> None:
    event = added()
    assert (event.account_id, event.channel_id, event.title) == (OWNER, CHANNEL.id, "New knives")
    assert added(title="").title == "Post on Instagram"


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"title": "x" * 201}, "bad_title"),
        ({"title": "a\u202eb"}, "bad_title"),
        ({"published_at": NOW + timedelta(days=400)}, "bad_time"),
        ({"published_at": datetime(2003, 1, 1, tzinfo=UTC)}, "bad_time"),
        ({"published_at": datetime(2026, 1, 1)}, "bad_time"),  # noqa: DTZ001 - no zone is the case
        ({"context": STRANGER}, "not_found"),
    ],
)
def test_posts_are_checked(changes: dict[str, Any], code: str) -> None:
    given().when(added, **changes).then(rejected(code))


def test_a_post_is_there_once_and_may_be_added_again_after_its_removal() -> None:
    there = post()
    given(there).when(added).then(rejected("post_exists"))
    gone = posts.evolve(there, posts.remove(there, SITE, CONTEXT))
    given(gone).when(posts.remove, SITE, CONTEXT).then(rejected())
    again = added(gone)
    assert again.originator_version == 3
    assert not posts.evolve(gone, again).removed


def test_what_is_named_changes() -> None:
    there = post()
    [changed] = posts.change(there, SITE, title="Forks", published_at=None, context=CONTEXT)
    assert (changed.title, changed.published_at) == ("Forks", NOW)
    given(there).when(posts.change, SITE, title="New knives", published_at=NOW, context=CONTEXT).then()
    [pictured] = posts.set_picture(there, SITE, "a" * 64, CONTEXT)
    there = posts.evolve(there, pictured)
    assert there.picture == "a" * 64
    given(there).when(posts.set_picture, SITE, "a" * 64, CONTEXT).then()
    for decide in (posts.remove, lambda *given: posts.set_picture(given[0], given[1], None, given[2])):
        given().when(decide, there, SITE, STRANGER).then(rejected())


def test_a_post_that_moves_with_its_website_keeps_what_it_is_called() -> None:
    there, buyer = post(), uuid4()
    moved = posts.transfer(there, buyer, CONTEXT)
    assert (moved.account_id, moved.address, moved.title) == (buyer, ADDRESS, "New knives")
    assert posts.evolve(replace(there, address=ERASED, title=ERASED), moved) == replace(there, version=2)


def test_totals_of_a_source_replace_its_own_earlier_ones_only() -> None:
    there = post()
    [first] = posts.record_figures(there, FigureSource.CSV, DAY, PostFigures(views=100, clicks=3), CONTEXT)
    there = posts.evolve(there, first)
    given(there).when(posts.record_figures, FigureSource.CSV, DAY, PostFigures(views=100), CONTEXT).then()
    older = DAY - timedelta(days=1)
    given(there).when(posts.record_figures, FigureSource.CSV, older, PostFigures(views=90), CONTEXT).then()
    given(there).when(posts.record_figures, FigureSource.CSV, DAY, PostFigures(), CONTEXT).then()
    [second] = posts.record_figures(there, FigureSource.CSV, DAY, PostFigures(views=120), CONTEXT)
    there = posts.evolve(there, second)
    assert there.reported[FigureSource.CSV].figures == PostFigures(views=120, clicks=3)
    assert posts.record_figures(there, FigureSource.INSTAGRAM, older, PostFigures(views=120), CONTEXT)


def test_days_of_a_source_are_recorded_once() -> None:
    days = [ChannelDay(day=DAY - timedelta(days=number), views=number) for number in range(MAX_DAYS + 1)]
    events = figures.record(None, CHANNEL, FigureSource.CSV, days, CONTEXT)
    assert [(event.originator_version, len(event.days)) for event in events] == [(1, MAX_DAYS), (2, 1)]
    known: figures.ChannelFigures | None = None
    for event in events:
        known = figures.evolve(known, event)
    given(known).when(figures.record, CHANNEL, FigureSource.CSV, days, CONTEXT).then()
    [more] = figures.record(known, CHANNEL, FigureSource.CSV, [ChannelDay(day=DAY, followers=9)], CONTEXT)
    assert figures.evolve(known, more).days[DAY] == ChannelDay(day=DAY, followers=9, views=0)
    assert figures.record(None, CHANNEL, FigureSource.CSV, [ChannelDay(day=date(2026, 1, 1))], CONTEXT) == []


def test_a_title_is_cut_out_of_a_text() -> None:
    assert posts.short_title(" a\n b ") == "a b"
    assert len(posts.short_title("x" * 500)) == 200
