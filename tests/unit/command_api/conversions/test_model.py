"""Given what happened to a conversion, when something is decided, then these events; and the money always adds up."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from itertools import product
from uuid import uuid4

import hypothesis
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from command_api.conversions import decisions, model
from command_api.conversions.money import commission_of, reversal
from command_api.conversions.tiers import MonthlyTotal, tier_of
from command_api.kernel.decision import CommandContext, CommandRejected
from command_api.websites.model import Website
from schemas.base import DomainEvent, Money
from schemas.currencies import MAX_AMOUNT
from schemas.events.conversions import (
    AttributedBy,
    Attribution,
    ConversionApproved,
    ConversionAttributed,
    ConversionFacts,
    ConversionRecorded,
    ConversionRejected,
    ConversionReportConflicted,
    ConversionReversed,
    ConversionStatus,
    CounterDelta,
    Reported,
)
from schemas.events.partners import Terms, TermsKind, Tier, TiersBy
from tests.support.given_when_then import given, rejected

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
SITE, PARTNER, OWNER, SALE = uuid4(), uuid4(), uuid4(), uuid4()
ASKED = CommandContext(NOW, OWNER)
TEN_PERCENT = Terms(kind=TermsKind.PERCENT, rate_bp=1000)


def attribution(terms: Terms = TEN_PERCENT) -> Attribution:
    return Attribution(by=AttributedBy.CLICK_ID, partner_id=PARTNER, clicked_at=NOW - timedelta(hours=1), terms=terms)


def said(amount: int | None, *, key_kind: str = "secret", reported_by: str = "sale") -> Reported:
    return Reported(
        report_id=uuid4(),
        key_kind=key_kind,
        reported_by=reported_by,
        received_at=NOW + timedelta(seconds=5),
        kind="sale",
        amount=None if amount is None else Money(amount=amount, currency="USD"),
        occurred_at=NOW + timedelta(seconds=5),
    )


def recorded(
    amount: int = 1999, *, attributed: bool = True, terms: Terms = TEN_PERCENT, reported: Reported | None = None
) -> ConversionRecorded:
    return decisions.record(
        SALE,
        ConversionFacts(
            website_id=SITE,
            kind="sale",
            event="sale",
            txid="T-1",
            amount=Money(amount=amount, currency="USD"),
            occurred_at=NOW,
            attribution=attribution(terms) if attributed else None,
        ),
        decisions.Basis(),
        received_at=NOW,
        reported_by="sale",
        payout=None,
        customer="",
        currency="USD",
        context=ASKED,
        reported=reported,
    )


def state_after(*events: DomainEvent) -> model.Conversion:
    state: model.Conversion | None = None
    for event in events:
        state = model.evolve(state, event)
    assert state is not None
    return state


def change(event: DomainEvent) -> CounterDelta:
    found: CounterDelta = event.change  # type: ignore[attr-defined]  # every event given here has one
    return found


class TestRecording:
    def test_an_attributed_sale_is_pending_and_so_is_its_commission(self) -> None:
        event = recorded(1999)
        assert event.commission == Money(amount=200, currency="USD")
        assert event.change == CounterDelta(currency="USD", pending=1, commission_pending=200)
        assert event.originator_version == 1

    def test_without_a_click_it_waits_and_counts_nothing(self) -> None:
        event = recorded(1999, attributed=False)
        assert event.commission is None
        assert event.change == CounterDelta(currency="USD")

    def test_halves_round_to_even(self) -> None:
        assert recorded(5).change.commission_pending == 0
        assert recorded(15).change.commission_pending == 2
        assert recorded(25).change.commission_pending == 2

    def test_a_reported_payout_stands_whatever_the_terms_say(self) -> None:
        payout = Money(amount=777, currency="USD")
        assert commission_of(Money(amount=10, currency="USD"), payout, TEN_PERCENT, "USD", {}) == (payout, None)

    def test_a_flat_sum_needs_no_amount(self) -> None:
        flat = Terms(kind=TermsKind.FLAT, flat_amount=500, flat_currency="EUR")
        money, rate = commission_of(Money(amount=0, currency="USD"), None, flat, "USD", {"EUR": "1.1"})
        assert (money.amount, rate) == (550, "1.1")

    def test_each_currency_has_its_own_number_of_digits(self) -> None:
        sale = Money(amount=10_000, currency="JPY")
        assert commission_of(sale, None, TEN_PERCENT, "USD", {"JPY": "0.0067"})[0].amount == 670
        assert (
            commission_of(Money(amount=1000, currency="KWD"), None, TEN_PERCENT, "USD", {"KWD": "3.25"})[0].amount == 32
        )

    def test_a_commission_in_another_currency_is_rounded_once(self) -> None:
        """10.5 cents of the sale's currency: not 10, which would come to 15."""
        sale = Money(amount=105, currency="EUR")
        assert commission_of(sale, None, TEN_PERCENT, "USD", {"EUR": "1.5"})[0].amount == 16

    def test_what_money_cannot_hold_is_refused(self) -> None:
        most = Money(amount=MAX_AMOUNT, currency="USD")
        assert commission_of(most, None, TEN_PERCENT, "VND", {"USD": "1000"})[0].amount == MAX_AMOUNT
        for payout, rate in ((None, "1000.1"), (most, "101"), (Money(amount=2**53, currency="VND"), "1")):
            given().when(commission_of, most, payout, TEN_PERCENT, "VND", {"USD": rate}).then(
                rejected("amount_too_large")
            )

    def test_a_threshold_may_be_more_than_one_amount(self) -> None:
        """It is reached by a sum; converted or not, it must not stop the conversions of its partner."""
        highest = Tier(at_least=2**53, rate_bp=2_000)
        terms = TEN_PERCENT.model_copy(
            update={"tiers": (highest,), "tiers_by": TiersBy.REVENUE, "tiers_currency": "USD"}
        )
        tier = tier_of(terms, MonthlyTotal(1, 5), datetime(2026, 5, 1, tzinfo=UTC), "VND", {"USD": "25000"})
        assert tier is not None and (tier.number, tier.below) == (0, 2**53 * 250)

    def test_without_a_rate_it_is_refused(self) -> None:
        given().when(commission_of, Money(amount=1, currency="EUR"), None, TEN_PERCENT, "USD", {}).then(
            rejected("currency_unknown")
        )


