"""Early access, subscriptions and inquiries as decisions: given this history, when that is asked, then these events."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from command_api.kernel.aggregates import state_after
from command_api.kernel.decision import system_context
from command_api.leads import early_access, inquiries, newsletter
from infra.domain import contacts
from infra.domain.contacts import mailbox, spelled
from infra.domain.unsubscribe import unsubscribe_token, verify_unsubscribe_token
from infra.kernel.config.settings import Settings
from schemas.base import DomainEvent
from schemas.events.leads import EarlyAccessJoined, EarlyAccessPlaceFreed, EarlyAccessPlaceTaken, SubscriptionConfirmed
from schemas.evolution import UnexpectedEvent
from tests.support.events import names
from tests.support.given_when_then import given, rejected

NOW = system_context(datetime(2026, 11, 20, tzinfo=UTC))
FULL = early_access.EarlyAccessState(10, {place: uuid4() for place in range(1, 11)})
SETTINGS = Settings(master_key="ab" * 32)


def joined() -> early_access.Signup:
    signup_id = uuid4()
    [event] = early_access.join(None, signup_id=signup_id, context=NOW)
    return early_access.evolve(None, event)


def confirm(
    places: early_access.EarlyAccessState, signup: early_access.Signup, waits: bool = False
) -> list[DomainEvent]:
    return early_access.confirm(places, signup, somebody_waits=waits, context=NOW)


def test_an_address_that_nobody_confirmed_has_nothing() -> None:
    signup = joined()
    assert (signup.place, signup.is_confirmed, signup.hours_left(NOW.at)) == (None, False, 24)
    given(early_access.EarlyAccessState()).when(early_access.promote, signup, NOW).then(
        rejected(says="not been confirmed")
    )


def test_the_lowest_free_place_is_given_to_who_confirms() -> None:
    signup = joined()
    places = replace(FULL, taken={place: who for place, who in FULL.taken.items() if place != 4})
    confirmed, taken, promoted = confirm(places, signup)
    assert isinstance(taken, EarlyAccessPlaceTaken) and (taken.place, taken.signup_id) == (4, signup.id)
    after = state_after(early_access.evolve, signup, [confirmed, promoted])
    assert (after.place, after.is_confirmed, after.version) == (4, True, 3)
    given(places).when(confirm, after).then()


@pytest.mark.parametrize(("places", "waits"), [(FULL, False), (early_access.EarlyAccessState(), True)])
def test_without_a_free_place_or_behind_others_one_waits(places: early_access.EarlyAccessState, waits: bool) -> None:
    given(places).when(confirm, joined(), waits).then("early_access.confirmed")


def test_a_late_confirmation_is_refused() -> None:
    late = replace(NOW, at=NOW.at + early_access.CONFIRM_WITHIN)
    given(early_access.EarlyAccessState()).when(
        early_access.confirm, joined(), somebody_waits=False, context=late
    ).then(rejected(says="sign up again"))


def test_a_place_that_was_held_before_is_kept_by_who_confirms() -> None:
    """From before places waited for the confirmation."""
    held = EarlyAccessJoined(
        originator_id=uuid4(), originator_version=1, timestamp=NOW.at, place=7, held_until=NOW.at + timedelta(hours=1)
    )
    signup = early_access.evolve(None, held)
    [confirmed] = confirm(FULL, signup)
    assert early_access.evolve(signup, confirmed).place == 7


def test_an_address_joins_once_and_may_come_back() -> None:
    signup = joined()
    given(signup).when(early_access.join, signup_id=signup.id, context=NOW).then()
    back = early_access.join(replace(signup, left=True), signup_id=signup.id, context=NOW)
    assert names(back) == ["early_access.joined"]


def test_who_leaves_frees_the_place_and_who_waits_frees_none() -> None:
    freed, _ = early_access.leave(FULL, early_access.Signup(FULL.taken[7], 1, place=7), NOW)
    assert isinstance(freed, EarlyAccessPlaceFreed) and freed.place == 7
    assert early_access.evolve_places(FULL, freed).free == 7
    given(FULL).when(early_access.leave, early_access.Signup(uuid4(), 1, None), NOW).then("early_access.left")


def test_a_left_place_is_promoted_to_the_first_in_line() -> None:
    heir = early_access.Signup(uuid4(), 1, None)
    events = early_access.leave(FULL, early_access.Signup(FULL.taken[7], 1, place=7), NOW, heir)
    assert names(events) == [
        "early_access.place_freed", "early_access.left", "early_access.place_taken", "early_access.promoted",
    ]  # fmt: skip
    assert [events[0].originator_version, events[2].originator_version] == [11, 12]
    places = FULL
    for event in (events[0], events[2]):
        places = early_access.evolve_places(places, event)
    assert places.taken[7] == heir.id and places.free is None
    waiting = early_access.leave(FULL, early_access.Signup(uuid4(), 1, None), NOW)
    assert names(waiting) == ["early_access.left"]


@pytest.mark.parametrize(
    ("one", "other", "are_one_address", "are_one_mailbox"),
    [
        ("Ada@Example.COM", " ada@example.com ", True, True),
        ("ada@Bücher.example", "ADA@xn--bcher-kva.example", True, True),
        ("ada@münchen。example", "ada@münchen.example", True, True),
        ("ａda@example.com", "ada@example.com", True, True),
        ("ada+beta@example.com", "ada@example.com", False, True),
        ("a.d.a+1@googlemail.com", "ada@gmail.com", False, True),
        ("a.da@example.com", "ada@example.com", False, False),
        ("аda@example.com", "ada@example.com", False, False),  # begins with a Cyrillic letter
        ("+ada@example.com", "+eve@example.com", False, False),
    ],
)
def test_when_two_addresses_are_one(one: str, other: str, are_one_address: bool, are_one_mailbox: bool) -> None:
    assert (spelled(one) == spelled(other)) is are_one_address
    assert (mailbox(one) == mailbox(other)) is are_one_mailbox


def test_what_cannot_be_promoted_or_invited() -> None:
    waiting = early_access.Signup(uuid4(), 1, None)
    attempts: list[Callable[[], object]] = [
        lambda: early_access.promote(FULL, waiting, NOW),
        lambda: early_access.promote(early_access.EarlyAccessState(), replace(waiting, place=3), NOW),
        lambda: early_access.promote(early_access.EarlyAccessState(), replace(waiting, left=True), NOW),
        lambda: early_access.invite(waiting, uuid4(), NOW, is_used=False, is_open=False),
        lambda: early_access.invite(replace(waiting, place=3), uuid4(), NOW, is_used=False, is_open=True),
        lambda: early_access.invite(replace(waiting, place=3), uuid4(), NOW, is_used=True, is_open=False),
    ]
    for refused in attempts:
        given().when(refused).then(rejected())
    [again] = early_access.invite(replace(waiting, place=3), uuid4(), NOW, is_used=False, is_open=False)
    assert again.NAME == "early_access.invited"


def test_a_subscription_is_confirmed_once_and_ends_until_it_is_requested_again() -> None:
    pending = newsletter.NewsletterSubscription(uuid4(), 1, "pending")
    [confirmed] = newsletter.confirm(pending, NOW)
    now_confirmed = newsletter.evolve(pending, confirmed)
    given(now_confirmed).when(newsletter.confirm, NOW).then()
    ended = newsletter.evolve(now_confirmed, newsletter.end(now_confirmed, "page", NOW)[0])
    given(ended).when(newsletter.end, "page", NOW).then()
    given(ended).when(newsletter.confirm, NOW).then(rejected())
    [again] = newsletter.request(ended, subscription_id=ended.id, source="home_page", context=NOW)
    assert newsletter.evolve(ended, again).state == "pending"


def test_an_inquiry_is_answered_moved_and_erased() -> None:
    inquiry_id = uuid4()
    received = inquiries.receive(
        inquiry_id, first_name="A", last_name="B", email="a@b.example", message="Hi", service_interest=None, context=NOW
    )
    inquiry = inquiries.evolve(None, received)
    answered = inquiries.answer(inquiry, "Hello", NOW)
    assert names(answered) == ["inquiry.answered", "inquiry.moved"]
    for event in answered:
        inquiry = inquiries.evolve(inquiry, event)
    given(inquiry).when(inquiries.move, "answered", NOW).then()
    given(inquiry).when(inquiries.answer, "And this", NOW).then("inquiry.answered")
    gone = inquiries.evolve(inquiry, inquiries.erase(inquiry, NOW)[0])
    given(gone).when(inquiries.note, "too late", NOW).then(rejected())
    given(replace(inquiry, version=inquiries.MAX_STEPS)).when(inquiries.note, "too long", NOW).then(rejected())


def test_a_history_of_another_kind_is_none() -> None:
    confirmed = SubscriptionConfirmed(originator_id=uuid4(), originator_version=2, timestamp=NOW.at)
    signup = early_access.Signup(uuid4(), 1, None)
    with pytest.raises(UnexpectedEvent):
        early_access.evolve(signup, confirmed)


def test_a_token_ends_one_thing_of_one_kind() -> None:
    contact = uuid4()
    token = unsubscribe_token(SETTINGS, "newsletter", contact)
    assert verify_unsubscribe_token(SETTINGS, "newsletter", token) == contact
    assert verify_unsubscribe_token(SETTINGS, "early_access", token) is None
    for wrong in ("", "x", f"{contact.hex}.", f"{uuid4().hex}.{token.partition('.')[2]}", token.upper(), f"{token}é"):
        assert verify_unsubscribe_token(SETTINGS, "newsletter", wrong) is None
    assert contacts.one_click_url(SETTINGS, contact).endswith(f"/api/public/newsletter/stop/{token}")
