"""Given a partner's history, when an admin changes it, then these events; and the past keeps its own terms."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from command_api import slugs
from command_api.decision import Asked, Refused
from command_api.partners import model
from schemas.events.partners import (
    CommissionChanged,
    PartnerActivated,
    PartnerDeactivated,
    PartnerRegistered,
    PartnerRemoved,
    PartnerUpdated,
    SlugClaimed,
)

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
ASKED = Asked(NOW, uuid4(), is_admin=True)
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
    events = model.register(PARTNER, None, **{**GOOD, **changes}, asked=ASKED)
    return model.evolve(None, events[0])


def test_registering_claims_the_slug() -> None:
    partner, slug = model.register(PARTNER, None, **GOOD, asked=ASKED)
    assert isinstance(partner, PartnerRegistered)
    assert partner.terms.rate_bp == 1250
    assert isinstance(slug, SlugClaimed)
    assert (slug.kind, slug.slug, slug.owner_id) == ("partner", "good-vpn", PARTNER)


def test_a_taken_slug_is_refused() -> None:
    with pytest.raises(Refused) as refused:
        model.register(PARTNER, slugs.Claim(1, uuid4()), **GOOD, asked=ASKED)
    assert refused.value.code == "slug_taken"


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
    with pytest.raises(Refused) as refused:
        registered(**change)
    assert refused.value.field == field


def test_the_slug_of_a_name_is_the_one_of_the_web_form() -> None:
    assert model.slug_of("Good \t VPN  & Co") == "good-vpn-&-co"
    assert model.checked_slug(model.slug_of("Größe & Söhne")) == "größe-&-söhne"


def test_updating_tells_only_what_changed() -> None:
    partner = registered()
    assert model.update(partner, name="Good VPN", commission=12.5, is_active=True, asked=ASKED) == []
    events = model.update(partner, name="Better VPN", commission=10, is_active=False, asked=ASKED)
    assert [type(event) for event in events] == [PartnerUpdated, CommissionChanged, PartnerDeactivated]
    assert [event.originator_version for event in events] == [2, 3, 4]
    after = model.after(partner, events)
    assert (after.name, after.held_at(NOW).terms.rate_bp, after.is_active) == ("Better VPN", 1000, False)
    assert [type(event) for event in model.update(after, is_active=True, asked=ASKED)] == [PartnerActivated]


def test_the_slug_cannot_change_and_nothing_cannot_either() -> None:
    with pytest.raises(Refused) as refused:
        model.update(registered(), slug="other", asked=ASKED)
    assert refused.value.code == "slug_fixed"
    with pytest.raises(Refused) as refused:
        model.update(None, name="x", asked=ASKED)
    assert refused.value.kind == "missing"


def test_clicks_keep_the_terms_and_the_window_of_their_time() -> None:
    partner = registered()
    later = Asked(NOW + timedelta(days=10), uuid4(), is_admin=True)
    partner = model.after(partner, model.update(partner, commission=5, cookie_days=7, asked=later))
    before, after = NOW + timedelta(days=9), NOW + timedelta(days=11)
    assert (partner.held_at(before).terms.rate_bp, partner.held_at(before).cookie_days) == (1250, 30)
    assert (partner.held_at(after).terms.rate_bp, partner.held_at(after).cookie_days) == (500, 7)
    assert partner.held_at(NOW - timedelta(days=1)).terms.rate_bp == 1250
    assert partner.covers(before, before + timedelta(days=30))
    assert not partner.covers(before, before + timedelta(days=30, milliseconds=1))
    assert not partner.covers(after, after + timedelta(days=8))


def test_announced_terms_begin_in_their_time_and_leave_everything_before_alone() -> None:
    partner, begin = registered(), NOW + timedelta(days=10)
    [announced] = model.update(partner, commission=20, effective_from=begin, asked=ASKED)
    assert isinstance(announced, CommissionChanged)
    assert (announced.timestamp, announced.effective_at) == (NOW, begin)
    partner = model.after(partner, [announced])
    assert model.update(partner, commission=12.5, asked=ASKED) == [], "now they are still what they were"
    assert model.update(partner, commission=20, effective_from=begin, asked=ASKED) == []
    partner = model.after(partner, model.update(partner, commission=10, cookie_days=7, asked=Asked(NOW + HOUR)))

    def held(at: datetime) -> tuple[int, int]:
        return partner.held_at(at).terms.rate_bp, partner.held_at(at).cookie_days

    assert held(NOW) == (1250, 30)
    assert held(NOW + HOUR) == held(begin - timedelta(microseconds=1)) == (1000, 7)
    assert held(begin) == held(begin + timedelta(days=99)) == (2000, 7), "the window is no part of what was announced"
    [again] = model.update(partner, commission=10, effective_from=begin, asked=Asked(NOW + HOUR))
    partner = model.after(partner, [again])
    assert held(begin) == (1000, 7), "what is announced for the same moment gives way"
    assert model.after(registered(), [announced]).held_at(begin).terms.rate_bp == 2000


@pytest.mark.parametrize("begin", [NOW, NOW - timedelta(days=1), NOW + timedelta(days=1831)])
def test_terms_begin_neither_in_the_past_nor_in_a_far_future(begin: datetime) -> None:
    with pytest.raises(Refused) as refused:
        model.update(registered(), commission=20, effective_from=begin, asked=ASKED)
    assert (refused.value.code, refused.value.field) == ("bad_effective_from", "effectiveFrom")


def test_announcements_name_terms_and_are_not_without_number() -> None:
    with pytest.raises(Refused) as refused:
        model.update(registered(), name="Else", effective_from=NOW + HOUR, asked=ASKED)
    assert refused.value.field == "effectiveFrom"
    partner = registered()
    for day in range(1, model.MOST_ANNOUNCED + 1):
        begin = NOW + timedelta(days=day)
        partner = model.after(partner, model.update(partner, commission=day, effective_from=begin, asked=ASKED))
    with pytest.raises(Refused):
        model.update(partner, commission=50, effective_from=NOW + HOUR, asked=ASKED)
    assert model.update(partner, commission=50, effective_from=begin, asked=ASKED), "one may still be replaced"


@given(st.integers(0, 10_000))
def test_every_hundredth_of_a_percent_survives(basis_points: int) -> None:
    terms = model.percent_terms(basis_points / 100)
    assert terms.rate_bp == basis_points
    assert model.percent_terms(model.percent(terms)) == terms


def test_removing_a_program_switches_it_off_first_and_for_good() -> None:
    partner = registered()
    off, removed = model.remove(partner, ASKED)
    assert (type(off), type(removed)) == (PartnerDeactivated, PartnerRemoved)
    assert (off.originator_version, removed.originator_version) == (2, 3)
    gone = model.after(partner, [off, removed])
    assert gone.removed and not gone.is_active
    assert gone.held_at(NOW).terms.rate_bp == 1250, "what old clicks earn stays known"
    for act in (lambda: model.update(gone, is_active=True, asked=ASKED), lambda: model.remove(gone, ASKED)):
        with pytest.raises(Refused) as refused:
            act()
        assert refused.value.kind == "missing"


def test_removing_a_program_that_is_off_takes_one_event() -> None:
    assert [type(event) for event in model.remove(registered(is_active=False), ASKED)] == [PartnerRemoved]
