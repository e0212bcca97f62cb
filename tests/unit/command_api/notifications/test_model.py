"""Whom events tell what, in which words, and what members choose."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest

import command_api.notifications.forum  # noqa: F401 - registers its rules
from command_api.kernel.decision import CommandContext, OnBehalf
from command_api.notifications import admin_acts, model
from command_api.notifications.notification import RULES, OutgoingNotification
from schemas.base import DomainEvent
from schemas.events.domains import DomainRemoved
from schemas.events.forum import PostApproved, PostDeleted, PostEdited, PostWritten
from schemas.events.links import LinkDeleted, LinkUpdated
from schemas.events.notifications import AdminActed, NotificationMailStopped, NotificationPreferenceSet
from schemas.events.websites import WebsiteDisconnected
from schemas.evolution import UnexpectedEvent
from schemas.notifications import KINDS, Names, words
from tests.support.given_when_then import given, rejected

ADA, EVE, UNA, THREAD = (uuid4() for _ in range(4))
NOW = datetime(2026, 11, 21, tzinfo=UTC)


def told(event_class: type[DomainEvent], **values: Any) -> list[tuple[str, UUID | None]]:
    base = {"originator_id": uuid4(), "originator_version": 1, "timestamp": NOW, "author_id": ADA, "thread_id": THREAD}
    notices: list[OutgoingNotification] = list(RULES[event_class](event_class(**base, **values)))
    assert all(notice.kind in KINDS for notice in notices)
    return [(notice.kind, notice.to) for notice in notices]


@pytest.mark.parametrize(
    ("kind", "count", "line"),
    [
        ("mention", 1, "Eve mentioned you in “Title”"),
        ("quote", 1, "Eve replied to your post in “Title”"),
        ("reply", 1, "Eve replied in “Title”"),
        ("reply", 1_200, "1,200 new replies in “Title”"),
        ("like", 1, "Eve likes your post in “Title”"),
        ("like", 2, "Eve and another like your post in “Title”"),
        ("like", 9, "Eve and 8 others like your post in “Title”"),
        ("moderation", 1, "Its own words"),
        ("offer_message", 1, "Its own words"),
        ("offer_message", 1_200, "You have 1,200 messages about the offer for “Listing”"),
        ("deal", 2, "Its own words"),
    ],
)
def test_each_kind_has_its_words(kind: str, count: int, line: str) -> None:
    names = Names(actor="Eve", thread="Title", listing="Listing")
    assert words(kind, count, names, "Its own words") == line


def test_a_member_gets_one_notification_per_post_and_none_of_their_own() -> None:
    assert told(PostWritten, text="x", mentions=(EVE, ADA), reply_to_author=EVE) == [("mention", EVE), ("reply", None)]
    assert told(PostWritten, text="x", reply_to_author=ADA) == [("reply", None)]
    assert told(PostWritten, text="x", reply_to_author=EVE, is_first=True) == [("quote", EVE)]
    notices = list(
        RULES[PostWritten](
            PostWritten(
                originator_id=uuid4(),
                originator_version=1,
                timestamp=NOW,
                author_id=ADA,
                thread_id=THREAD,
                text="x",
                mentions=(EVE,),
                reply_to_author=UNA,
            )
        )
    )
    assert set(notices[-1].but) == {ADA, EVE, UNA}


def test_what_waits_tells_the_moderators_alone_until_it_is_approved() -> None:
    assert told(PostWritten, text="x", mentions=(EVE,), held=True) == [("review", None)]
    assert told(PostApproved, mentions=(EVE,)) == [("moderation", ADA), ("mention", EVE), ("reply", None)]
    assert told(PostApproved, mentions=(EVE,), was="hidden", was_shown=True) == [("moderation", ADA), ("mention", EVE)]


def test_an_edit_tells_those_who_are_new_in_it_and_a_moderators_act_its_author() -> None:
    assert told(PostEdited, text="x", before="y", mentions=(EVE, UNA), newly_mentioned=(UNA,)) == [("mention", UNA)]
    assert told(PostDeleted, by_moderator=True, reason="x") == [("moderation", ADA)]
    assert told(PostDeleted) == []


@pytest.mark.parametrize(
    ("event_class", "values", "line"),
    [
        (LinkUpdated, {"is_active": False}, "An admin paused your link /summer: It leads to malware"),
        (LinkUpdated, {"is_active": True}, "An admin resumed your link /summer: It leads to malware"),
        (LinkDeleted, {}, "An admin deleted your link /summer: It leads to malware"),
        (WebsiteDisconnected, {}, "An admin disconnected your website /summer: It leads to malware"),
        (DomainRemoved, {}, "An admin removed your domain /summer: It leads to malware"),
    ],
)
def test_an_owner_is_notified_what_an_admin_did_to_what_and_why(
    event_class: type[DomainEvent], values: dict[str, Any], line: str
) -> None:
    thing, act = uuid4(), uuid4()
    event = event_class(originator_id=thing, originator_version=2, timestamp=NOW, **values)
    on_behalf = OnBehalf(ADA, "It leads to malware", thing, "/summer")
    [acted] = admin_acts.of(event, on_behalf, act, CommandContext(NOW, EVE, is_admin=True, on_behalf=on_behalf))
    [notice] = RULES[AdminActed](acted)
    assert (notice.kind, notice.to, notice.about, notice.actor_id) == ("admin_act", ADA, str(act), None)
    assert words(notice.kind, 1, Names(), notice.title) == line
    assert admin_acts.of(event, on_behalf, act, CommandContext(NOW, ADA, is_admin=True, on_behalf=on_behalf)) == []


def test_members_choose_for_each_kind_and_can_stop_all_mail() -> None:
    context = CommandContext(NOW, ADA)
    [chosen] = model.choose(None, ADA, "reply", True, "daily", context)
    assert isinstance(chosen, NotificationPreferenceSet)
    choices = model.evolve(None, chosen)
    assert choices.of("reply") == (True, "daily") and choices.of("mention") == (True, KINDS["mention"].mail)
    given(choices).when(model.choose, ADA, "reply", True, "daily", context).then()
    [stopped] = model.stop_mail(choices, ADA, "one_click", context)
    assert isinstance(stopped, NotificationMailStopped)
    choices = model.evolve(choices, stopped)
    assert all(choices.of(kind)[1] == "off" for kind in KINDS)
    given(choices).when(model.stop_mail, ADA, "page", context).then()
    choices = model.evolve(choices, model.choose(choices, ADA, "like", False, "weekly", context)[0])
    assert choices.of("like") == (False, "weekly") and choices.of("reply") == (True, "off")
    assert model.stop_mail(choices, ADA, "page", context)
    given().when(model.choose, None, ADA, "weather", True, "off", context).then(rejected())
    with pytest.raises(UnexpectedEvent):
        model.evolve(
            None, PostDeleted(originator_id=ADA, originator_version=1, timestamp=NOW, author_id=ADA, thread_id=ADA)
        )