class TestAttributing:
    def test_the_click_came(self) -> None:
        state = state_after(recorded(attributed=False))
        (event,) = decisions.attribute(state, attribution(), decisions.Basis(), ASKED)
        assert isinstance(event, ConversionAttributed)
        assert event.change == CounterDelta(currency="USD", pending=1, commission_pending=200)

    def test_it_comes_only_once(self) -> None:
        given(state_after(recorded())).when(decisions.attribute, attribution(), decisions.Basis(), ASKED).then()

    def test_an_approved_one_counts_as_approved(self) -> None:
        first = recorded(attributed=False)
        (approved,) = decisions.approve(state_after(first), ASKED)
        assert change(approved) == CounterDelta(currency="USD")
        (event,) = decisions.attribute(state_after(first, approved), attribution(), decisions.Basis(), ASKED)
        assert change(event) == CounterDelta(currency="USD", approved=1, commission_approved=200)

    def test_a_reversal_before_the_attribution_is_deducted(self) -> None:
        first = recorded(1000, attributed=False)
        (back,) = decisions.reverse(state_after(first), "returned", 250, ASKED)
        (event,) = decisions.attribute(state_after(first, back), attribution(), decisions.Basis(), ASKED)
        assert change(event) == CounterDelta(currency="USD", pending=1, commission_pending=75, commission_reversed=25)
        assert state_after(first, back, event).net_commission == 75

    def test_a_rejected_one_is_left_alone(self) -> None:
        first = recorded(attributed=False)
        (rejection,) = decisions.reject(state_after(first), "fraud", ASKED)
        given(state_after(first, rejection)).when(decisions.attribute, attribution(), decisions.Basis(), ASKED).then()


