"""Values that could not be read stay marked until a report, a person or another reading gives them; fractions of a
minor unit are rounded once, in the commission."""

from __future__ import annotations

from datetime import timedelta
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction
from itertools import permutations
from typing import Any

import hypothesis
import pytest
from hypothesis import strategies as st

from command_api.conversions import model
from command_api.conversions.attribution.correction import Corrected, correct, read_again
from command_api.conversions.money import commission_of
from command_api.kernel.aggregates import state_after
from command_api.kernel.decision import CommandContext
from schemas.base import DomainEvent, Money
from schemas.events.conversions import ConversionReportMerged, Reported
from schemas.events.partners import Terms
from tests.support.events import usd
from tests.support.given_when_then import given, rejected
from tests.unit.command_api.conversions.test_merging import CLICKS, NOW, OWNER, Projected, World, after, report

CONTEXT = CommandContext(NOW + timedelta(hours=1), OWNER)
PERCENT = Terms(kind="percent", rate_bp=1_000)


def postback(number: int = 1, **said: Any) -> Any:
    return report(number, key_kind="postback", click_id=CLICKS[1], **said)


def corrected(state: model.Conversion, report_id: Any, says: Corrected) -> tuple[model.Conversion, list[DomainEvent]]:
    events = list(World(Projected()).by_facts(lambda case: correct(case, state, report_id, says), CONTEXT))
    return state_after(model.evolve, state, events), events


def reread(state: model.Conversion, preset: str | None = None) -> tuple[model.Conversion, list[DomainEvent]]:
    events = list(World(Projected()).by_facts(lambda case: read_again(case, state, preset), CONTEXT))
    return state_after(model.evolve, state, events), events


def test_a_sale_whose_amount_cannot_be_read_counts_without_it_and_a_person_says_what_it_is() -> None:
    sent = postback(unread={"amount": "1,234"})
    state, _ = after([sent])
    assert (state.merged.unread, state.facts.amount.amount, state.is_attributed) == (("amount",), 0, True)
    fixed, events = corrected(state, sent.report_id, Corrected(amount=usd(123_400)))
    assert (fixed.facts.amount, fixed.commission, fixed.merged.unread) == (usd(123_400), 12_340, ())
    merged = events[0]
    assert isinstance(merged, ConversionReportMerged)
    assert (merged.reported.key_kind, merged.unread, merged.actor_id) == ("postback", (), OWNER)
    assert fixed.facts.attribution == state.facts.attribution, "the click stays"
    assert corrected(fixed, sent.report_id, Corrected(amount=usd(123_400)))[1] == []


@pytest.mark.parametrize(
    ("says", "code"),
    [
        (Corrected(), "nothing_unread"),
        (Corrected(payout=usd(1)), "nothing_unread"),
        (Corrected(amount=usd(-1)), "bad_amount"),
        (Corrected(amount=Money(amount=1, currency="XXX")), "unknown_currency"),
    ],
)
def test_a_correction_that_says_nothing_is_refused(says: Corrected, code: str) -> None:
    sent = postback(unread={"amount": "1,234"})
    given(after([sent])[0]).when(corrected, sent.report_id, says).then(rejected(code))


def test_a_status_is_read_again_in_the_words_of_another_network() -> None:
    state, _ = after([postback(amount=usd(100), unread={"status": "Rebill"})])
    assert (state.status.value, state.merged.unread) == ("pending", ("status",))
    assert reread(state)[1] == [], "not a word of Althing's names"
    fixed, _ = reread(state, "keitaro")
    assert (fixed.status.value, fixed.merged.unread) == ("approved", ())
    given(state).when(reread, "nobody").then(rejected())


def test_an_amount_is_read_again_once_its_form_is_known() -> None:
    state, _ = after([postback(unread={"payout": "0,035 $", "amount": "1,234"})])
    fixed, _ = reread(state)
    assert (fixed.payout, dict(fixed.merged.exact), fixed.merged.unread) == (
        usd(4), {"payout": "3.5"}, ("amount",)
    )  # fmt: skip


def test_another_report_gives_what_one_could_not_say_in_any_order() -> None:
    said = [postback(1, unread={"amount": "1,234", "status": "?"}), postback(2, amount=usd(700), status="approved")]
    for order in permutations([*said, postback(3, unread={"coupon": "x" * 80})]):
        state, _ = after(order)
        assert (state.merged.unread, state.facts.amount, state.status.value) == (("coupon",), usd(700), "approved")


def test_a_report_that_tells_nothing_but_what_cannot_be_read_is_kept_once() -> None:
    unread = {"payout": "1,234"}
    state, events = after([report(1, amount=usd(700)), postback(2, unread=unread), postback(3, unread=unread)])
    assert state.merged.unread == ("payout",)
    assert [event.NAME for event in events if event.NAME == "conversion.report_merged"] == ["conversion.report_merged"]


@hypothesis.given(st.decimals(0, 10**4, places=6), st.sampled_from(["1", "0.91", "1.0832", "163.37"]))
def test_a_payout_of_fractions_is_rounded_once_when_it_is_booked(payout: Decimal, rate: str) -> None:
    minor = payout * 100
    rounded = Money(amount=int(minor.quantize(Decimal(1), ROUND_HALF_EVEN)), currency="EUR")
    exact = {} if minor == int(minor) else {"payout": f"{minor:f}"}
    commission, _ = commission_of(usd(0), rounded, PERCENT, "USD", {"EUR": rate}, exact=exact)
    assert commission.amount == round(Fraction(minor) * Fraction(rate))


def test_a_click_is_paid_three_and_a_half_cents_in_another_currency() -> None:
    state, _ = after([postback(payout=usd(4), exact={"payout": "3.5"})])
    assert (state.payout, state.commission, dict(state.merged.exact)) == (usd(4), 4, {"payout": "3.5"})


def test_reports_from_before_read_as_they_did() -> None:
    told = after([postback(amount=usd(100))])[0].reports[0].model_dump(mode="json")
    assert Reported.model_validate({name: value for name, value in told.items() if name not in ("unread", "exact")})
