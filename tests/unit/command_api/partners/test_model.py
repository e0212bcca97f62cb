"""Given a partner's history, when an admin changes it, then these events; and the past keeps its own terms."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import hypothesis
import pytest
from hypothesis import strategies as st

from command_api.kernel.aggregates import state_after
from command_api.kernel.decision import CommandContext, CommandRejected
from command_api.partners import model, slug_reservation
from schemas.events.partners import (
    CommissionChanged,
    PartnerActivated,
    PartnerDeactivated,
    PartnerRegistered,
    PartnerRemoved,
    PartnerUpdated,
    SlugClaimed,
)
from tests.support.given_when_then import given, rejected

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
CONTEXT = CommandContext(NOW, uuid4(), is_admin=True)
PARTNER = uuid4()
GOOD: dict[str, Any] = {
    "name": "Good VPN",
    "slug": "good-vpn",
    "base_url": "https://www.good-vpn.example/offer",
    "commission": 12.5,
    "description": "Good VPN affiliate program",
    "is_active": True,
    "cookie_days": 30,
    "postback_preset": None,
}


def registered(**changes: Any) -> model.Partner:
    events = model.register(PARTNER, None, **{**GOOD, **changes}, context=CONTEXT)
    return model.evolve(None, events[0])


def test_registering_reserves_the_slug() -> None:
    partner, slug = model.register(PARTNER, None, **GOOD, context=CONTEXT)
    assert isinstance(partner, PartnerRegistered)
    assert partner.terms.rate_bp == 1250
    assert isinstance(slug, SlugClaimed)
    assert (slug.kind, slug.slug, slug.owner_id) == ("partner", "good-vpn", PARTNER)


def test_a_taken_slug_is_refused() -> None:
    given().when(model.register, PARTNER, slug_reservation.SlugReservation(1, uuid4()), **GOOD, context=CONTEXT).then(
        rejected("slug_taken")
    )


@pytest.mark.parametrize("typed", ["fjordline.example", " fjordline.example/deal?a=1 ", "Fjordline.example:8443"])
def test_an_address_without_a_scheme_is_on_https(typed: str) -> None:
    assert registered(base_url=typed).base_url == "https://" + typed.strip().lower()


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"name": "  "}, "name"),
        ({"slug": "Good"}, "slug"),
        ({"slug": "a b"}, "slug"),
        ({"slug": "a/b"}, "slug"),
        *(
            ({"slug": slug}, "slug")
            for slug in ("", "a" * 101, "..", "-", "admin", "api", "a%2fb", "a\\b", "<b>", "a|b")
        ),
        *(({"slug": slug}, "slug") for slug in ("a\u200bb", "a\u202eb", "cafe\u0301", "a\nb", "a\u00a0b")),
        ({"name": "Good\u202eNPV"}, "name"),
        ({"name": "Go\u200bod"}, "name"),
        ({"base_url": "javascript:alert(1)"}, "baseUrl"),
        ({"base_url": "javascript.alert:1@good.example"}, "baseUrl"),
        ({"base_url": "//good.example/"}, "baseUrl"),
        ({"base_url": "localhost"}, "baseUrl"),
        ({"base_url": "https://10.1.2.3/"}, "baseUrl"),
        ({"base_url": "https://me:pw@good.example/"}, "baseUrl"),
        ({"commission": 12.345}, "commission"),
        ({"commission": -0.01}, "commission"),
        ({"commission": 100.01}, "commission"),
        ({"cookie_days": 0}, "cookieDays"),
        ({"cookie_days": 366}, "cookieDays"),
        ({"postback_preset": "No Such"}, "postbackPreset"),
    ],
)
def test_bad_fields_are_named(change: dict[str, Any], field: str) -> None:
    given().when(registered, **change).then(rejected(field=field))


def test_the_slug_of_a_name_is_the_one_of_the_web_form() -> None:
    assert model.slug_of("Good \t VPN  & Co") == "good-vpn-&-co"
    assert model.checked_slug(model.slug_of("Größe & Söhne")) == "größe-&-söhne"


def test_updating_tells_only_what_changed() -> None:
    partner = registered()
    given(partner).when(model.update, name="Good VPN", commission=12.5, is_active=True, context=CONTEXT).then()
    events = model.update(partner, name="Better VPN", commission=10, is_active=False, context=CONTEXT)
    assert [type(event) for event in events] == [PartnerUpdated, CommissionChanged, PartnerDeactivated]
    assert [event.originator_version for event in events] == [2, 3, 4]
    after = state_after(model.evolve, partner, events)
    assert (after.name, after.terms_at(NOW).terms.rate_bp, after.is_active) == ("Better VPN", 1000, False)
    assert [type(event) for event in model.update(after, is_active=True, context=CONTEXT)] == [PartnerActivated]


def test_the_slug_cannot_change_and_nothing_cannot_either() -> None:
    given(registered()).when(model.update, slug="other", context=CONTEXT).then(rejected("slug_fixed"))
    with pytest.raises(CommandRejected) as refused:
        model.update(None, name="x", context=CONTEXT)
    assert refused.value.kind == "missing"


def test_clicks_keep_the_terms_and_the_window_of_their_time() -> None:
    partner = registered()
    later = CommandContext(NOW + timedelta(days=10), uuid4(), is_admin=True)
    partner = state_after(model.evolve, partner, model.update(partner, commission=5, cookie_days=7, context=later))
    before, after = NOW + timedelta(days=9), NOW + timedelta(days=11)
    assert (partner.terms_at(before).terms.rate_bp, partner.terms_at(before).cookie_days) == (1250, 30)
    assert (partner.terms_at(after).terms.rate_bp, partner.terms_at(after).cookie_days) == (500, 7)
    assert partner.terms_at(NOW - timedelta(days=1)).terms.rate_bp == 1250
    assert partner.is_within_window(before, before + timedelta(days=30))
    assert not partner.is_within_window(before, before + timedelta(days=30, milliseconds=1))
    assert not partner.is_within_window(after, after + timedelta(days=8))


def test_announced_terms_begin_in_their_time_and_leave_everything_before_alone() -> None:
    partner, begin = registered(), NOW + timedelta(days=10)
    [announced] = model.update(partner, commission=20, effective_from=begin, context=CONTEXT)
    assert isinstance(announced, CommissionChanged)
    assert (announced.timestamp, announced.effective_at) == (NOW, begin)
    partner = state_after(model.evolve, partner, [announced])
    assert model.update(partner, commission=12.5, context=CONTEXT) == [], "now they are still what they were"
    given(partner).when(model.update, commission=20, effective_from=begin, context=CONTEXT).then()
    partner = state_after(
        model.evolve, partner, model.update(partner, commission=10, cookie_days=7, context=CommandContext(NOW + HOUR))
    )

    def held(at: datetime) -> tuple[int, int]:
        return partner.terms_at(at).terms.rate_bp, partner.terms_at(at).cookie_days

    assert held(NOW) == (1250, 30)
    assert held(NOW + HOUR) == held(begin - timedelta(microseconds=1)) == (1000, 7)
    assert held(begin) == held(begin + timedelta(days=99)) == (2000, 7), "the window is no part of what was announced"
    [again] = model.update(partner, commission=10, effective_from=begin, context=CommandContext(NOW + HOUR))
    partner = state_after(model.evolve, partner, [again])
    assert held(begin) == (1000, 7), "what is announced for the same moment gives way"
    assert state_after(model.evolve, registered(), [announced]).terms_at(begin).terms.rate_bp == 2000


@pytest.mark.parametrize("begin", [NOW, NOW - timedelta(days=1), NOW + timedelta(days=1831)])
def test_terms_begin_neither_in_the_past_nor_in_a_far_future(begin: datetime) -> None:
    given(registered()).when(model.update, commission=20, effective_from=begin, context=CONTEXT).then(
        rejected("bad_effective_from", field="effectiveFrom")
    )


def test_announcements_name_terms_and_are_not_without_number() -> None:
    given(registered()).when(model.update, name="Else", effective_from=NOW + HOUR, context=CONTEXT).then(
        rejected(field="effectiveFrom")
    )
    partner = registered()
    for day in range(1, model.MAX_ANNOUNCED_TERMS + 1):
        begin = NOW + timedelta(days=day)
        partner = state_after(
            model.evolve, partner, model.update(partner, commission=day, effective_from=begin, context=CONTEXT)
        )
    given(partner).when(model.update, commission=50, effective_from=NOW + HOUR, context=CONTEXT).then(rejected())
    assert model.update(partner, commission=50, effective_from=begin, context=CONTEXT), "one may still be replaced"


@hypothesis.given(st.integers(0, 10_000))
def test_every_hundredth_of_a_percent_survives(basis_points: int) -> None:
    terms = model.percent_terms(basis_points / 100)
    assert terms.rate_bp == basis_points
    percent = model.percent(terms)
    assert percent is not None and model.percent_terms(percent) == terms


def test_removing_a_program_deactivates_it_first_and_permanently() -> None:
    partner = registered()
    off, removed = model.remove(partner, CONTEXT)
    assert (type(off), type(removed)) == (PartnerDeactivated, PartnerRemoved)
    assert (off.originator_version, removed.originator_version) == (2, 3)
    gone = state_after(model.evolve, partner, [off, removed])
    assert gone.removed and not gone.is_active
    assert gone.terms_at(NOW).terms.rate_bp == 1250, "what old clicks earn stays known"
    acts: tuple[Callable[[], object], ...] = (
        lambda: model.update(gone, is_active=True, context=CONTEXT),
        lambda: model.remove(gone, CONTEXT),
    )
    for act in acts:
        with pytest.raises(CommandRejected) as refused:
            act()
        assert refused.value.kind == "missing"


def test_removing_a_program_that_is_off_takes_one_event() -> None:
    assert [type(event) for event in model.remove(registered(is_active=False), CONTEXT)] == [PartnerRemoved]


def test_a_partner_whose_links_are_on_a_networks_host_gets_its_network() -> None:
    partner = registered(base_url="https://www.awin1.com/cread.php?awinmid=1&awinaffid=2")
    assert (partner.postback_preset, partner.passed_parameter) == ("awin", "clickref")
    chosen = registered(base_url="https://www.awin1.com/cread.php", postback_preset="default")
    assert (chosen.postback_preset, chosen.passed_parameter) == ("default", "")


def test_a_partner_may_have_a_click_id_parameter_of_its_own_and_give_it_up() -> None:
    partner = registered(postback_preset="everflow", click_id_parameter="sub5")
    assert partner.passed_parameter == "sub5"
    given(partner).when(model.update, click_id_parameter="sub5", context=CONTEXT).then()
    [changed] = model.update(partner, click_id_parameter="", context=CONTEXT)
    assert isinstance(changed, PartnerUpdated) and changed.click_id_parameter == ""
    partner = model.evolve(partner, changed)
    assert (partner.click_id_parameter, partner.passed_parameter) == (None, "sub1")
    given(partner).when(model.update, click_id_parameter="", context=CONTEXT).then()


@pytest.mark.parametrize("name", ["a b", "sub=1", "a&b", "a" * 65, "a:b", "ü", "{click_id}"])
def test_a_click_id_parameter_is_a_plain_name(name: str) -> None:
    given().when(registered, click_id_parameter=name).then(rejected("bad_click_id_parameter", field="clickIdParameter"))


def test_an_unknown_network_is_refused_with_those_that_are_known() -> None:
    given().when(registered, postback_preset="nope").then(rejected(says="awin"))