class TestDeciding:
    def test_approve_moves_count_and_commission(self) -> None:
        (event,) = decisions.approve(state_after(recorded()), ASKED)
        assert isinstance(event, ConversionApproved)
        assert event.change == CounterDelta(
            currency="USD", pending=-1, approved=1, commission_pending=-200, commission_approved=200
        )

    def test_approving_twice_does_nothing(self) -> None:
        first = recorded()
        (approved,) = decisions.approve(state_after(first), ASKED)
        given(state_after(first, approved)).when(decisions.approve, ASKED).then()

    def test_reject_from_pending_and_from_approved(self) -> None:
        first = recorded()
        (event,) = decisions.reject(state_after(first), "fraud", ASKED)
        assert change(event) == CounterDelta(currency="USD", pending=-1, rejected=1, commission_pending=-200)
        (approved,) = decisions.approve(state_after(first), ASKED)
        (later,) = decisions.reject(state_after(first, approved), "fraud", ASKED)
        assert change(later) == CounterDelta(currency="USD", approved=-1, rejected=1, commission_approved=-200)
        assert isinstance(later, ConversionRejected)

    def test_reverse_the_whole(self) -> None:
        first = recorded()
        (approved,) = decisions.approve(state_after(first), ASKED)
        (event,) = decisions.reverse(state_after(first, approved), "returned", None, ASKED)
        assert isinstance(event, ConversionReversed)
        assert event.whole
        assert event.change == CounterDelta(
            currency="USD", approved=-1, reversed=1, commission_approved=-200, commission_reversed=200
        )
        assert state_after(first, approved, event).status is ConversionStatus.REVERSED

    def test_reverse_a_part_keeps_the_status(self) -> None:
        (event,) = decisions.reverse(state_after(recorded(1000)), "one item", 333, ASKED)
        assert isinstance(event, ConversionReversed)
        assert not event.whole
        assert event.change == CounterDelta(currency="USD", commission_pending=-33, commission_reversed=33)

    def test_the_last_part_is_the_whole(self) -> None:
        first = recorded(1000)
        (part,) = decisions.reverse(state_after(first), "one item", 333, ASKED)
        (rest,) = decisions.reverse(state_after(first, part), "the rest", 667, ASKED)
        assert isinstance(rest, ConversionReversed)
        assert rest.whole
        assert rest.commission.amount == 67
        assert state_after(first, part, rest).net_commission == 0

    @pytest.mark.parametrize("amount", [0, -1, 2000])
    def test_no_more_than_there_is(self, amount: int) -> None:
        given(state_after(recorded(1999))).when(decisions.reverse, "returned", amount, ASKED).then(
            rejected("bad_amount")
        )

    def test_a_lead_is_reversed_whole(self) -> None:
        flat = Terms(kind=TermsKind.FLAT, flat_amount=500)
        (event,) = decisions.reverse(state_after(recorded(0, terms=flat)), "fraud", None, ASKED)
        assert isinstance(event, ConversionReversed)
        assert event.whole
        assert event.commission.amount == 500

    def test_what_is_closed_stays_closed(self) -> None:
        first = recorded()
        (rejection,) = decisions.reject(state_after(first), "fraud", ASKED)
        closed = state_after(first, rejection)
        all_decisions: tuple[Callable[[], object], ...] = (
            lambda: decisions.approve(closed, ASKED),
            lambda: decisions.reverse(closed, "x", None, ASKED),
        )
        for decide in all_decisions:
            given().when(decide).then(rejected("already_rejected"))

    @pytest.mark.parametrize("reason", ["", "   ", "x" * 501])
    def test_a_reason_is_needed(self, reason: str) -> None:
        given(state_after(recorded())).when(decisions.reject, reason, ASKED).then(rejected())

    @pytest.mark.parametrize("amount", [1, 0, -1])
    def test_of_nothing_no_part_can_be_taken(self, amount: int) -> None:
        with pytest.raises(CommandRejected) as refused:
            decisions.reverse(state_after(recorded(0)), "returned", amount, ASKED)
        assert (refused.value.code, "Leave the amount out" in refused.value.message) == ("bad_amount", True)

    def test_a_clock_that_was_set_back_books_no_loss_before_its_gain(self) -> None:
        first = recorded(1000)
        (approved,) = decisions.approve(state_after(first), ASKED)
        earlier = CommandContext(NOW - timedelta(days=40), OWNER)
        (part,) = decisions.reverse(state_after(first, approved), "returned", 100, earlier)
        (back,) = decisions.reject(state_after(first, approved, part), "fraud", earlier)
        assert part.timestamp == back.timestamp == approved.timestamp


