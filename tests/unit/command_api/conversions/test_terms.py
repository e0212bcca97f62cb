"""Tiers, per-lead sums, holds and automatic approval: given terms and a standing, then this much, and from then on."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import hypothesis
import pytest
from hypothesis import strategies as st

from command_api.conversions import decisions, model
from command_api.conversions.money import commission_of
from command_api.conversions.tiers import ZERO_TOTAL, MonthlyTotal, month_of, tier_of
from command_api.kernel.decision import CommandContext
from command_api.partners.model import checked_terms
from schemas.base import Money
from schemas.events.conversions import (
    AttributedBy,
    Attribution,
    ConversionApproved,
    ConversionFacts,
    ConversionRecorded,
)
from schemas.events.partners import Terms, TermsKind, Tier, TiersBy
from schemas.http.partners import terms_shape
from tests.support.given_when_then import given, rejected

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
ASKED = CommandContext(NOW, uuid4())
SALE = Money(amount=10_000, currency="USD")
TIERED = Terms(rate_bp=1000, tiers=(Tier(at_least=10, rate_bp=1500), Tier(at_least=50, rate_bp=2000)))
BY_REVENUE = TIERED.model_copy(update={"tiers_by": TiersBy.REVENUE, "tiers_currency": "EUR"})
PER_LEAD = Terms(kind=TermsKind.PER_LEAD, flat_amount=500, flat_currency="USD")


def recorded(terms: Terms, monthly_total: MonthlyTotal = ZERO_TOTAL, **changes: Any) -> ConversionRecorded:
    values = {"kind": "sale", "amount": SALE, "payout": None, "rates": {}, "occurred_at": NOW, **changes}
    click = Attribution(by=AttributedBy.CLICK_ID, partner_id=uuid4(), clicked_at=NOW - timedelta(hours=1), terms=terms)
    facts = ConversionFacts(
        website_id=uuid4(),
        kind=values["kind"],
        event=values["kind"],
        txid="T-1",
        amount=values["amount"],
        occurred_at=values["occurred_at"],
        attribution=click,
    )
    return decisions.record(
        uuid4(),
        facts,
        decisions.Basis(values["rates"], monthly_total),
        received_at=NOW,
        reported_by="sale",
        payout=values["payout"],
        customer="",
        currency="USD",
        context=ASKED,
    )


def later(days: float) -> CommandContext:
    return CommandContext(NOW + timedelta(days=days))


@pytest.mark.parametrize(
    ("before", "number", "earned"), [(0, 0, 1000), (9, 0, 1000), (10, 1, 1500), (49, 1, 1500), (50, 2, 2000)]
)
def test_the_tier_goes_by_what_was_decided_before(before: int, number: int, earned: int) -> None:
    event = recorded(TIERED, MonthlyTotal(conversions=before, revenue=10**9))
    assert event.commission == Money(amount=earned, currency="USD")
    assert event.tier is not None
    assert (event.tier.number, event.tier.month, event.tier.by) == (number, "2026-11", TiersBy.CONVERSIONS)
    assert event.tier.rate_bp == earned // 10 * 10


def test_thresholds_of_revenue_are_converted_at_the_days_rate() -> None:
    rates = {"EUR": "1.10"}
    for revenue, number, below in ((10, 0, 11), (11, 1, 55), (54, 1, 55), (55, 2, None)):
        event = recorded(BY_REVENUE, MonthlyTotal(conversions=999, revenue=revenue), rates=rates)
        assert event.tier is not None
        assert (event.tier.number, event.tier.below) == (number, below)
    given().when(recorded, BY_REVENUE).then(rejected("currency_unknown"))


def test_a_reported_payout_stands_whatever_the_tier() -> None:
    event = recorded(TIERED, MonthlyTotal(conversions=99), payout=Money(amount=77, currency="USD"))
    assert event.tier is None
    assert event.commission == Money(amount=77, currency="USD")


def test_the_month_is_utc() -> None:
    east = datetime.fromisoformat("2026-12-01T08:00:00+09:00")
    assert month_of(east) == "2026-11"


@hypothesis.given(st.integers(-50, 200), st.lists(st.integers(1, 150), unique=True, max_size=6).map(sorted))
def test_exactly_the_chosen_tier_allows_a_standing(before: int, thresholds: list[int]) -> None:
    terms = Terms(tiers=tuple(Tier(at_least=threshold) for threshold in thresholds))
    monthly_total = MonthlyTotal(conversions=before)
    tiers = {tier_of(terms, MonthlyTotal(conversions=at), NOW, "USD", {}) for at in (0, *thresholds)}
    if not thresholds:
        assert tiers == {None}
        return
    chosen = tier_of(terms, monthly_total, NOW, "USD", {})
    assert [tier for tier in tiers if tier is not None and monthly_total.allows(tier)] == [chosen]


def test_leads_and_sales_by_per_lead_terms() -> None:
    assert commission_of(SALE, None, PER_LEAD, "USD", {}, kind="sale")[0].amount == 0
    assert commission_of(Money(amount=0, currency="USD"), None, PER_LEAD, "USD", {}, kind="lead")[0].amount == 500
    foreign = PER_LEAD.model_copy(update={"flat_currency": "EUR"})
    assert commission_of(SALE, None, foreign, "USD", {}, kind="sale") == (Money(amount=0, currency="USD"), None)
    assert commission_of(SALE, None, foreign, "USD", {"EUR": "1.1"}, kind="lead")[0].amount == 550


def test_what_is_earned_is_payable_after_the_hold_and_never_before_it_is_approved() -> None:
    first = recorded(Terms(rate_bp=1000, hold_days=30))
    state = model.evolve(None, first)
    assert state.payable_at is None
    for days, payable in ((3, NOW + timedelta(days=30)), (40, NOW + timedelta(days=40))):
        (approved,) = decisions.approve(state, later(days))
        after = model.evolve(state, approved)
        assert after.payable_at == payable
        (part,) = decisions.reverse(after, "one item", 4000, later(50))
        assert model.evolve(after, part).payable_at == payable
        (rest,) = decisions.reverse(after, "all", None, later(50))
        assert model.evolve(after, rest).payable_at is None


def test_it_is_approved_when_its_own_days_are_over() -> None:
    terms = Terms(rate_bp=1000, auto_approve_days=7)
    state = model.evolve(None, recorded(terms, occurred_at=NOW - timedelta(days=20)))
    assert state.approves_at == NOW + timedelta(days=7)
    given(state).when(decisions.approve_automatically, terms, later(6.999)).then()
    (event,) = decisions.approve_automatically(state, terms, later(7))
    assert isinstance(event, ConversionApproved)
    assert event.automatic
    given(model.evolve(state, event)).when(decisions.approve_automatically, terms, later(8)).then()


def test_never_and_the_brake() -> None:
    terms = Terms(rate_bp=1000, auto_approve_days=0)
    state = model.evolve(None, recorded(terms))
    given(state).when(decisions.approve_automatically, Terms(rate_bp=1000), later(99)).then()
    assert len(decisions.approve_automatically(state, Terms(rate_bp=1, auto_approve_days=300), later(0))) == 1
    never = model.evolve(None, recorded(Terms(rate_bp=1000)))
    assert never.approves_at is None
    given(never).when(decisions.approve_automatically, terms, later(9999)).then()


def test_a_conversion_that_waits_for_its_click_has_all_its_days_from_then_on() -> None:
    terms = Terms(rate_bp=1000, auto_approve_days=7, hold_days=10)
    found = recorded(terms).facts.attribution
    assert found is not None
    first = recorded(terms)
    waiting = model.evolve(
        None, first.model_copy(update={"facts": first.facts.model_copy(update={"attribution": None})})
    )
    assert waiting.approves_at is None
    (came,) = decisions.attribute(waiting, found, decisions.Basis(), later(5))
    assert model.evolve(waiting, came).approves_at == NOW + timedelta(days=12)
    (approved,) = decisions.approve(waiting, later(1))
    early = model.evolve(waiting, approved)
    assert early.payable_at is None
    (came,) = decisions.attribute(early, found, decisions.Basis(), later(20))
    assert model.evolve(early, came).payable_at == NOW + timedelta(days=20)


@pytest.mark.parametrize(
    "terms",
    [
        Terms(rate_bp=1000, flat_amount=5),
        Terms(kind=TermsKind.FLAT, flat_amount=5),
        Terms(kind=TermsKind.FLAT, flat_amount=5, flat_currency="XXQ"),
        Terms(kind=TermsKind.PER_LEAD, flat_amount=5, flat_currency="USD", rate_bp=1),
        Terms(tiers=(Tier(at_least=5), Tier(at_least=5))),
        Terms(tiers=(Tier(at_least=5), Tier(at_least=4))),
        Terms(tiers=(Tier(at_least=5, flat_amount=1),)),
        Terms(tiers_by=TiersBy.REVENUE, tiers=(Tier(at_least=5),)),
        Terms(tiers_currency="USD"),
    ],
)
def test_terms_that_cannot_be_paid_by_are_refused(terms: Terms) -> None:
    given().when(checked_terms, terms).then(rejected())


def test_terms_say_themselves_in_a_sentence() -> None:
    assert terms_shape(BY_REVENUE.model_dump(mode="json")).text == (
        "10% of the sale; 15% of the sale from 0.10 EUR of commission a month;"
        " 20% of the sale from 0.50 EUR of commission a month"
    )
    held = PER_LEAD.model_copy(update={"hold_days": 1, "auto_approve_days": 14})
    assert terms_shape(held.model_dump(mode="json")).text == (
        "5.00 USD for each lead; payable 1 day after the sale; auto-approved after 14 days"
    )
    old = {"kind": "percent", "rate_bp": 1250, "flat_amount": 0, "flat_currency": None}
    assert (terms_shape(old).percent, terms_shape(old).auto_approve_days) == (12.5, None)