class TestReportedAgain:
    def test_the_same_words_are_nothing_new(self) -> None:
        state = state_after(recorded(1999))
        given(state).when(decisions.merge_report, said(1999), ASKED).then()
        given(state).when(decisions.merge_report, said(None), ASKED).then()

    def test_another_amount_is_a_conflict_once(self) -> None:
        first, again = recorded(1999), said(2999, reported_by="postback")
        (event,) = decisions.merge_report(state_after(first), again, ASKED)
        assert isinstance(event, ConversionReportConflicted)
        assert (event.fields, event.conflicts) == (("amount",), 1)
        state = state_after(first, event)
        assert state.facts.amount.amount == 1999
        given(state).when(decisions.merge_report, again, ASKED).then()
        later = {"report_id": uuid4(), "received_at": again.received_at + timedelta(seconds=1)}
        given(state).when(decisions.merge_report, again.model_copy(update=later), ASKED).then()

    @pytest.mark.parametrize(
        ("status", "then"),
        [
            ("approved", "approved"),
            ("rejected", "rejected"),
            ("reversed", "reversed"),
            ("hold", "pending"),
            ("", "pending"),
        ],
    )
    def test_what_a_partner_says(self, status: str, then: str) -> None:
        first = recorded()
        events = decisions.apply_reported_status(state_after(first), status, "reported by the partner", ASKED)
        assert state_after(first, *events).status.value == then

    def test_what_a_person_rejected_stays(self) -> None:
        first = recorded()
        (rejection,) = decisions.reject(state_after(first), "fraud", ASKED)
        given(state_after(first, rejection)).when(decisions.apply_reported_status, "approved", "", ASKED).then()

    @pytest.mark.parametrize("before", ["rejected", "reversed"])
    def test_a_partner_may_approve_a_reversed_conversion_again(self, before: str) -> None:
        first = recorded(1999)
        reversal = decisions.apply_reported_status(
            state_after(first), before, "reported by the partner", CommandContext(NOW)
        )
        again = decisions.apply_reported_status(
            state_after(first, *reversal), "approved", "reported by the partner", CommandContext(NOW)
        )
        assert [event.NAME for event in again] == ["conversion.reopened", "conversion.approved"]
        state = state_after(first, *reversal, *again)
        assert (state.status.value, state.net_commission, state.reversed_amount) == ("approved", 200, 0)


class TestWithoutIdentity:
    """A sale whose report had a placeholder as transaction id: a repetition of it could be a second sale."""

    TERMS = TEN_PERCENT.model_copy(update={"auto_approve_days": 1})
    LATER = CommandContext(NOW + timedelta(days=30))
    PLACEHOLDER = said(1999, key_kind="postback", reported_by="postback").model_copy(
        update={"unread": {"txid": "{transaction_id}"}}
    )

    def test_no_timer_approves_it(self) -> None:
        state = state_after(recorded(terms=self.TERMS, reported=self.PLACEHOLDER))
        assert state.approves_at is None
        given(state).when(decisions.approve_automatically, self.TERMS, self.LATER).then()

    def test_nor_once_it_is_attributed_reopened_or_reported_again(self) -> None:
        waiting = recorded(attributed=False, terms=self.TERMS, reported=self.PLACEHOLDER)
        attributed = decisions.attribute(state_after(waiting), attribution(self.TERMS), decisions.Basis(), ASKED)
        (rejection,) = decisions.reject(state_after(waiting, *attributed), "fraud", ASKED)
        reopened = decisions.reopen(state_after(waiting, *attributed, rejection), "a mistake", ASKED)
        state = state_after(waiting, *attributed, rejection, *reopened)
        again = said(1999, key_kind="secret").model_copy(update={"unread": {"txid": "null"}})
        merged = decisions.merge_report(state, again, ASKED)
        for events in (
            (*attributed,),
            (*attributed, rejection, *reopened),
            (*attributed, rejection, *reopened, *merged),
        ):
            state = state_after(waiting, *events)
            assert state.status.value == "pending" and state.approves_at is None
            given(state).when(decisions.approve_automatically, self.TERMS, self.LATER).then()
        assert [event.approves_at for event in (*reopened, *merged) if hasattr(event, "approves_at")] == [None, None]

    def test_nor_once_its_buyer_is_forgotten(self) -> None:
        state = model.forgotten(state_after(recorded(terms=self.TERMS, reported=self.PLACEHOLDER)))
        given(state).when(decisions.approve_automatically, self.TERMS, self.LATER).then()

    def test_its_owner_and_the_network_decide(self) -> None:
        first = recorded(terms=self.TERMS, reported=self.PLACEHOLDER)
        (approved,) = decisions.approve(state_after(first), ASKED)
        assert state_after(first, approved).status.value == "approved"
        by_network = decisions.apply_reported_status(state_after(first), "approved", "reported", ASKED)
        assert state_after(first, *by_network).status.value == "approved"

    def test_one_that_names_no_id_is_identified_by_its_click_and_approved_in_time(self) -> None:
        """As of a network that sends none. Other fields that cannot be read are no matter of identity either."""
        unread = {"amount": "1,234", "click_id": "{click_id}"}
        for reported in (said(1999, key_kind="postback"), self.PLACEHOLDER.model_copy(update={"unread": unread})):
            state = state_after(recorded(terms=self.TERMS, reported=reported))
            assert state.approves_at == NOW + timedelta(days=1)


class TestClaims:
    """A sale that only the public site key reports."""

    def test_no_timer_approves_it(self) -> None:
        terms = TEN_PERCENT.model_copy(update={"auto_approve_days": 1})
        claim = state_after(recorded(terms=terms, reported=said(1999, key_kind="site")))
        later = CommandContext(NOW + timedelta(days=30))
        assert claim.approves_at is None and decisions.approve_automatically(claim, terms, later) == []
        merged = decisions.merge_report(claim, said(1999, key_kind="secret"), later)
        borne_out = state_after(recorded(terms=terms, reported=said(1999, key_kind="site")), *merged)
        assert borne_out.approves_at == later.at + timedelta(days=1)

    def test_a_rejection_holds_against_the_claim_alone(self) -> None:
        first = recorded(reported=said(1999, key_kind="site"))
        (rejection,) = decisions.reject(state_after(first), "fraud", ASKED)
        merged = decisions.merge_report(state_after(first, rejection), said(1999, key_kind="secret"), ASKED)
        (reopened,) = decisions.confirm_claim(state_after(first, rejection, *merged), ASKED)
        state = state_after(first, rejection, *merged, reopened)
        assert (state.status.value, state.net_commission) == ("pending", 200)


class TestAdjustments:
    """After the approval a click is not exchanged."""

    def test_it_is_proposed_once_and_may_be_dismissed(self) -> None:
        first = recorded()
        (approved,) = decisions.approve(state_after(first), ASKED)
        other = attribution().model_copy(update={"clicked_at": NOW})
        state = state_after(first, approved)
        (proposed,) = decisions.propose_adjustment(state, other, None, ASKED)
        state = model.evolve(state, proposed)
        given(state).when(decisions.propose_adjustment, other, None, ASKED).then()
        (dismissed,) = decisions.dismiss_adjustment(state, ASKED)
        state = model.evolve(state, dismissed)
        assert state.proposed is None
        given(state).when(decisions.propose_adjustment, other, None, ASKED).then()
        given(state).when(decisions.dismiss_adjustment, ASKED).then(rejected())
        assert state.net_commission == 200


class TestOwner:
    website = Website(SITE, 1, OWNER, "shop.example", "UTC", "USD", NOW)

    def test_owner_and_system_may(self) -> None:
        state = state_after(recorded())
        for context in (ASKED, CommandContext(NOW)):
            assert model.require_owned(state, self.website, context) is state

    def test_nobody_else_learns_that_it_exists(self) -> None:
        stranger, admin = CommandContext(NOW, uuid4()), CommandContext(NOW, uuid4(), is_admin=True)
        for state, context in product((state_after(recorded()), None), (stranger, admin)):
            with pytest.raises(CommandRejected) as refused:
                model.require_owned(state, self.website, context)
            assert (refused.value.kind, refused.value.code) == ("missing", "not_found")


@hypothesis.given(
    st.integers(0, 10**9), st.integers(1, 10**9), st.lists(st.integers(1, 10**8), max_size=8), st.fractions(0, 1)
)
def test_what_is_reversed_is_monotone_and_ends_at_the_whole(
    commission: int, sale: int, parts: list[int], returned: Fraction
) -> None:
    by_hand, before = 0, reversal(commission, sale, 0, returned)
    for part in parts:
        by_hand += part
        now = reversal(commission, sale, by_hand, returned)
        assert before <= now <= (sale, commission) and before[1] <= now[1] <= commission
        before = now
    assert reversal(commission, sale, sale, returned) == reversal(commission, sale, 0, Fraction(1))
    assert reversal(commission, sale, sale, Fraction(0)) == (sale, commission)


class MoneyMachine(RuleBasedStateMachine):
    """Any order of steps: the sum of all changes is what the state says, and no money appears or vanishes."""

    @initialize(
        amount=st.integers(0, 10**7),
        rate=st.integers(0, 10_000),
        attributed=st.booleans(),
    )
    def begin(self, amount: int, rate: int, attributed: bool) -> None:
        self.terms = Terms(kind=TermsKind.PERCENT, rate_bp=rate)
        first = recorded(amount, attributed=attributed, terms=self.terms)
        self.events: list[DomainEvent] = [first]
        self.state = model.evolve(None, first)

    def take(self, events: list[DomainEvent]) -> None:
        for event in events:
            assert event.originator_version == self.state.version + 1
            self.events.append(event)
            self.state = model.evolve(self.state, event)

    @rule()
    @precondition(lambda self: self.state.is_open)
    def approve(self) -> None:
        self.take(decisions.approve(self.state, ASKED))

    @rule()
    @precondition(lambda self: self.state.is_open)
    def reject(self) -> None:
        self.take(decisions.reject(self.state, "fraud", ASKED))

    @rule(part=st.floats(0.01, 1))
    @precondition(lambda self: self.state.is_open)
    def reverse_part(self, part: float) -> None:
        left = self.state.facts.amount.amount - self.state.reversed_amount
        self.take(decisions.reverse(self.state, "returned", max(1, int(left * part)) if left else None, ASKED))

    @rule()
    def attribute(self) -> None:
        self.take(decisions.attribute(self.state, attribution(self.terms), decisions.Basis(), ASKED))

    @rule()
    @precondition(lambda self: self.state.is_open and not self.state.is_attributed)
    def assign(self) -> None:
        chosen = attribution(self.terms).model_copy(update={"by": AttributedBy.MANUAL, "link_id": uuid4()})
        self.take(decisions.assign(self.state, chosen, decisions.Basis(), "told by phone", ASKED))

    @rule(amount=st.integers(0, 100), key_kind=st.sampled_from(["site", "secret", "postback"]))
    def report(self, amount: int, key_kind: str) -> None:
        self.take(decisions.merge_report(self.state, said(amount, key_kind=key_kind), ASKED))

    @rule(amount=st.integers(0, 10**7), attributed=st.booleans(), payout=st.none() | st.integers(0, 10**6))
    def restate(self, amount: int, attributed: bool, payout: int | None) -> None:
        found = attribution(self.terms) if attributed else None
        update = {"amount": Money(amount=amount, currency="USD"), "attribution": found}
        paid = None if payout is None else Money(amount=payout, currency="USD")
        facts = self.state.facts.model_copy(update=update)
        self.take(
            decisions.restate(
                self.state, facts, decisions.Basis(), payout=paid, customer="", cause="report", context=ASKED
            )
        )

    @rule(status=st.sampled_from(["approved", "rejected", "reversed"]))
    def report_status(self, status: str) -> None:
        self.take(decisions.apply_reported_status(self.state, status, "reported by the partner", CommandContext(NOW)))

    @invariant()
    def changes_add_up(self) -> None:
        changes = [change(event) for event in self.events if hasattr(event, "change")]
        counts = {
            name: sum(getattr(c, name) for c in changes) for name in ("pending", "approved", "rejected", "reversed")
        }
        expected = dict.fromkeys(counts, 0)
        if self.state.is_attributed:
            expected[self.state.status.value] = 1
        assert counts == expected

    @invariant()
    def money_adds_up(self) -> None:
        changes = [change(event) for event in self.events if hasattr(event, "change")]
        pending, approved, back = (
            sum(getattr(c, f"commission_{name}") for c in changes) for name in ("pending", "approved", "reversed")
        )
        state = self.state
        assert 0 <= state.reversed_amount <= state.facts.amount.amount
        if not state.is_attributed:
            assert (pending, approved, back) == (0, 0, 0)
            return
        assert back == state.reversed_commission
        assert pending == (state.net_commission if state.status is ConversionStatus.PENDING else 0)
        assert approved == (state.net_commission if state.status is ConversionStatus.APPROVED else 0)
        if state.status is ConversionStatus.REVERSED:
            assert back == state.commission
            assert state.reversed_amount == state.facts.amount.amount
        assert min(pending, approved, back) >= 0


TestMoney = MoneyMachine.TestCase
TestMoney.settings = settings(max_examples=60, stateful_step_count=20, deadline=None)
